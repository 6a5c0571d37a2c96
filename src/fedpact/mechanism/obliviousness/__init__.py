"""Where any agent alone can move the plan by a sample, and what follows for payments."""

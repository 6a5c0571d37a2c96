"""What agents do when nobody coordinates: best responses, equilibria, dynamics."""

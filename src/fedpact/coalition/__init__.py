"""Groups of agents: what each would pay by itself, and how all of them can split the cost."""

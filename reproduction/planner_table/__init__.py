"""The paper's table of planners on a finite class of trained networks, and what lies beyond it."""

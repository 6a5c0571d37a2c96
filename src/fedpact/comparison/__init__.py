"""Ways to organise a federation, side by side."""

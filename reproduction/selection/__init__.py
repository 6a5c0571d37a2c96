"""How many labels it takes to choose a candidate, and whether what is promised of the choice is kept."""

"""What a federation is: agents, targets, costs, hypotheses, evidence, and the file that holds them."""

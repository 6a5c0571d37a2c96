"""What follows from the evidence: how often hypotheses disagree, whether a contribution vector is enough."""

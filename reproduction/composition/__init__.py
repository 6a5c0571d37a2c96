"""Does it matter from whom data come? Models trained on mixtures of two agents' samples, tested on each agent."""

"""A whole run in a simulated world: one seed decides every delay, loss, crash and lie."""

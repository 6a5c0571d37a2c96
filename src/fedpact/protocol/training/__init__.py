"""Training that goes on from the chosen candidate: averaging by the samples that the ledger has."""

"""Report, plan, contribute, pay: the mechanism run between an operator and its sites, with a ledger."""

"""Payment rules: what each agent is paid for its contribution."""

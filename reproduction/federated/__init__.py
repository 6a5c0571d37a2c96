"""Learning with quotas from a plan, by writers and by hospitals, against equal quotas and going alone."""

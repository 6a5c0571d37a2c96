"""The page to look at: plan, play, pay, in the browser; and the same as one file. Needs ``fedpact[web]``."""

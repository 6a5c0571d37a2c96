"""The cheapest contributions that meet every target, with a certificate."""

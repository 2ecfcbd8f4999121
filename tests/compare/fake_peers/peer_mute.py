"""Does not know --about."""

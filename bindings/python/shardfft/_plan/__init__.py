"""Plans, and what they are made from."""

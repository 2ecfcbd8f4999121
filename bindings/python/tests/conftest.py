import os

# What was tuned on this machine must not steer the tests.
os.environ.setdefault("SHARDFFT_WISDOM", "off")

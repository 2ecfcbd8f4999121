"""Arrays that frameworks distribute: the tests take what they need from those of the functions."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

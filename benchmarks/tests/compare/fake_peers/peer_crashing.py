"""Dies in the middle, after a last word."""
import os
import signal
import sys

import fake

fake.about("crashing")
print("crashing: the last word", file=sys.stderr, flush=True)
os.kill(os.getpid(), signal.SIGSEGV)

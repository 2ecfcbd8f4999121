"""Hangs, takes no notice of being asked to end, and has a child that does the same in a group of its own. Their numbers
go to FAKE_PIDS."""
import os
import signal
import time

import fake

fake.about("hanging")
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
if "FAKE_PIDS" in os.environ:
    with open(os.environ["FAKE_PIDS"], "a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
time.sleep(600)

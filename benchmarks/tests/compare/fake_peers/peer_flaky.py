"""Right once, refuses from its second launch on."""
import sys

import fake

fake.about("flaky")
a = fake.arguments()
if fake.launches(a, "flaky") > 0:
    sys.exit("flaky: no more")
fake.result(a, "flaky", 0.020)

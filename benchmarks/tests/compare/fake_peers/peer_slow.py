"""Right, and takes three times as long as shardfft."""
import fake

fake.about("slow")
fake.result(fake.arguments(), "slow", 0.030)

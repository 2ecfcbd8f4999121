"""Ends well and writes nothing."""
import fake

fake.about("silent")

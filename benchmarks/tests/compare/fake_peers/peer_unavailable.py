"""Lacks a module."""
import fake

fake.about("unavailable", available=False, reason="no module named unavailable")

"""Ends well and writes what is no result."""
import fake

fake.about("garbage")
with open(fake.arguments()["result"], "w", encoding="utf-8") as file:
    file.write('{"status": "ok", "forward_s": [1, 2')

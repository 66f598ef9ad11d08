"""What holds for every test."""

import os

# A run's report has tests of its own; the others, and the commands that they start, do without its seconds.
os.environ.setdefault("KOUJING_REPORT", "0")

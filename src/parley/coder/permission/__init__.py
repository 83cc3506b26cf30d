"""What may be done without asking, what only after asking, and what never."""

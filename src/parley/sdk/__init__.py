"""The front doors: write an agent or a client once, in the words of neither version."""

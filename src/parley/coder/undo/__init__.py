"""Taking back what a turn did to files, from copies of our own. Nothing here knows git."""

"""The front end for scripts: prompts in, an answer out, and an exit status that tells the truth."""

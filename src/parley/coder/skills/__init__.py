"""Skills: folders with a `SKILL.md` that tell the model how to do a kind of task."""

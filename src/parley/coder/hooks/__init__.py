"""Programs of the user that run before and after tool calls: what they are told, and their word."""

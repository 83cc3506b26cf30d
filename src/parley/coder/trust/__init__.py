"""What a checkout brings along and a user has agreed to, by its very content."""

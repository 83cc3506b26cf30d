"""MCP servers as tools: started beside a session, and gone when they die."""

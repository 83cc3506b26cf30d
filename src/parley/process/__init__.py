"""How programs are started, watched and ended."""

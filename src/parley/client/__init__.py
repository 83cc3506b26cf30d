"""What a client offers agents on its own machine: files, terminals, logins in a terminal."""

"""Passes bytes between its stdin and stdout and a unix socket, and ends when both have ended."""

import os
import socket
import sys
import threading

outside = socket.socket(socket.AF_UNIX)
outside.connect(sys.argv[1])


def pass_in() -> None:
    while data := os.read(0, 1 << 16):
        outside.sendall(data)
    outside.shutdown(socket.SHUT_WR)


thread = threading.Thread(target=pass_in, daemon=True)
thread.start()
while received := outside.recv(1 << 16):
    while received:
        received = received[os.write(1, received) :]
os.close(1)
thread.join()

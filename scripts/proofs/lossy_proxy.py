"""A TCP proxy in front of the backend that loses answers: the request arrives and is answered, the answer is thrown away.

Prints its port, then serves on loopback until its standard input ends. Each request (they carry Content-Length) is judged
by a seeded draw; a lost answer closes the connection in its place. Notes one line per request: `passed` or `lost`.
"""

import random
import socket
import socketserver
import sys
import threading


def read_message(stream):
    """One HTTP message with Content-Length as bytes; None at the end of the stream."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return None
        head += line
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    body = stream.read(length)
    return head + body if len(body) == length else None


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        with socket.create_connection(("127.0.0.1", self.server.target)) as upstream:
            answers = upstream.makefile("rb")
            while (request := read_message(self.rfile)) is not None:
                upstream.sendall(request)
                answer = read_message(answers)
                # By now the backend has committed, whatever becomes of its answer.
                if answer is None or self.server.loses():
                    return
                self.wfile.write(answer)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, target, share, seed, log):
        super().__init__(("127.0.0.1", 0), Handler)
        self.target, self.share, self.log = target, share, log
        self.random = random.Random(f"lossy-{seed}")
        self.lock = threading.Lock()

    def loses(self):
        with self.lock:
            is_lost = self.random.random() < self.share
            self.log.write("lost\n" if is_lost else "passed\n")
            self.log.flush()
            return is_lost

    def handle_error(self, request, client_address):
        pass


def main():
    target, share, seed, path = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4]
    with open(path, "a", encoding="utf-8") as log:
        server = Server(target, share, seed, log)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()

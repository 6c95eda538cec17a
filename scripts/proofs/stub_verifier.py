"""A verification service of the dialect FaceID v1 that reads the marks of `cards.py`, in a process of its own.

Prints its address, then serves on loopback until its standard input ends. Notes one line per request in the file named as
its argument: the SHA-256 of the image.
"""

import hashlib
import json
import os
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler

from proofs import cards

MARK = b'name="image"'


def image_of(body, boundary):
    """The bytes of the part `image`."""
    start = body.index(b"\r\n\r\n", body.index(MARK)) + 4
    return body[start : body.index(b"\r\n--" + boundary, start)]


def reading(image):
    answer = {"request_id": "1700000000,stub", "time_used": 1}
    mark = cards.read(image)
    if mark is None:
        return answer
    number, is_back = mark
    answer["legality"] = {"ID Photo": 0.97, "Temporary ID Photo ": 0, "Photocopy": 0.01, "Screen": 0.01, "Edited": 0.01}
    if is_back:
        answer |= {"side": "back", "issued_by": "样本市公安局", "valid_date": "2020.01.01-2040.01.01"}
        return answer
    birth = cards.birthday(number)
    answer |= {
        "side": "front",
        "name": os.environ.get("PROOF_HOLDER", "样本甲"),
        "gender": cards.gender(number),
        "race": "汉",
        "birthday": {"year": str(birth.year), "month": str(birth.month), "day": str(birth.day)},
        "address": os.environ.get("PROOF_ADDRESS", "样本路1号"),
        "id_card_number": cards.identity_number(number),
    }
    return answer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        boundary = self.headers.get_param("boundary") if hasattr(self.headers, "get_param") else None
        image = image_of(body, boundary.encode())
        self.server.note(hashlib.sha256(image).hexdigest())
        reply = json.dumps(reading(image)).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(reply)}\r\n\r\n"
        self.wfile.write(head.encode() + reply)

    def log_message(self, *arguments):
        pass


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, log):
        super().__init__(("127.0.0.1", 0), Handler)
        self.log = log
        self.lock = threading.Lock()

    def note(self, digest):
        with self.lock:
            self.log.write(digest + "\n")
            self.log.flush()

    def handle_error(self, request, client_address):
        # A client that was killed: that is what the proofs do.
        pass


def main():
    with open(sys.argv[1], "a", encoding="utf-8") as log:
        server = Server(log)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()

"""The other side: a stub verifier and a proxy that loses and replaces answers, each a process of its own, and the backend."""

import contextlib
import hashlib
import json
import os
import random
import re
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from proofs import cards
from proofs.tool import replace_file

# What a gateway puts in the place of an answer: the backend has the document all the same.
REPLACEMENTS = ("503 Service Unavailable", "301 Moved Permanently", "403 Forbidden", "404 Not Found", "502 Bad Gateway")
# After every other replaced answer connections are refused for so many seconds at most.
REFUSING, LONGEST_REFUSAL = 0.5, 0.2
SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Service:
    """A process that prints where it listens, and ends with its standard input or by a signal."""

    def __init__(self, command, environment):
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), **environment}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=environment, text=True, **pipes)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(f"{os.path.basename(command[0])} did not start (status {self.process.wait()})")

    @property
    def port(self):
        return int(self.url.split(":")[2].split("/")[0])

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Stub(Service):
    """One of the servers below; it notes a word per request in a file."""

    def __init__(self, folder, server, *arguments, **environment):
        self.log = os.path.join(folder, f"{server}.log")
        open(self.log, "w", encoding="utf-8").close()
        environment |= {"PYTHONPATH": SCRIPTS, "PYTHONDONTWRITEBYTECODE": "1"}
        super().__init__([sys.executable, "-m", "proofs.remote", server, self.log, *map(str, arguments)], environment)

    def noted(self):
        with open(self.log, encoding="utf-8") as file:
            return Counter(file.read().split())


def verifier(folder, **environment):
    """Reads the marks of `cards.py`; notes the SHA-256 of each image."""
    return Stub(folder, "verifier", **environment)


class LossyProxy(Stub):
    """Loses and replaces shares of the backend's answers; notes `passed`, `lost`, `replaced`, and `refusing` connections."""

    def __init__(self, folder, backend, lost, replaced, seed):
        super().__init__(folder, "proxy", backend.port, lost, replaced, seed)
        self.url += "/upload"

    def replace_no_more(self):
        self.process.stdin.write("calm\n")
        self.process.stdin.flush()


class PickyProxy(Stub):
    """Answers 500 to the documents of some business numbers, and 403 to TOKENs that a file does not name; passes the others on."""

    def __init__(self, folder, backend, rules):
        self.rules = os.path.join(folder, "rules.json")
        self.set(**rules)
        super().__init__(folder, "picky", backend.port, self.rules)
        self.url += "/upload"

    def set(self, **rules):
        replace_file(self.rules, json.dumps(rules))


def image_host(folder, images):
    """Serves the files of a folder; answers 500 to every other path."""
    return Stub(folder, "images", images)


class Backend(Service):
    """The built-in business backend, whose ledger is the judge."""

    def __init__(self, binary, folder, *options):
        self.folder = os.path.join(folder, "backend")
        home = os.path.join(folder, "backend-home")
        os.makedirs(home, exist_ok=True)
        super().__init__([binary, "backend", "--documents", self.folder, *options], {"HOME": home})

    def lines(self, name):
        """The whole lines of a journal; a half line at the end is one still being written."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def ledger(self):
        return self.lines("ledger.jsonl")

    def refusals(self):
        return self.lines("refusals.jsonl")

    def count(self):
        """How many documents were accepted, without reading them."""
        try:
            with open(os.path.join(self.folder, "ledger.jsonl"), "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0


# What follows runs in the processes of the stubs.


def reading(image):
    """What the dialect FaceID v1 answers to an image."""
    answer = {"request_id": "1700000000,stub", "time_used": 1}
    mark = cards.read(image)
    if mark is None:
        return answer
    number, is_back = mark
    answer["legality"] = {"ID Photo": 0.97, "Temporary ID Photo ": 0, "Photocopy": 0.01, "Screen": 0.01, "Edited": 0.01}
    if is_back:
        return answer | {"side": "back", "issued_by": "样本市公安局", "valid_date": "2020.01.01-2040.01.01"}
    birth = cards.birthday(number)
    return answer | {
        "side": "front",
        "name": os.environ.get("PROOF_HOLDER", "样本甲"),
        "gender": cards.gender(number),
        "race": "汉",
        "birthday": {"year": str(birth.year), "month": str(birth.month), "day": str(birth.day)},
        "address": os.environ.get("PROOF_ADDRESS", "样本路1号"),
        "id_card_number": cards.identity_number(number),
    }


def read_message(stream):
    """One HTTP message with Content-Length as bytes; None at the end of the stream."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return None
        head += line
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    body = stream.read(int(lengths[0]) if lengths else 0)
    return head + body if len(body) == int(lengths[0] if lengths else 0) else None


def answer(status, body=b"", *fields):
    """An answer with these fields beside its length."""
    return "\r\n".join([f"HTTP/1.1 {status}", *fields, f"Content-Length: {len(body)}", "", ""]).encode() + body


class Handler(socketserver.StreamRequestHandler):
    """Answers request after request over one connection."""

    disable_nagle_algorithm = True

    def handle(self):
        while (request := read_message(self.rfile)) is not None:
            self.wfile.write(self.answer(request))


class VerifierHandler(Handler):
    def answer(self, request):
        start = request.index(b"\r\n\r\n", request.index(b'name="image"')) + 4
        boundary = re.search(rb'boundary="?([^"\r\n;]+)', request)[1]
        image = request[start : request.index(b"\r\n--" + boundary, start)]
        self.server.note(hashlib.sha256(image).hexdigest())
        return answer("200 OK", json.dumps(reading(image)).encode(), "Content-Type: application/json")


class ProxyHandler(Handler):
    def handle(self):
        with socket.create_connection(("127.0.0.1", int(self.server.arguments[0]))) as upstream:
            answers = upstream.makefile("rb")
            while (request := self.next_request()) is not None:
                upstream.sendall(request)
                given = read_message(answers)
                # By now the backend has committed, whatever becomes of its answer.
                fate = self.server.fate()
                self.server.note(fate)
                if fate == "replaced":
                    return self.replace()
                if given is None or fate == "lost":
                    return
                self.wfile.write(given)

    def next_request(self):
        self.server.idle.add(self.connection)
        try:
            return read_message(self.rfile)
        finally:
            self.server.idle.discard(self.connection)

    def replace(self):
        """Another answer, and now and then no connection for the request that follows."""
        status = self.server.random.choice(REPLACEMENTS)
        fields = ("Retry-After: 0", "Location: /", "Content-Type: text/html", "Connection: close")
        if self.server.random.random() < REFUSING:
            self.server.note("refusing")
            self.server.shutdown()
        self.wfile.write(answer(status, b"<html>gateway</html>", *fields))


def field(request, name):
    """The text of a part of a form."""
    start = request.find(b'name="' + name + b'"\r\n')
    return request[start:].split(b"\r\n\r\n", 1)[1].split(b"\r\n", 1)[0].decode() if start >= 0 else ""


class PickyHandler(Handler):
    def answer(self, request):
        port, rules = self.server.arguments
        with open(rules, encoding="utf-8") as file:
            known = json.load(file)
        number, token = field(request, b"BUSINESSNO"), field(request, b"TOKEN")
        if number in known.get("fails", ()):
            given = answer("500 Internal Server Error")
        elif known.get("token") not in (None, token):
            given = answer("403 Forbidden")
        else:
            with socket.create_connection(("127.0.0.1", int(port))) as upstream:
                upstream.sendall(request)
                given = read_message(upstream.makefile("rb"))
        self.server.note("passed" if b" 200 " in given.split(b"\r\n", 1)[0] else "refused")
        return given


class ImageHandler(Handler):
    def answer(self, request):
        path = os.path.join(self.server.arguments[0], os.path.basename(request.split(b" ", 2)[1].decode()))
        is_there = os.path.isfile(path)
        self.server.note("sent" if is_there else "failed")
        return answer("200 OK", Path(path).read_bytes()) if is_there else answer("500 Internal Server Error")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, handler, log, arguments):
        super().__init__(("127.0.0.1", 0), handler)
        self.log, self.arguments = log, arguments
        self.lock = threading.Lock()
        self.random = random.Random(arguments[-1] if arguments else None)
        self.is_calm = False
        # The connections that wait for a request.
        self.idle = set()

    def fate(self):
        """What becomes of the next answer."""
        lost, replaced = map(float, self.arguments[1:3])
        with self.lock:
            drawn = self.random.random()
        if drawn < lost:
            return "lost"
        return "replaced" if drawn < lost + replaced and not self.is_calm else "passed"

    def serve(self):
        """Serves; whenever a handler ends that by `shutdown()`, connections are refused for a while."""
        while True:
            self.serve_forever(poll_interval=0.01)
            address = self.server_address
            self.socket.close()
            # Bound but not listening, a socket refuses connections, and nothing else can take the port.
            self.socket = socket.socket()
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind(address)
            for connection in list(self.idle):
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            time.sleep(self.random.uniform(0, LONGEST_REFUSAL))
            self.server_activate()

    def note(self, word):
        with self.lock:
            self.log.write(word + "\n")
            self.log.flush()

    def handle_error(self, request, client_address):
        # A client that was killed: that is what the proofs do.
        pass


def main():
    handlers = {"verifier": VerifierHandler, "proxy": ProxyHandler, "picky": PickyHandler, "images": ImageHandler}
    handler = handlers[sys.argv[1]]
    with open(sys.argv[2], "a", encoding="utf-8") as log:
        server = Server(handler, log, sys.argv[3:])
        threading.Thread(target=server.serve, daemon=True).start()
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
        for _ in sys.stdin:
            server.is_calm = True


if __name__ == "__main__":
    main()

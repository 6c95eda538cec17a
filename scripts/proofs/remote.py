"""The other side: a stub verifier and the backend, each a process of its own, and a proxy that loses and replaces answers."""

import contextlib
import http.client
import http.server
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time

from proofs import cards
from proofs.service_client import HOST, free_port

# What a gateway puts in the place of an answer: the backend has the document all the same.
REPLACEMENTS = (503, 301, 403, 404, 502)
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


def verifier(**environment):
    """A process that reads the marks of `cards.py`."""
    environment |= {"PYTHONPATH": SCRIPTS, "PYTHONDONTWRITEBYTECODE": "1"}
    return Service([sys.executable, "-m", "proofs.remote"], environment)


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


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers request after request over one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def body(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) < int(self.headers["Content-Length"]):
            raise ConnectionError("the client has gone")
        return body

    def answer(self, status, headers, body):
        self.send_response_only(status)
        for name, value in [*headers.items(), ("Content-Length", len(body))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """The proofs print what they find themselves."""


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def __init__(self, handler):
        super().__init__((HOST, free_port()), handler)
        self.url = f"http://{HOST}:{self.server_port}"

    def handle_error(self, request, client_address):
        """A client that was killed: that is what the proofs do."""


class VerifierHandler(Handler):
    def image(self):
        """The one in the request."""
        body = self.body()
        start = body.index(b"\r\n\r\n", body.index(b'name="image"')) + 4
        return body[start : body.index(b"\r\n--" + self.headers.get_param("boundary").encode(), start)]

    def do_POST(self):
        self.tell(reading(self.image()))

    def tell(self, answer):
        self.answer(200, {"Content-Type": "application/json"}, json.dumps(answer).encode())


class ProxyHandler(Handler):
    def handle_one_request(self):
        self.server.idle.add(self.connection)
        try:
            super().handle_one_request()
        finally:
            self.server.idle.discard(self.connection)

    def do_POST(self):
        body, proxy = self.body(), self.server
        proxy.idle.discard(self.connection)
        with contextlib.closing(http.client.HTTPConnection(HOST, proxy.backend.port)) as upstream:
            upstream.request("POST", self.path, body, dict(self.headers))
            given = upstream.getresponse()
            # By now the backend has committed, whatever becomes of its answer.
            status, headers, body = given.status, given.headers, given.read()
            del headers["Content-Length"]
        drawn = proxy.random.random()
        fate = "lost" if drawn < proxy.lost else "replaced" if drawn < proxy.lost + proxy.replaced else "passed"
        proxy.fates.append(fate)
        if fate == "replaced":
            status, body = proxy.random.choice(REPLACEMENTS), b"<html>gateway</html>"
            headers = {"Retry-After": "0", "Location": "/", "Content-Type": "text/html", "Connection": "close"}
            if proxy.random.random() < REFUSING:
                proxy.fates.append("refusing")
                proxy.shutdown()
        if fate == "lost":
            self.close_connection = True
        else:
            self.answer(status, headers, body)


class LossyProxy(Server):
    """Loses and replaces shares of the backend's answers; tells `fates`: passed, lost, replaced, and refusing connections."""

    def __init__(self, backend, lost, replaced, seed):
        super().__init__(ProxyHandler)
        self.backend, self.lost, self.replaced, self.random = backend, lost, replaced, random.Random(seed)
        self.url += "/upload"
        # The connections that wait for a request.
        self.fates, self.idle, self.is_open = [], set(), True
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        """Serves; whenever a handler ends that by `shutdown()`, connections are refused for a while."""
        while self.is_open:
            self.serve_forever(poll_interval=0.01)
            # Shut down, a listening socket refuses connections and keeps its port.
            self.socket.shutdown(socket.SHUT_RDWR)
            for connection in list(self.idle):
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            time.sleep(self.random.uniform(0, LONGEST_REFUSAL))
            self.server_activate()

    def stop(self):
        self.is_open = False
        self.shutdown()


if __name__ == "__main__":
    verifying = Server(VerifierHandler)
    threading.Thread(target=verifying.serve_forever, daemon=True).start()
    print(verifying.url, flush=True)
    sys.stdin.read()

"""Hostile clients of `serve`: each flood is refused, and nothing of it is kept, while honest clients go on as before.

Watched meanwhile: the memory of the service, its descriptors, how long honest clients wait, and that it lives.
"""

import contextlib
import os
import resource
import select
import socket
import struct
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from proofs.cards import jpeg
from proofs.served import Clients, Serve
from proofs.service_client import NoAnswer, Request, form_card, raw_card, webhook_card, webhook_secret

MIB = 1 << 20
# By this every business number of theirs begins.
NUMBER = "HOSTILE"
# How far the resident memory may go beyond what it was before the first attack: the bodies in memory have a bound, those
# without a valid signature another one.
MEMORY = (352 + 64) * MIB
# Outbound connections, and readers of the database.
DESCRIPTORS = 16
# So many files a process may open that a shell or systemd starts without further words.
USUAL_DESCRIPTORS = 1024
# What a flood is answered; which one stands where is a matter of the tests of the service.
REFUSALS = {
    "400 body_truncated", "408 body_timeout", "413 body_too_large", "413 image_too_large_bytes", "431 header_too_large", "503 busy",
}
CHUNKED, LENGTH = "Transfer-Encoding: chunked", "Content-Length: 1073741824"


def start_as_usual(serve):
    """Starts it with as many files as a service may usually open."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (USUAL_DESCRIPTORS, most))
    serve.start()
    # The proof itself may open as many as it can.
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Attacks:
    """A service among hostile clients, while honest ones go on. Each attack returns the connections it still holds, which
    the service must have ended."""

    def __init__(self, proof):
        self.proof, self.serve = proof, Serve(proof, "hostile")
        self.together = 3 if proof.quick else 16
        self.image, self.token = jpeg(7, False), self.serve.new_token("stranger")
        self.unknown_secret = webhook_secret(proof.random)
        start_as_usual(self.serve)
        self.honest = Clients(self.serve, count=2, insists=False, pause=0.25)
        # Warm by now: what one card needs is there.
        self.honest.wait_for(6)
        self.level, self.descriptors = self.memory(), self.open_files()

    def memory(self, field="VmRSS"):
        with open(f"/proc/{self.serve.process.pid}/status", encoding="ascii", errors="replace") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))

    def open_files(self):
        """How many files and sockets it has open; None where only root may know."""
        with contextlib.suppress(PermissionError):
            return len(os.listdir(f"/proc/{self.serve.process.pid}/fd"))
        return None

    def pour(self, pieces):
        """Sends pieces over a connection of its own until there is an answer, or no more is taken."""
        connection, words, ends = self.serve.connect(), "no answer", False
        for piece in pieces:
            if select.select([connection.socket], [], [], 0)[0] or not connection.say(piece):
                break
        with contextlib.suppress(NoAnswer):
            answer = connection.answer()
            words, ends = repr(answer), answer.ends_connection
        if not ends:
            connection.close()
        return connection, words

    def flood(self, what, make_pieces):
        """From several clients at once."""
        with ThreadPoolExecutor(self.together) as pool:
            connections, answers = zip(*pool.map(lambda _: self.pour(make_pieces()), range(self.together)))
        for answer, count in Counter(answers).items():
            self.serve.expect(answer in REFUSALS, f"{what}: {count} were answered {answer}")
        return connections

    def submissions(self, name):
        number = f"{NUMBER}-{name}"
        webhook = webhook_card(self.image, number, self.unknown_secret, f"{number}-webhook")
        return {"raw": raw_card(self.image, number), "form": form_card(self.image, number), "webhook": webhook}

    def floods(self):
        """Header fields and bodies without an end, by name."""
        start, piece = b"GET /healthz HTTP/1.1\r\nHost: a\r\n", self.image[:64] + b"\x00" * (MIB - 64)
        chunked = self.submissions("TRAILERS")["raw"].head(self.token, CHUNKED)
        body = chunked + f"{len(self.image):x}\r\n".encode() + self.image + b"\r\n0\r\n"
        yield "a huge name", lambda: [start] + [b"X" * MIB] * 64
        yield "many trailers", lambda: [body] + [b"X-Flood: a\r\n" * 1000] * 1000
        if not self.proof.quick:
            # Ended by its pace alone, which takes ten seconds.
            yield "a huge extension", lambda: [chunked + b"1;"] + [b"a" * MIB] * 64
        requests = self.submissions("HUGE") | {"run": Request("POST", "/v1/runs", [("Content-Type", "application/json")])}
        for way, request in requests.items():
            request.body = request.body[: request.body.index(self.image[:64])] if way == "form" else b""
            told, asked = (request.head(self.token, LENGTH + more) for more in ("", "\r\nExpect: 100-continue"))
            yield f"{way} of 1 GB", lambda told=told: [told] + [piece] * 1024
            yield f"{way} of 1 GB, asked first", lambda asked=asked: [asked]
            yield f"{way} without end", lambda request=request: self.chunked(request, piece)

    def chunked(self, request, piece):
        yield request.head(self.token, CHUNKED)
        for each in [request.body] * bool(request.body) + [piece] * 1024:
            yield f"{len(each):x}\r\n".encode() + each + b"\r\n"

    def cut_off(self):
        """Bodies that end early, in order or by a reset."""
        for place in range(20 if self.proof.quick else 500):
            way, request = list(self.submissions(f"CUT-{place}").items())[place % 3]
            with self.serve.connect() as connection:
                connection.say(request.head(self.token) + request.body[: self.proof.random.randrange(1, len(request.body))])
                if way != "webhook":
                    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return []

    def unread(self):
        """Requests one behind the other, and the answers are not read."""
        connections = [self.serve.connect() for _ in range(self.together)]
        requests = Request("GET", "/openapi.json").bytes() * 1000
        taken = sum(connection.say(requests) for connection in connections)
        for connection in connections:
            while connection.say(requests):
                pass
        self.proof.expect(taken, "unread answers: hardly a request was taken, so that nothing was tried")
        return connections

    def attack(self, name, action):
        """One attack, to its end and beyond: what it held open the service has ended by itself."""
        answered, started = len(self.honest.answered), time.monotonic()
        connections = action()
        took = time.monotonic() - started
        self.honest.wait_for(2)
        if self.descriptors is not None:
            bound = self.descriptors + DESCRIPTORS
            self.serve.wait(lambda: self.open_files() <= bound, f"{bound} descriptors", self.open_files)
        self.proof.expect(self.serve.is_healthy(), f"{name}: the service does not say that it lives")
        for connection in connections:
            connection.close()
        peak = self.memory("VmHWM")
        if peak > self.level + MEMORY:
            self.serve.violated(f"{name}: {peak // MIB} MiB were resident, more than {MEMORY // MIB} beyond {self.level // MIB}")
        honest = [seconds for _, seconds in self.honest.answered[answered:]]
        words = f"{len(honest)} honest answers, {max(honest):.2f} s at most"
        self.serve.figure(name, f"{took:.0f} s; {self.memory() // MIB} MiB, {peak // MIB} at most; {words}")


def prove(proof):
    attacks = Attacks(proof)
    serve = attacks.serve
    for name, make_pieces in attacks.floods():
        attacks.attack(name, lambda name=name, make_pieces=make_pieces: attacks.flood(name, make_pieces))
    attacks.attack("bodies that end early", attacks.cut_off)
    webhook = webhook_card(attacks.image, f"{NUMBER}-TWICE", serve.secret, "twice")
    for field in webhook.fields(None)[1:3]:
        with serve.client() as client:
            answer = client.send(Request("POST", webhook.path, [*webhook.fields(None), field], webhook.body))
        proof.expect(answer.status == 401, f"a webhook with {field[0]} twice was answered {answer}")
    if not proof.quick:
        # Takes as long as the limits of the service.
        attacks.attack("unread answers", attacks.unread)
    attacks.honest.stop()
    errors = serve.said("internal_error")
    proof.expect(errors == 0, f"{errors} requests were answered 500 internal_error: see {serve.path}")
    theirs = [card["business_no"] for card in serve.listed().values() if card["business_no"].startswith(NUMBER)]
    proof.expect(not theirs, f"cards of hostile clients were admitted: {', '.join(sorted(theirs))}")
    serve.finish()

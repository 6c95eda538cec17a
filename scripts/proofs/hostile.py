"""Clients of `serve` that mean it ill: each attack is answered in its way, while honest clients go on as before.

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
# that nobody signed another one.
MEMORY = (352 + 64) * MIB
# Outbound connections, and readers of the database.
DESCRIPTORS = 16
# So many files a process may open that a shell or systemd starts without further words.
USUAL_DESCRIPTORS = 1024
HONEST = 2


def start_as_usual(serve):
    """Starts it with as many files as a service may usually open."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (USUAL_DESCRIPTORS, most))
    serve.start()
    # The proof itself may open as many as it can.
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Attacks:
    """What hostile clients do to one service. Each attack returns the connections it still holds, which the service must
    have ended."""

    def __init__(self, serve):
        self.serve, self.proof = serve, serve.proof
        self.together = 3 if self.proof.quick else 16
        self.image, self.token = jpeg(7, False), serve.new_token("stranger")
        self.unknown_secret = webhook_secret(self.proof.random)

    def all(self):
        """By name; the last one takes as long as the limits of the service, too long for the quick form."""
        attacks = {
            "header floods": self.header_floods, "1 GB bodies": self.huge_bodies, "bodies that end early": self.cut_off,
        }
        return attacks if self.proof.quick else attacks | {"answers nobody reads": self.unread}

    def pour(self, pieces):
        """Sends pieces over a connection of its own until there is an answer, or no more is taken."""
        connection, answer = self.serve.connect(), None
        for piece in pieces:
            if select.select([connection.socket], [], [], 0)[0] or not connection.say(piece):
                break
        with contextlib.suppress(NoAnswer):
            answer = connection.answer()
        if answer is not None and not answer.ends_connection:
            connection.close()
        return connection, answer

    def flood(self, what, pieces, *wanted):
        """From several clients at once, each of which sends what `pieces` makes."""
        with ThreadPoolExecutor(self.together) as pool:
            connections, answers = zip(*pool.map(lambda _: self.pour(pieces()), range(self.together)))
        found = Counter("no answer" if answer is None else repr(answer) for answer in answers)
        for answer in found.keys() - set(wanted):
            self.serve.violated(f"{what}: {found[answer]} were answered {answer}, not {' or '.join(wanted)}")
        return connections

    def submissions(self, name, secret=None):
        number = f"{NUMBER}-{name}"
        return {
            "raw": raw_card(self.image, number),
            "form": form_card(self.image, number),
            "webhook": webhook_card(self.image, number, secret or self.serve.secret, f"{number}-webhook"),
        }

    def endless(self, request, framing):
        """The head of a request whose body has no end, or a far one."""
        return request.head(self.token, length=False)[:-2] + framing + b"\r\n\r\n"

    def unread(self):
        """Requests one behind the other, and nobody reads the answers."""
        connections = [self.serve.connect() for _ in range(self.together)]
        requests = Request("GET", "/openapi.json").bytes() * 1000
        taken = sum(connection.say(requests) for connection in connections)
        for connection in connections:
            while connection.say(requests):
                pass
        self.proof.expect(taken, "answers nobody reads: hardly a request was taken, so that nothing was tried")
        return connections

    def header_floods(self):
        """What stands where no test of the service sends a flood."""
        start, large = b"GET /healthz HTTP/1.1\r\nHost: a\r\n", "431 header_too_large"
        chunked = self.endless(self.submissions("TRAILERS")["raw"], b"Transfer-Encoding: chunked")
        body = chunked + f"{len(self.image):x}\r\n".encode() + self.image + b"\r\n0\r\n"
        floods = [
            ("a huge name", [start] + [b"X" * MIB] * 64, large),
            ("many trailers", [body] + [b"X-Flood: a\r\n" * 1000] * 1000, "400 body_truncated", large),
            # Ended by its pace alone, which takes ten seconds.
            ("a huge extension", [chunked + b"1;"] + [b"a" * MIB] * 64, "400 body_truncated", "408 body_timeout", large),
        ][: 2 if self.proof.quick else 3]
        return [each for what, pieces, *wanted in floods for each in self.flood(what, lambda pieces=pieces: pieces, *wanted)]

    def huge_bodies(self):
        """A gigabyte, with its length told and without, signed by nobody the service knows."""
        length, piece = b"Content-Length: 1073741824", self.image[:64] + b"\x00" * (MIB - 64)
        large, connections = "413 body_too_large", []
        for way, request in self.submissions("HUGE", self.unknown_secret).items():
            request.body = request.body[: request.body.index(self.image[:64])] if way == "form" else b""
            told, asked = self.endless(request, length), self.endless(request, length + b"\r\nExpect: 100-continue")
            connections += self.flood(f"{way}, told", lambda told=told: [told] + [piece] * 1024, large)
            connections += self.flood(f"{way}, asked first", lambda asked=asked: [asked], large)
            wanted = (large, "413 image_too_large_bytes", "503 busy")
            connections += self.flood(f"{way}, not told", lambda request=request: self.chunked(request, piece), *wanted)
        run = Request("POST", "/v1/runs", [("Content-Type", "application/json")])
        return connections + list(self.flood("a run, not told", lambda: self.chunked(run, piece), large))

    def chunked(self, request, piece):
        yield self.endless(request, b"Transfer-Encoding: chunked")
        for each in [request.body] * bool(request.body) + [piece] * 1024:
            yield f"{len(each):x}\r\n".encode() + each + b"\r\n"

    def cut_off(self):
        """Bodies that end early: webhooks, whose end is told, and the others by a reset."""
        for place in range(20 if self.proof.quick else 500):
            way, request = list(self.submissions(f"CUT-{place}").items())[place % 3]
            with self.serve.connect() as connection:
                connection.say(request.head(self.token) + request.body[: self.proof.random.randrange(1, len(request.body))])
                if way == "webhook":
                    connection.socket.shutdown(socket.SHUT_WR)
                    answer = repr(connection.answer())
                    self.proof.expect(answer == "400 body_truncated", f"a webhook that ended early was answered {answer}")
                else:
                    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return []


class Siege:
    """A service among hostile clients, while honest ones go on."""

    def __init__(self, proof):
        self.proof, self.serve = proof, Serve(proof, "hostile")
        self.attacks = Attacks(self.serve).all()
        start_as_usual(self.serve)
        self.honest = Clients(self.serve, count=HONEST, insists=False, pause=0.25)
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

    def attack(self, name, action):
        """One attack, to its end and beyond: what it held open the service has ended by itself."""
        self.honest.longest, answers, started = 0.0, self.honest.answers, time.monotonic()
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
        honest = f"{self.honest.answers - answers} honest answers, {self.honest.longest:.2f} s at most"
        self.serve.figure(name, f"{took:.0f} s; {self.memory() // MIB} MiB, {peak // MIB} at most; {honest}")

    def end(self):
        """Nothing of the hostile clients was taken."""
        self.honest.stop()
        errors = self.serve.said("internal_error")
        self.proof.expect(errors == 0, f"{errors} requests were answered 500 internal_error: see {self.serve.path}")
        theirs = [card["business_no"] for card in self.serve.listed().values() if card["business_no"].startswith(NUMBER)]
        self.proof.expect(not theirs, f"cards of hostile clients were taken in: {', '.join(sorted(theirs))}")
        self.serve.finish()


def prove(proof):
    siege = Siege(proof)
    pid = siege.serve.process.pid
    for name, action in siege.attacks.items():
        siege.attack(name, action)
    proof.expect(siege.serve.process.pid == pid and siege.serve.is_alive, "the service did not survive")
    siege.end()

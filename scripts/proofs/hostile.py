"""Clients of `serve` that mean it ill: each attack is answered in its way, while honest clients go on as before.

Watched meanwhile: the memory of the service, its descriptors, how long honest clients wait, and that it lives.
"""

import contextlib
import os
import resource
import selectors
import socket
import struct
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from proofs.cards import jpeg
from proofs.served import Clients, Serve
from proofs.service_client import NoAnswer, Request, form_card, raw_card, webhook_card, webhook_secret
from proofs.tool import HANG_SECONDS

MIB = 1 << 20
# By this every business number of theirs begins.
NUMBER = "HOSTILE"
# How far the resident memory may go beyond what it was before the first attack: the bodies in memory have a bound, those
# that nobody signed another one.
MEMORY = (352 + 64) * MIB
# Connections that are served at a time (its Limits), outbound ones and readers of the database beside them.
CONNECTIONS, DESCRIPTORS = 512, 16
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


def answer_of(connection):
    """The answer; None if the connection ends without one."""
    try:
        return connection.answer()
    except NoAnswer:
        return None


def pour(connection, pieces, listens=True):
    """Sends pieces until there is an answer (if it is listened for) or nobody takes more; returns how many bytes."""
    count = 0
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ)
        for piece in pieces:
            if (listens and selector.select(0)) or not connection.say(piece):
                break
            count += len(piece)
    return count


class Crowd:
    """Many connections at once that say a little now and then, and what each was answered."""

    def __init__(self, serve, openings):
        self.selector, self.answers = selectors.DefaultSelector(), []
        self.connections = [serve.connect() for _ in openings]
        self.waiting = set(self.connections)
        for connection, opening in zip(self.connections, openings):
            self.selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.say(opening)

    def wait(self, is_enough, drip=b""):
        """Until it is enough; a byte now and then to each that waits for its answer."""
        end, dripped = time.monotonic() + HANG_SECONDS, time.monotonic()
        while not is_enough(self) and time.monotonic() < end:
            for key, _ in self.selector.select(0.05):
                self.selector.unregister(key.fileobj)
                self.waiting.discard(key.data)
                self.answers.append(answer_of(key.data))
            if drip and time.monotonic() - dripped > 0.3:
                dripped = time.monotonic()
                for connection in self.waiting:
                    connection.say(drip)


class Attacks:
    """What hostile clients do to one service. Each attack returns the connections it still holds, which the service must
    have ended, and in words what was answered."""

    def __init__(self, serve):
        self.serve, self.proof = serve, serve.proof
        self.together = 3 if self.proof.quick else 16
        self.image, self.token = jpeg(7, False), serve.new_token("stranger")
        self.unknown_secret = webhook_secret(self.proof.random)

    def all(self):
        """By name; the slow ones take as long as the limits of the service, too long for the quick form."""
        attacks = {
            "idle": self.idle, "header floods": self.header_floods, "1 GB bodies": self.huge_bodies,
            "bodies that end early": self.truncated,
        }
        return attacks if self.proof.quick else attacks | {"slow": self.slow, "answers nobody reads": self.unread}

    def expect(self, what, answers, *wanted):
        found = Counter("no answer" if answer is None else repr(answer) for answer in answers)
        for answer in found.keys() - set(wanted):
            self.serve.violated(f"{what}: {found[answer]} were answered {answer}, not {' or '.join(wanted)}")
        return ", ".join(f"{count} × {answer}" for answer, count in sorted(found.items()))

    def flood(self, pieces):
        connection = self.serve.connect()
        pour(connection, pieces() if callable(pieces) else pieces)
        answer = answer_of(connection)
        if answer is not None and not answer.ends_connection:
            # It may go on; nobody wants it to.
            connection.close()
        return connection, answer

    def floods(self, table):
        """Each of the same from several clients at once."""
        connections = []
        for what, pieces, *wanted in table:
            with ThreadPoolExecutor(self.together) as pool:
                some, answers = zip(*pool.map(self.flood, [pieces] * self.together))
            self.expect(what, answers, *wanted)
            connections += some
        return connections, f"{len(table)} kinds"

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

    def slow(self):
        """Half of them never come to the end of a head, half to that of a body."""
        requests = list(self.submissions("SLOW").values())
        heads = [b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ", b"GET /", requests[0].head(self.token)[:-2] + b"X-Slow"]
        bodies = [request.head(self.token) + request.body[:100] for request in requests]
        crowd = Crowd(self.serve, [(heads, bodies)[place % 2][place // 2 % 3] for place in range(CONNECTIONS - 12)])
        crowd.wait(lambda crowd: not crowd.waiting, drip=b"a")
        self.proof.expect(not crowd.waiting, f"{len(crowd.waiting)} slow connections were never ended")
        return crowd.connections, self.expect("slow connections", crowd.answers, "408 head_timeout", "408 body_timeout")

    def idle(self):
        """More connections than there may be; the oldest give way, those that are left are served."""
        crowd = Crowd(self.serve, [b""] * (CONNECTIONS + 88))
        crowd.wait(lambda crowd: len(crowd.waiting) <= CONNECTIONS)
        words = self.expect("idle connections", crowd.answers, "no answer")
        if len(crowd.waiting) > CONNECTIONS or not crowd.answers:
            self.serve.violated(f"{len(crowd.waiting)} idle connections are open, {len(crowd.answers)} gave way")
        # The newest of them.
        connection = next(each for each in reversed(crowd.connections) if each in crowd.waiting)
        crowd.waiting.discard(connection)
        connection.say(Request("GET", "/healthz").bytes())
        self.expect("a connection within the limit", [answer_of(connection)], "200")
        # They may stay idle for a while longer; they go by themselves.
        for each in crowd.connections:
            each.close()
        return [], words

    def unread(self):
        """Requests one behind the other, and nobody reads the answers."""
        connections = [self.serve.connect() for _ in range(self.together)]
        request = Request("GET", "/openapi.json").bytes()
        taken = sum(pour(each, (request * 1000 for _ in range(1000)), listens=False) for each in connections)
        self.proof.expect(taken > len(request), "answers nobody reads: hardly a request was taken, so that nothing was tried")
        return connections, f"{taken // 1000} kB taken"

    def header_floods(self):
        """What stands where no test of the service sends a flood."""
        start = b"GET /healthz HTTP/1.1\r\nHost: a\r\n"
        chunked = self.endless(self.submissions("TRAILERS")["raw"], b"Transfer-Encoding: chunked")
        body = f"{len(self.image):x}\r\n".encode() + self.image + b"\r\n0\r\n"
        large = "431 header_too_large"
        # Ended by its pace alone, which takes ten seconds.
        slow = [("a huge extension", [chunked + b"1;"] + [b"a" * MIB] * 64, "400 body_truncated", "408 body_timeout", large)]
        return self.floods(([] if self.proof.quick else slow) + [
            ("a huge name", [start] + [b"X" * MIB] * 64, large),
            ("many trailers", [chunked + body] + [b"X-Flood: a\r\n" * 1000] * 1000, "400 body_truncated", large),
        ])

    def huge_bodies(self):
        """A gigabyte, with its length told and without, signed by nobody the service knows."""
        length = b"Content-Length: 1073741824"
        piece = self.image[:64] + b"\x00" * (MIB - 64)
        large = ("413 body_too_large", "413 image_too_large_bytes", "503 busy")
        table = []
        for way, request in self.submissions("HUGE", self.unknown_secret).items():
            request.body = request.body[: request.body.index(self.image[:64])] if way == "form" else b""
            table.append((f"{way}, told", [self.endless(request, length)] + [piece] * 1024, "413 body_too_large"))
            asked = self.endless(request, length + b"\r\nExpect: 100-continue")
            table.append((f"{way}, asked first", [asked], "413 body_too_large"))
            table.append((f"{way}, not told", lambda request=request: self.chunked(request, piece), *large))
        run = Request("POST", "/v1/runs", [("Content-Type", "application/json")])
        table.append(("a run, not told", lambda: self.chunked(run, piece), "413 body_too_large"))
        return self.floods(table)

    def chunked(self, request, piece):
        yield self.endless(request, b"Transfer-Encoding: chunked")
        if request.body:
            yield f"{len(request.body):x}\r\n".encode() + request.body + b"\r\n"
        for _ in range(1024):
            yield f"{len(piece):x}\r\n".encode() + piece + b"\r\n"

    def truncated(self):
        """Requests that end early, in the way of a phone in a tunnel and in that of a crash."""
        answers = []
        for place in range(20 if self.proof.quick else 500):
            request = list(self.submissions(f"CUT-{place}").values())[place % 3]
            kept = request.head(self.token) + request.body[: self.proof.random.randrange(1, len(request.body))]
            with self.serve.connect() as connection:
                connection.say(kept)
                if place % 4 < 2:
                    # Unless it was answered and ended already.
                    with contextlib.suppress(OSError):
                        connection.socket.shutdown(socket.SHUT_WR)
                    answers.append(answer_of(connection))
                elif place % 4 == 2:
                    # The connection is reset.
                    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return [], self.expect("bodies that end early", answers, "400 body_truncated")


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
        connections, words = action()
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
        self.serve.figure(name, f"{words} ({took:.0f} s); {self.memory() // MIB} MiB, {peak // MIB} at most; {honest}")

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

"""Clients of `serve` that mean it ill, and what they must be answered."""

import selectors
import socket
import struct
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from proofs.cards import jpeg
from proofs.service import NoAnswer, Request, form, form_card, form_part, raw_card, webhook_card, webhook_secret
from proofs.tool import HANG_SECONDS

MIB = 1 << 20
GIB = 1 << 30
# By this every business number of theirs begins.
NUMBER = "HOSTILE"


class Crowd:
    """Many connections at once that say a little now and then, and what each was answered."""

    def __init__(self, serve, openings):
        self.selector = selectors.DefaultSelector()
        self.connections = []
        self.waiting = set()
        self.answers = []
        for opening in openings:
            connection = serve.connect()
            self.connections.append(connection)
            self.waiting.add(connection)
            self.selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.say(opening)

    def wait(self, is_enough, drip=b""):
        """Until it is enough; a byte now and then to each that waits for its answer."""
        end = time.monotonic() + HANG_SECONDS
        dripped = time.monotonic()
        while not is_enough(self) and time.monotonic() < end:
            for key, _ in self.selector.select(0.05):
                self.selector.unregister(key.fileobj)
                self.waiting.discard(key.data)
                self.answers.append(answer_of(key.data))
            if drip and time.monotonic() - dripped > 0.3:
                dripped = time.monotonic()
                for connection in self.waiting:
                    connection.say(drip)

    def close(self):
        self.selector.close()
        for connection in self.connections:
            connection.close()


def answer_of(connection):
    """The answer; None if the connection ends without one."""
    try:
        return connection.answer()
    except NoAnswer:
        return None


def tally(answers):
    """How often there was which answer."""
    return Counter("no answer" if answer is None else repr(answer) for answer in answers)


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


def chunks(piece, total):
    """The chunks of a body of so many bytes, without its end."""
    chunk = f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
    return (chunk for _ in range(total // len(piece)))


class Hostile:
    """All that hostile clients do to one service. Each attack returns the connections that it still holds, which the
    service must have ended, and what its clients were answered in words."""

    def __init__(self, proof, serve, token, secret, limits):
        self.proof, self.serve, self.token, self.secret, self.limits = proof, serve, token, secret, limits
        self.image = jpeg(7, False)
        # Signed by nobody the service knows.
        self.unknown_secret = webhook_secret(proof.random)

    def together(self, action):
        """What an action returns that several do at once, each with its number."""
        with ThreadPoolExecutor(self.limits.together) as pool:
            return list(pool.map(action, range(self.limits.together)))

    def expect(self, what, answers, *wanted):
        """All answers are among those wanted; returns them in words."""
        found = tally(answers)
        for answer in found.keys() - set(wanted):
            self.proof.violated(f"{what}: {found[answer]} were answered {answer}, not {' or '.join(wanted)}")
        return ", ".join(f"{count} × {answer}" for answer, count in sorted(found.items()))

    def send(self, pieces):
        """Sends pieces over a connection of their own; returns it and the answer. If that says that the connection ends,
        it is left to the service to end it."""
        connection = self.serve.connect()
        pour(connection, pieces)
        answer = answer_of(connection)
        if answer is not None and not answer.ends_connection:
            # It may go on; nobody wants it to.
            connection.close()
        return connection, answer

    def endless(self, request, framing):
        """The head of a request whose body has no end, or a far one."""
        return request.head(self.token, length=False)[:-2] + framing + b"\r\n\r\n"

    def submissions(self, name, secret=None):
        """A card in each way there is."""
        number = f"{NUMBER}-{name}"
        return {
            "raw": raw_card(self.image, number),
            "form": form_card(self.image, number),
            "webhook": webhook_card(self.image, number, secret or self.secret, f"{number}-webhook"),
        }

    # Slowness and numbers

    def slow(self):
        """Half of them never come to the end of a head, half to that of a body."""
        requests = list(self.submissions("SLOW").values())
        half = requests[0].head(self.token)[:-2]
        heads = [b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ", b"GET /", half + b"X-Slow"]
        bodies = [request.head(self.token) + request.body[:100] for request in requests]
        count = self.limits.slow
        openings = [(heads, bodies)[place % 2][place // 2 % 3] for place in range(count)]
        crowd = Crowd(self.serve, openings)
        crowd.wait(lambda crowd: not crowd.waiting, drip=b"a")
        if crowd.waiting:
            self.proof.violated(f"{len(crowd.waiting)} slow connections were never ended")
        words = self.expect("slow connections", crowd.answers, "408 head_timeout", "408 body_timeout")
        if tally(crowd.answers)["408 head_timeout"] != count - count // 2:
            self.proof.violated(f"half of {count} connections had slow heads, but they were answered {words}")
        return crowd.connections, words

    def idle(self, others):
        """More connections than there may be, beside those of others; the ones within are served."""
        count, limit = self.limits.idle, self.limits.connections
        crowd = Crowd(self.serve, [b""] * count)
        crowd.wait(lambda crowd: len(crowd.waiting) <= limit)
        refused = [answer for answer in crowd.answers if answer is not None]
        words = self.expect("idle connections", refused, "503 connections_exhausted")
        if len(crowd.waiting) > limit:
            self.proof.violated(f"{len(crowd.waiting)} idle connections are open at a limit of {limit}")
        if not refused or len(refused) > count - limit + others:
            self.proof.violated(f"{len(refused)} of {count} idle connections were refused at a limit of {limit}")
        if any(answer.retry_after is None for answer in refused):
            self.proof.violated("a connection was refused without Retry-After")
        within = None
        while crowd.waiting and within is None:
            # One whose time was just over ends without an answer.
            connection = crowd.waiting.pop()
            connection.say(Request("GET", "/healthz").bytes())
            within = answer_of(connection)
        if within is None or within.status != 200:
            self.proof.violated(f"a connection within the limit was answered {within!r}")
        # They may stay idle for a while longer; they go by themselves.
        crowd.close()
        return [], f"{count} connections: {words}"

    def unread_answers(self):
        """Requests one behind the other, and nobody reads the answers."""

        def attack(_):
            connection = self.serve.connect()
            request = Request("GET", "/openapi.json").bytes()
            return connection, pour(connection, (request * 1000 for _ in range(1000)), listens=False)

        results = self.together(attack)
        return [connection for connection, _ in results], f"{sum(count for _, count in results) // 1000} kB taken"

    # Heads

    def header_floods(self):
        start = b"GET /healthz HTTP/1.1\r\nHost: a\r\n"
        floods = {
            "many fields": [start] + [b"X-Flood: a\r\n" * 1000] * 1000,
            "fields one too many": [start + b"X-Flood: a\r\n" * 150 + b"\r\n"],
            "a huge field": [start + b"X-Flood: "] + [b"a" * MIB] * 64,
            "a huge name": [start] + [b"X" * MIB] * 64,
            "a huge target": [b"GET /"] + [b"a" * MIB] * 64,
        }
        words = [self.flood(name, pieces, "431 header_too_large") for name, pieces in floods.items()]
        head = self.endless(self.submissions("TRAILERS")["raw"], b"Transfer-Encoding: chunked")
        body = f"{len(self.image):x}\r\n".encode() + self.image + b"\r\n0\r\n"
        trailers = [head + body] + [b"X-Flood: a\r\n" * 1000] * 1000
        words.append(self.flood("many trailers", trailers, "400 body_truncated", "431 header_too_large"))
        extension = [head + b"1;" + b"a" * MIB] + [b"a" * MIB] * 64
        wanted = ("400 body_truncated", "408 body_timeout", "431 header_too_large")
        words.append(self.flood("a huge chunk extension", extension, *wanted))
        return self.held(words)

    def flood(self, name, pieces, *wanted):
        """One flood from several clients at once: the connections, and what they were answered."""
        results = self.together(lambda _: self.send(pieces))
        answers = [answer for _, answer in results]
        return [connection for connection, _ in results], f"{name}: {self.expect(name, answers, *wanted)}"

    @staticmethod
    def held(floods):
        connections = [connection for some, _ in floods for connection in some]
        return connections, "; ".join(words for _, words in floods)

    # Forms

    def forms(self):
        parts = 10_000
        many = {
            "the same field": (form([form_part("user_no", b"1")] * parts), "422 field_duplicate"),
            "unknown fields": (form([form_part(f"f-{place}", b"1") for place in range(parts)]), "422 field_unknown"),
            "parts without names": (form([(b"Content-Type: text/plain", b"1")] * parts), "400 form_malformed"),
            "many images": (form([form_part("image", self.image[:60], "a")] * parts), "422 field_duplicate"),
            "many header lines": (form([(b"X-Flood: a\r\n" * parts + b"X: a", b"1")]), "413 form_too_large"),
            "a huge text": (form([form_part("user_no", b"1" * MIB)]), "422 field_invalid"),
            "a huge boundary": (self.bounded("b" * 10_000), "400 form_malformed"),
        }
        floods = [self.flood(name, [request.bytes(self.token)], wanted) for name, (request, wanted) in many.items()]
        request = form([form_part("user_no", b"1")])
        request.body = b"flood\r\n" * (MIB // 7) + request.body
        floods.append(self.flood("a huge preamble", [request.bytes(self.token)], "413 form_too_large"))
        return self.held(floods)

    @staticmethod
    def bounded(boundary):
        content_type = ("Content-Type", f"multipart/form-data; boundary={boundary}")
        return Request("POST", "/v1/cards", [content_type], f"--{boundary}--\r\n".encode())

    # Bodies

    def huge_bodies(self):
        """A gigabyte, with its length told and without."""
        length = f"Content-Length: {GIB}".encode()
        piece = self.image[:64] + b"\x00" * (MIB - 64)
        floods = []
        for way, request in self.submissions("HUGE").items():
            if way == "form":
                request.body = request.body[: request.body.index(self.image[:64])]
            else:
                request.body = b""
            told = self.endless(request, length)
            floods.append(self.flood(f"{way}, told", [told] + [piece] * 1024, "413 body_too_large"))
            asked = self.endless(request, length + b"\r\nExpect: 100-continue")
            floods.append(self.flood(f"{way}, asked first", [asked], "413 body_too_large"))
            if way != "webhook":
                endless = self.chunked(request, piece)
                wanted = ("413 body_too_large", "413 image_too_large_bytes")
                floods.append(self.flood(f"{way}, not told", endless, *wanted))
        run = Request("POST", "/v1/runs", [("Content-Type", "application/json")])
        floods.append(self.flood("a run, told", [self.endless(run, length)] + [piece] * 1024, "413 body_too_large"))
        floods.append(self.flood("a run, not told", self.chunked(run, piece), "413 body_too_large"))
        floods.append(self.deaf(piece))
        get = Request("GET", "/healthz")
        floods.append(self.flood("a question", [self.endless(get, length)] + [piece] * 1024, "200"))
        return self.held(floods)

    def chunked(self, request, piece):
        start = self.endless(request, b"Transfer-Encoding: chunked")
        if request.body:
            start += f"{len(request.body):x}\r\n".encode() + request.body + b"\r\n"
        return [start, *chunks(piece, GIB)]

    def huge_webhooks(self):
        """A gigabyte each, which nobody has signed; kept in memory until that is known."""
        request = self.submissions("HUGE", self.unknown_secret)["webhook"]
        request.body = b""
        wanted = ("413 body_too_large", "503 busy")
        return self.held([self.flood("webhooks, not told", self.chunked(request, b"a" * MIB), *wanted)])

    def deaf(self, piece):
        """Those that go on whatever they are answered are cut off."""

        def attack(_):
            connection = self.serve.connect()
            request = self.submissions("DEAF")["raw"]
            request.body = b""
            count = pour(connection, self.chunked(request, piece), listens=False)
            if not connection.wait_for_end():
                self.proof.violated("a client that sends a gigabyte without listening is not cut off")
            return connection, count

        results = self.together(attack)
        words = f"whatever the answer: {sum(count for _, count in results) // MIB} MiB until the connections ended"
        return [connection for connection, _ in results], words

    # Ends and lengths

    def truncated(self):
        """Requests that end early, in the way of a phone in a tunnel and in that of a crash."""

        def attack(number):
            answers = []
            requests = list(self.submissions(f"CUT-{number}").values())
            for place in range(self.limits.truncated):
                request = requests[place % len(requests)]
                head = request.head(self.token)
                # Every tenth in its head.
                kept = head[: len(head) // 2] if place % 10 == 9 else head + request.body[: cuts[number][place]]
                answers.append((len(kept) < len(head), self.cut_off(kept, place % 4)))
            return answers

        body = min(len(request.body) for request in self.submissions("CUT-0").values())
        count = self.limits.truncated
        cuts = [[self.proof.random.randrange(1, body) for _ in range(count)] for _ in range(self.limits.together)]
        results = [result for some in self.together(attack) for result in some]
        told = [answer for is_head, (is_told, answer) in results if is_told and not is_head]
        untold = [answer for is_head, (is_told, answer) in results if is_told and is_head]
        self.expect("heads that end early", untold, "no answer")
        words = self.expect("bodies that end early", told, "400 body_truncated")
        return [], f"{len(results)}; of those that listened {words}"

    def cut_off(self, data, way):
        """Sends bytes, then ends in one of four ways: whether an answer can be read, and which it is."""
        with self.serve.connect() as connection:
            connection.say(data)
            if way < 2:
                connection.half_close()
                return True, answer_of(connection)
            if way == 2:
                # The connection is reset.
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False, None

    def wrong_lengths(self):
        """Lengths that are no lengths, or not those of the body."""
        malformed = {
            "negative": b"Content-Length: -1",
            "two different": b"Content-Length: 5\r\nContent-Length: 6",
            "a list": b"Content-Length: 5, 6",
            "with a sign": b"Content-Length: +5",
            "hexadecimal": b"Content-Length: 0x10",
            "no number": b"Content-Length: many",
            "empty": b"Content-Length:",
            "beyond all numbers": b"Content-Length: 99999999999999999999999",
            "a length and chunks": b"Content-Length: 5\r\nTransfer-Encoding: chunked",
            "a coding that is none": b"Transfer-Encoding: identical",
            "chunks within another coding": b"Transfer-Encoding: chunked, gzip",
        }
        chunks = {
            "garbage": b"zz\r\n",
            "too short": b"5\r\nabcdefgh",
            "negative": b"-1\r\n",
            "beyond all numbers": b"ffffffffffffffffff\r\n",
            "no size": b"\r\n\r\n",
        }
        connections = []
        for request in self.submissions("LENGTH").values():
            for name, framing in malformed.items():
                # What is wrong with a coding is seen after its head.
                wanted = ("400 request_malformed", "400 body_truncated")[: 1 + framing.startswith(b"Transfer")]
                connections.append(self.one(name, self.endless(request, framing) + b"0\r\n\r\n", *wanted))
            start = self.endless(request, b"Transfer-Encoding: chunked")
            for name, body in chunks.items():
                connections.append(self.one(f"chunks: {name}", start + body, "400 body_truncated"))
        connections += self.longer_than_the_body() + self.shorter_than_the_body()
        return connections, f"{len(connections)} answered as what they are"

    def one(self, name, data, *wanted):
        """One connection that sends bytes and is answered as wanted."""
        connection, answer = self.send([data])
        self.expect(name, [answer], *wanted)
        return connection

    def longer_than_the_body(self):
        """The rest is waited for as long as a body may stand still."""
        connections = []
        for request in self.submissions("LONG").values():
            length = f"Content-Length: {len(request.body) + 100}".encode()
            connections.append(self.serve.connect())
            connections[-1].say(self.endless(request, length) + request.body)
        self.expect("lengths that are too long", [answer_of(one) for one in connections], "408 body_timeout")
        return connections

    def shorter_than_the_body(self):
        """What is too much is no request; the connection ends, after the answer to the one before."""
        connections = []
        for way, request in self.submissions("SHORT").items():
            length = f"Content-Length: {len(request.body) - 50}".encode()
            connection = self.serve.connect()
            connection.say(self.endless(request, length) + request.body)
            answer = answer_of(connection)
            # An image that ends early is found out when it is decoded.
            wanted = {"raw": "202", "form": "400 form_malformed", "webhook": "401 signature_invalid"}[way]
            self.expect(f"lengths that are too short, {way}", [answer], wanted)
            if way == "raw":
                rest = [answer_of(connection)]
                wanted = ("no answer", "400 request_malformed")
                self.expect("what follows a body that was longer than told", rest, *wanted)
            connections.append(connection)
        return connections

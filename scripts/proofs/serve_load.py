"""scripts/measure-serve: submissions per second that `serve` makes durable, beside the same server only reading."""

import hashlib
import io
import itertools
import json
import multiprocessing
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import time

from proofs.cards import jpeg
from proofs.proof import Proof, Violation
from proofs.service import Serve, Webhook, raw_card, webhook_secret
from proofs.tool import HANG_SECONDS, Sandbox

DESCRIPTION = """\
Submits JPEGs of a stated size to `serve` on loopback over 1, 8 and 32 connections at once, each from a process of its
own, and prints answers per second, the median and the 99th percentile of the time to an answer, and the processor time
of both sides, and of everybody else on the machine, who should have none. The kinds of request take turns; figures are
medians of the rounds, with the lowest and the highest.

  accepted    POST /v1/cards with the bare image; image, business number and Idempotency-Key are new each time: 202
              after the commit.
  repeated    the same, but each connection repeats its first request: the body is read, hashed and spooled as above,
              then answered from the receipt with 202. Nothing is stored.
  only read   the same image as the body of a webhook with a good signature: read whole into memory, then 422, as it is
              no JSON. No token, no spool, no encryption, no store. Of the requests of any size that are read whole and
              do not end the connection it is the one that does least. Beside the reading it makes one SHA-256 of the
              body, as accepting does; what that costs is printed, and a ratio as if it cost nothing.
  bare write  a write of the same size to the disk of the sandbox and its fsync, one after the other, nothing else.

The pipeline behind `serve` stands still meanwhile: the one decoder that it may have is stopped at its first image. What
the rules do about each new card goes on, and so do the checkpoints of the database; each measurement begins when they
have come to rest, and what they still do after it counts as processor time of the service. At the end `serve` is killed
(SIGKILL), and as many cards as were accepted must be in the sandbox; nothing else is judged."""

CONCURRENCIES = (1, 8, 32)
# The length of what makes a request another one than that before it.
NAME_LENGTH = 16
# How long the service must have done nothing to have come to rest.
REST_SECONDS = 0.1
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
CORES = len(os.sched_getaffinity(0))

forking = multiprocessing.get_context("fork")


def options(parser):
    parser.add_argument(
        "--sizes", type=int, nargs="+", metavar="BYTES", help="of a body (default: 200000 1000000; with --quick 200000)"
    )
    parser.add_argument("--rounds", type=int, help="how many rounds (default: 5; with --quick 2)")
    parser.add_argument("--seconds", type=float, help="how long each measurement takes (default: 2; with --quick 0.3)")


class Picture:
    """A photo of exactly so many bytes with a name in its comment; what it lacks is filled up behind its end."""

    def __init__(self, size):
        self.rest = jpeg(1, False)[2:]
        self.rest += random.Random(size).randbytes(size - len(self.bytes("0" * NAME_LENGTH)))

    def bytes(self, name):
        return b"\xff\xd8\xff\xfe" + (2 + NAME_LENGTH).to_bytes(2, "big") + name.encode() + self.rest


class Kind:
    """A kind of request: how one is made under a name, and how the answer to it begins and what it says."""

    def __init__(self, title, make, status, words, is_new_each_time=False, stores=0):
        self.title, self.make, self.words = title, make, words
        self.begins = f"HTTP/1.1 {status} ".encode()
        self.is_new_each_time = is_new_each_time
        # How many cards the first request of each connection stores.
        self.stores = stores

    def fits(self, answer):
        return answer.startswith(self.begins) and self.words in answer.lower()


def kinds_of(picture, token, secret):
    """What takes turns."""

    def card(name):
        return raw_card(picture.bytes(name), f"LOAD-{name}", key=name).bytes(token)

    def message(name):
        webhook = Webhook({}, secret, name)
        webhook.body = picture.bytes(name)
        return webhook.bytes()

    return [
        Kind("accepted", card, 202, b'"duplicate":false', is_new_each_time=True, stores=1),
        Kind("repeated", card, 202, b"idempotent-replayed: true", stores=1),
        Kind("only read", message, 422, b'"json_invalid"'),
    ]


class OneClient:
    """The process of one connection: it sends, waits for the answer, sends again. Everything is made beforehand but the
    few bytes that differ."""

    def __init__(self, kind, address, prefix, seconds, start):
        self.kind, self.address, self.prefix, self.seconds, self.start = kind, address, prefix, seconds, start
        self.results, self.end = forking.Pipe(duplex=False)
        self.process = forking.Process(target=self._run, daemon=True)
        self.process.start()

    def result(self):
        """What the process says next. Throws Violation if that is not what it should."""
        said = self.results.recv() if self.results.poll(HANG_SECONDS) else "no answer came"
        if isinstance(said, str):
            raise Violation(f"{self.kind.title}: {said}")
        return said

    def _run(self):
        try:
            self._exchange()
        except (OSError, ValueError) as error:
            self.end.send(str(error) or error.__class__.__name__)

    def _exchange(self):
        name = f"{self.prefix}{0:08x}"
        request = bytearray(self.kind.make(name))
        places = [match.start() for match in re.finditer(name.encode(), request)] if self.kind.is_new_each_time else []
        with socket.create_connection(self.address) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Not counted: it finds a new connection, and stores what is to be repeated.
            connection.sendall(request)
            self._answer(connection)
            self.end.send([])
            self.start.wait()
            began, processor = time.monotonic(), time.process_time()
            now, times = began, []
            for number in itertools.count(1):
                if now >= began + self.seconds:
                    break
                fresh = f"{self.prefix}{number:08x}".encode()
                for place in places:
                    request[place : place + NAME_LENGTH] = fresh
                sent = time.monotonic()
                connection.sendall(request)
                answer = self._answer(connection)
                now = time.monotonic()
                times.append(now - sent)
                if not self.kind.fits(answer):
                    raise ValueError(f"an answer that is not meant: {answer[:600]!r}")
            self.end.send((times, now - began, time.process_time() - processor))

    @staticmethod
    def _answer(connection):
        """The bytes of the next answer."""
        answer = b""
        while True:
            piece = connection.recv(1 << 16)
            if not piece:
                raise ValueError(f"the connection ended after {answer[:600]!r}")
            answer += piece
            head, end, body = answer.partition(b"\r\n\r\n")
            if end and len(body) >= int(re.search(rb"(?i)\r\ncontent-length: (\d+)", head)[1]):
                return answer


class Measurement:
    """One kind of request for a while, over so many connections at once."""

    def __init__(self, serve, kind, connections, number, seconds):
        start = forking.Event()
        clients = [
            OneClient(kind, serve.address, f"{number:05x}{index:03x}", seconds, start) for index in range(connections)
        ]
        try:
            for client in clients:
                client.result()
            wait_for_rest(serve)
            before, before_all, began = processor_seconds(serve), busy_seconds(), time.monotonic()
            start.set()
            results = [client.result() for client in clients]
            at_end, at_end_all, ended = processor_seconds(serve), busy_seconds(), time.monotonic()
            wait_for_rest(serve)
            after = processor_seconds(serve)
        finally:
            for client in clients:
                client.process.terminate()
                client.process.join()
        times = sorted(moment for result in results for moment in result[0])
        self.stored = kind.stores * connections + (len(times) if kind.is_new_each_time else 0)
        self.rate = sum(len(result[0]) / result[1] for result in results)
        self.median = statistics.median(times) * 1000
        self.worst = times[min(len(times) - 1, int(0.99 * len(times)))] * 1000
        window = CORES * (ended - began)
        self.client_share = sum(result[2] for result in results) / window * 100
        self.server_share = (at_end - before) / window * 100
        self.other_share = max(0, (at_end_all - before_all) / window * 100 - self.client_share - self.server_share)
        self.cost = (after - before) / len(times) * 1000


def processor_seconds(serve):
    """How much processor time the service has used."""
    with open(f"/proc/{serve.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def busy_seconds():
    """How much processor time the whole machine has used, what the host took away included."""
    with open("/proc/stat", encoding="ascii") as file:
        # user nice system idle iowait irq softirq steal
        user, nice, system, _, _, *rest = [int(word) for word in file.readline().split()[1:9]]
    return (user + nice + system + sum(rest)) / TICKS_PER_SECOND


def wait_for_rest(serve):
    """Waits until what the service still has to do about earlier requests is done."""
    end = time.monotonic() + HANG_SECONDS
    used = processor_seconds(serve)
    while time.monotonic() < end:
        time.sleep(REST_SECONDS)
        before, used = used, processor_seconds(serve)
        if used - before <= 1 / TICKS_PER_SECOND:
            return
    raise Violation(f"serve did not come to rest within {HANG_SECONDS} s")


class StoppedDecoder:
    """The only decoder that the pipeline may have, stopped: nothing goes on behind the reception of cards."""

    def __init__(self, serve, token):
        self.serve = serve
        self.process = None
        self.cards = 0
        end = time.monotonic() + HANG_SECONDS
        with serve.client(token) as client:
            while self.process is None and time.monotonic() < end:
                # Large, so that its decoder does not end before it is found; each one another.
                answer = client.send(raw_card(self._picture() + bytes([self.cards]), f"STOP-{self.cards}"))
                if answer.status != 202:
                    raise Violation(f"the first picture was answered with {answer}")
                self.cards += 1
                self.process = self._stop(time.monotonic() + 2)
        if self.process is None:
            raise Violation("no decoder was found to be stopped")

    @staticmethod
    def _picture():
        from PIL import Image

        data = io.BytesIO()
        Image.effect_noise((4000, 3000), 60).convert("RGB").save(data, "JPEG", quality=90)
        return data.getvalue()

    def _stop(self, end):
        while time.monotonic() < end:
            for process in self._decoders():
                os.kill(process, signal.SIGSTOP)
                while self._state(process) not in ("T", "Z", "gone"):
                    time.sleep(0.001)
                if self._state(process) == "T":
                    return process
        return None

    def _decoders(self):
        """The children of the service that decode."""
        folder = f"/proc/{self.serve.pid}/task"
        for thread in os.listdir(folder):
            try:
                with open(f"{folder}/{thread}/children", encoding="ascii") as file:
                    children = [int(word) for word in file.read().split()]
                for child in children:
                    with open(f"/proc/{child}/cmdline", "rb") as file:
                        if b"decode-image" in file.read():
                            yield child
            except (FileNotFoundError, ProcessLookupError):
                continue

    @staticmethod
    def _state(process):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                return file.read().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return "gone"

    @property
    def stands_still(self):
        return self._state(self.process) == "T"


class BareWrites:
    """The disk alone: a file to which pieces of a size are appended, each durable before the next."""

    def __init__(self, path, size):
        self.path, self.piece = path, random.Random(size).randbytes(size)
        self.times = []

    def run(self, seconds):
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            before = time.monotonic()
            os.write(descriptor, self.piece)
            os.fsync(descriptor)
            self.times.append(time.monotonic() - before)
        os.close(descriptor)
        os.unlink(self.path)

    def __str__(self):
        ordered = sorted(self.times)
        worst = ordered[int(0.99 * len(ordered))]
        return (
            f"{len(ordered) / sum(ordered):.0f} /s, median {statistics.median(ordered) * 1000:.2f} ms, "
            f"p99 {worst * 1000:.2f} ms"
        )


def digest_cost(picture):
    """Seconds of one SHA-256 of a body."""
    data, times = picture.bytes("0" * NAME_LENGTH), []
    for _ in range(50):
        before = time.perf_counter()
        hashlib.sha256(data).digest()
        times.append(time.perf_counter() - before)
    return statistics.median(times)


def spread(values, digits=0):
    """The median with the lowest and the highest."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


class Series:
    """All measurements with bodies of one size, over a service and a sandbox of their own."""

    def __init__(self, proof, size):
        self.proof, self.size = proof, size
        self.words = f"{size / 1000:.0f} kB"
        self.picture = Picture(size)
        self.found = {}
        self.stored = 0
        self.numbers = itertools.count(1)
        folder = proof.subfolder(f"size-{size}")
        secret = webhook_secret(proof.random)
        self.sandbox = Sandbox(
            proof.tool,
            folder,
            # Nothing ever gets as far as these.
            "http://127.0.0.1:9/",
            "http://127.0.0.1:9/",
            webhooks_secrets=secret,
            server_rate_limit=1_000_000,
            server_rate_window="1s",
            sandbox_max_queue=10_000_000,
            sandbox_lease="1h",
            imaging_isolation="process",
            imaging_max_decode_time="600s",
        )
        self.bare = BareWrites(os.path.join(folder, "bare"), size)
        self.serve = proof.keep_running(Serve(proof, self.sandbox, f"serve-{size}"))
        token = self.serve.token("load")
        self.kinds = kinds_of(self.picture, token, secret)
        self.serve.start()
        self.decoder = StoppedDecoder(self.serve, token)
        self.stored += self.decoder.cards

    def run(self, rounds, seconds):
        # What nobody has asked for yet is slow the first time.
        for kind in self.kinds:
            self._measure(kind, 2, seconds / 4)
        for number in range(rounds):
            self.bare.run(seconds)
            for connections in CONCURRENCIES:
                # Who comes first changes.
                for kind in self.kinds if number % 2 == 0 else reversed(self.kinds):
                    measurement = self._measure(kind, connections, seconds)
                    self.found.setdefault((connections, kind.title), []).append(measurement)
            self.proof.progress(f"{self.words}: round {number + 1} of {rounds}")
        self._judge()

    def _measure(self, kind, connections, seconds):
        measurement = Measurement(self.serve, kind, connections, next(self.numbers), seconds)
        self.stored += measurement.stored
        return measurement

    def _judge(self):
        if not self.decoder.stands_still:
            self.proof.violated("the decoder did not stand still: the pipeline worked meanwhile")
        self.serve.kill()
        outcome = self.sandbox.run(["status", "--format", "json"])
        if outcome.status != 0:
            raise Violation(f"status ended with {outcome.status}: {outcome.tail()}")
        count = sum(json.loads(outcome.output)["cards"].values())
        if count != self.stored:
            self.proof.violated(f"{self.words}: {self.stored} cards were accepted, {count} are in the sandbox")

    def print_figures(self):
        figure = self.proof.figure
        figure(f"{self.words}: bare write", str(self.bare))
        digest = digest_cost(self.picture)
        figure(f"{self.words}: one SHA-256", f"{digest * 1000:.2f} ms")
        for connections in CONCURRENCIES:
            at_once = f"{self.words}, {connections} at once"
            for kind in self.kinds:
                runs = self.found[connections, kind.title]
                figure(
                    f"{at_once}: {kind.title}",
                    f"{spread([run.rate for run in runs])} /s, p50 {spread([run.median for run in runs], 2)} ms, "
                    f"p99 {spread([run.worst for run in runs], 2)} ms",
                )
                shares = [(run.client_share, run.server_share, run.other_share, run.cost) for run in runs]
                client, server, others, cost = (statistics.median(values) for values in zip(*shares))
                figure(
                    "",
                    f"client {client:.0f} %, server {server:.0f} %, others {others:.0f} % of {CORES} cores; "
                    f"server {cost:.2f} ms an answer",
                )
            accepted = [run.rate for run in self.found[connections, "accepted"]]
            repeated = [run.rate for run in self.found[connections, "repeated"]]
            read = [run.rate for run in self.found[connections, "only read"]]
            # Had it not made a digest, each of those working at once would have been so much faster.
            bare_read = [1 / (1 / rate - digest / min(connections, CORES)) for rate in read]
            for words, rates in (("repeated", repeated), ("only read", read), ("only read less SHA-256", bare_read)):
                ratios = [ours / other for ours, other in zip(accepted, rates)]
                figure(f"{at_once}: accepted / {words}", spread(ratios, 2))


def prove(proof):
    is_quick = proof.options.quick
    sizes = proof.options.sizes or ([200_000] if is_quick else [200_000, 1_000_000])
    rounds = proof.options.rounds or (2 if is_quick else 5)
    seconds = proof.options.seconds or (0.3 if is_quick else 2)
    disk = subprocess.run(["df", "--output=fstype", proof.folder], capture_output=True, text=True, check=True)
    proof.figure("disk", disk.stdout.split()[-1])
    proof.figure("rounds", f"{rounds} of {seconds:g} s each")
    for size in sizes:
        series = Series(proof, size)
        series.run(rounds, seconds)
        series.print_figures()


if __name__ == "__main__":
    Proof("measure-serve", DESCRIPTION, options).run(prove)

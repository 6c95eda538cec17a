"""siege: strangers who only wait take all places of `serve` for minutes, and every honest request is answered within a second.

They come from one address, which is that of the honest clients too, as behind a proxy; and from eight.
"""

import asyncio
import contextlib
import multiprocessing
import re
import threading
import time
from collections import Counter

from proofs.cards import jpeg
from proofs.hostile import start_as_usual
from proofs.served import Clients, Serve
from proofs.service_client import HOST, webhook_card, webhook_secret

# More than there are places (the Limits of the service: 512).
BESIEGERS = 600
# How soon one that was refused is back, and how often one that was admitted says a little.
BACK_SECONDS, DRIP_SECONDS = 0.25, 1
# Bodies of false webhooks: what comes at once of most and of a few, what drips then, and what is lacking.
PHOTO_BYTES, HUGE_BYTES, HUGE = 300_000, 22_000_000, 3
DRIP_BYTES, LACKING_BYTES = 3000, 1_000_000
# What an honest client may wait, and how many of a hundred may wait longer.
SECONDS, OVER = 1, 0.01
PAUSE = 0.2


def ways(random):
    """Half of them say nothing, a quarter never ends a head, a quarter sends webhooks without a valid signature: of each
    place its name, what it says at first, and what it says then, now and then."""
    secret, image, filler = webhook_secret(random), jpeg(7, False), b"a" * HUGE_BYTES

    def webhook(size):
        request = webhook_card(image, "SIEGE", secret, f"siege-{time.monotonic_ns()}")
        return request.head(framing=f"Content-Length: {size + LACKING_BYTES}") + filler[:size]

    idle = "idle", lambda: b"", b""
    head = "dripping head", lambda: b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ", b"a"
    photo = "false webhook", lambda: webhook(PHOTO_BYTES), filler[:DRIP_BYTES]
    huge = "huge false webhook", lambda: webhook(HUGE_BYTES), filler[:DRIP_BYTES]
    return [huge if place < HUGE else (idle, head, idle, photo)[place % 4] for place in range(BESIEGERS)]


async def take_place(address, target, way, counts):
    """Takes one place again and again, without ever waiting for the service."""
    name, opening, drip = way
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(*target, local_addr=(address, 0))
            counts[name, "opened"] += 1
            try:
                writer.write(opening())
                answer = None
                while answer is None:
                    try:
                        answer = await asyncio.wait_for(reader.read(4096), DRIP_SECONDS)
                    except TimeoutError:
                        # What was said before comes first.
                        if writer.transport.get_write_buffer_size() == 0:
                            writer.write(drip)
                    except OSError:
                        answer = b""
                counts[name, answer.split(b" ", 2)[1].decode() if answer else "ended"] += 1
            finally:
                writer.transport.abort()
        await asyncio.sleep(BACK_SECONDS)


def besiege(addresses, target, random, stopped, report):
    """Takes places until it is stopped, then tells how often each way was opened, and how each ended."""
    counts = Counter()

    async def all_places():
        places = enumerate(ways(random))
        tasks = [asyncio.create_task(take_place(addresses[place // 4 % len(addresses)], target, way, counts)) for place, way in places]
        await asyncio.to_thread(stopped.wait)
        for task in tasks:
            task.cancel()

    asyncio.run(all_places())
    report.send(counts)


class Honest(Clients):
    """Clients of which each request comes by a connection of its own: health, cards with a token, and webhooks."""

    def __init__(self, serve):
        super().__init__(serve, count=2, insists=False, pause=PAUSE)
        self.threads.append(threading.Thread(target=self.ask, daemon=True))
        self.threads[-1].start()

    def send(self, client, submission):
        super().send(client, submission)
        client.close()

    def ask(self):
        while not self.stopped.wait(PAUSE):
            started = time.monotonic()
            if self.serve.is_healthy():
                self.answered.append(("health", time.monotonic() - started))
            else:
                self.serve.violated("the service did not say that it lives")

    def judge(self):
        for kind in sorted({kind for kind, _ in self.answered}):
            seconds = sorted(seconds for each, seconds in self.answered if each == kind)
            over = sum(each > SECONDS for each in seconds)
            middle, late = seconds[len(seconds) // 2], seconds[len(seconds) * 99 // 100]
            words = f"half within {middle:.3f} s, 99 of 100 within {late:.3f} s, all within {seconds[-1]:.3f} s; {over} over {SECONDS} s"
            self.serve.figure(f"honest {kind}", f"{len(seconds)} answered, {words}")
            self.serve.expect(over <= OVER * len(seconds), f"{over} of {len(seconds)} ({kind}) took longer than {SECONDS} s")


def siege(proof, name, addresses):
    serve = Serve(proof, name)
    start_as_usual(serve)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    stopped = context.Event()
    # A process of its own: what it is busy with honest clients need not wait for.
    target = (addresses, (HOST, serve.port), proof.random, stopped, theirs)
    process = context.Process(target=besiege, args=target, daemon=True)
    process.start()
    # Or its end would go unnoticed.
    theirs.close()
    serve.wait(lambda: gave_way(serve) > 0, "full house")
    honest = Honest(serve)
    time.sleep(30 if proof.quick else 150)
    honest.stop()
    count = gave_way(serve)
    stopped.set()
    counts = ours.recv()
    process.join()
    for way in sorted({way for way, _ in counts}):
        ends = ", ".join(f"{count} × {end}" for (name, end), count in sorted(counts.items()) if name == way)
        serve.figure(way, ends)
    serve.figure("gave way", f"{count} connections")
    honest.judge()
    serve.finish()


def gave_way(serve):
    """How many connections had to go, or were refused, for want of a place."""
    metrics = serve.ask("/metrics", serve.token).body
    return int(re.search(rb"^idcard_http_refused_connections (\d+)", metrics, re.MULTILINE)[1])


PARTS = {
    "one": lambda proof: siege(proof, "one", ["127.0.0.1"]),
    "eight": lambda proof: siege(proof, "eight", [f"127.0.0.{place}" for place in range(1, 9)]),
}

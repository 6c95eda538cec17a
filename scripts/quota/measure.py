"""Takes cards to a verification key that allows so many calls at a time; see scripts/measure-quota."""

import argparse
import base64
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import numpy
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = {"1x100": (1, 100), "3x120": (3, 120), "8x120": (8, 120), "32x400": (32, 400)}
# The share of the ideal client's rate that is wanted, once the limit is found, and how soon that is.
WANTED, FOUND_AFTER = 0.9, 5
MOST_THROTTLED = 0.01


class Endpoints:
    """Verifier and backend; `calls` are those to the verifier once they have ended."""

    def __init__(self, shape, seed):
        slots, milliseconds = shape
        arguments = ["--slots", str(slots), "--milliseconds", str(milliseconds), "--seed", str(seed)]
        program = os.path.join(HERE, "endpoints.py")
        self.process = subprocess.Popen(
            [sys.executable, program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.verifier, self.backend = self.process.stdout.readline().split()
        self.calls = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        output, _ = self.process.communicate()
        self.calls = json.loads(output)


def draw(folder, count):
    """Small photos, all different, each a case of its own: what is measured is the pace, not the codec."""
    source = numpy.random.default_rng(4711)
    for index in range(count):
        case = os.path.join(folder, f"CASE-{index:05d}")
        os.mkdir(case)
        Image.fromarray(source.integers(0, 255, (100, 160, 3), dtype=numpy.uint8)).save(os.path.join(case, "front.jpg"), quality=60)


def ideal(url, slots, seconds):
    """As many clients as there are places, each of which asks again as soon as it has its answer."""
    end = time.monotonic() + seconds
    body = os.urandom(10_000)

    def client():
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)
        while time.monotonic() < end:
            connection.request("POST", "/", body)
            connection.getresponse().read()
        connection.close()

    clients = [threading.Thread(target=client) for _ in range(slots)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()


class Tool:
    """The binary with a sandbox of its own and everything else as shipped."""

    def __init__(self, binary, folder, endpoints):
        self.binary, self.folder = binary, folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "IDCARD_SANDBOX_PATH": os.path.join(folder, "sandbox"),
            "IDCARD_VAULT_KEY": base64.b64encode(os.urandom(32)).decode("ascii"),
            "IDCARD_VERIFICATION_URL": endpoints.verifier,
            "IDCARD_VERIFICATION_API_KEY": "key",
            "IDCARD_VERIFICATION_API_SECRET": "secret",
            "IDCARD_DELIVERY_URL": endpoints.backend,
            "IDCARD_DELIVERY_TOKEN": "token",
            "IDCARD_DELIVERY_USER_NO": "1",
            "IDCARD_SERVER_TOKENS_FILE": os.path.join(folder, "tokens"),
        }

    def start(self, *arguments):
        log = open(os.path.join(self.folder, "log"), "ab")
        return subprocess.Popen([self.binary, *arguments], env=self.environment, stdout=log, stderr=log)

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        status = process.wait(60)
        # Ended when all was done, or by the signal.
        if status not in (0, 143):
            with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
                sys.exit(f"measure-quota: it ended with {status}: {log.read()[-2000:]}")


def by_run(tool, cards, seconds):
    process = tool.start("run", cards)
    time.sleep(seconds)
    tool.stop(process)


def by_watch(tool, cards, seconds):
    inbox = os.path.join(tool.folder, "inbox")
    # It moves what it has taken in.
    shutil.copytree(cards, inbox)
    process = tool.start("watch", inbox)
    time.sleep(seconds)
    tool.stop(process)


def by_serve(tool, cards, seconds):
    added = subprocess.run(
        [tool.binary, "tokens", "add", "quota", "--scope", "submit"], env=tool.environment, capture_output=True, text=True, check=True
    )
    port = random.SystemRandom().randrange(20000, 30000)
    process = tool.start("serve", "--listen", f"127.0.0.1:{port}")
    end = time.monotonic() + seconds
    waiting, lock, refused = sorted(os.listdir(cards), reverse=True), threading.Lock(), []

    def sender():
        connection = http.client.HTTPConnection(f"127.0.0.1:{port}", timeout=60)
        while time.monotonic() < end:
            with lock:
                if not waiting:
                    return
                case = waiting.pop()
            with open(os.path.join(cards, case, "front.jpg"), "rb") as file:
                body = file.read()
            headers = {
                "Authorization": f"Bearer {added.stdout.strip()}",
                "Content-Type": "image/jpeg",
                "Card-Business-No": case,
                "Card-Side": "front",
                "Idempotency-Key": f'"{case}"',
            }
            while True:
                try:
                    connection.request("POST", "/v1/cards", body, headers)
                    answer = connection.getresponse()
                except OSError:
                    # It has not come up yet.
                    connection.close()
                    time.sleep(0.05)
                    continue
                problem = answer.read()
                if answer.status not in (429, 503):
                    break
                time.sleep(0.2)
            if answer.status != 202:
                refused.append(f"{answer.status}: {problem.decode()}")
                return

    senders = [threading.Thread(target=sender) for _ in range(4)]
    for each in senders:
        each.start()
    for each in senders:
        each.join()
    if refused:
        sys.exit(f"measure-quota: serve answered {refused[0]}")
    time.sleep(max(0, end - time.monotonic()))
    tool.stop(process)


def rate(calls, first, after, until):
    """Accepted calls per second that ended so long after the first call."""
    ended = [end for _, end, accepted in calls if accepted and first + after < end <= first + until]
    return len(ended) / (until - after)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--ways", default="run,watch,serve")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    missed = False
    with tempfile.TemporaryDirectory() as cards:
        shapes = {name: SHAPES[name] for name in options.shapes.split(",")}
        most = max(slots * 1000 / milliseconds for slots, milliseconds in shapes.values())
        draw(cards, int(1.2 * most * options.seconds))
        for name, shape in shapes.items():
            with Endpoints(shape, options.seed) as endpoints:
                ideal(endpoints.verifier, shape[0], options.seconds / 3)
            best = rate(endpoints.calls, endpoints.calls[0][0], 0, options.seconds / 3 - 1)
            print(f"{name}: the ideal client {best:.1f} calls/s", flush=True)
            for way in options.ways.split(","):
                with tempfile.TemporaryDirectory() as folder, Endpoints(shape, options.seed) as endpoints:
                    take = {"run": by_run, "watch": by_watch, "serve": by_serve}[way]
                    take(Tool(options.binary, folder, endpoints), cards, options.seconds + 2)
                calls = endpoints.calls
                if not calls:
                    sys.exit(f"measure-quota: {way} made no call")
                first = min(begin for begin, _, _ in calls)
                found = rate(calls, first, FOUND_AFTER, options.seconds)
                throttled = sum(not accepted for _, _, accepted in calls) / len(calls)
                missed |= found < WANTED * best or throttled > MOST_THROTTLED
                print(
                    f"{name} {way:6} {found:5.1f} calls/s, {found / best:.2f} of the ideal client's after {FOUND_AFTER} s; "
                    f"whole {rate(calls, first, 0, options.seconds) / best:.2f}; {len(calls)} calls, {100 * throttled:.2f} % throttled",
                    flush=True,
                )
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

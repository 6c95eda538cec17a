"""Runs the pipeline against a verification key that allows one call at a time; see scripts/measure-quota."""

import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy
from PIL import Image

NUMBER = "11010519491231002X"  # the textbook number
READING = {
    "request_id": "1700000000,stub",
    "time_used": 1,
    "side": "front",
    "name": "样本",
    "gender": "女",
    "race": "汉",
    "birthday": {"year": "1949", "month": "12", "day": "31"},
    "address": "样本路1号",
    "id_card_number": NUMBER,
    "legality": {"ID Photo": 0.97, "Photocopy": 0.03},
}


class Key:
    """The stub's one key: a call that comes while another is answered is refused."""

    def __init__(self, service_seconds):
        self.service_seconds = service_seconds
        self.busy = threading.Lock()
        self.counting = threading.Lock()
        self.calls = 0
        self.throttled = 0

    def answer(self):
        with self.counting:
            self.calls += 1
        if not self.busy.acquire(blocking=False):
            with self.counting:
                self.throttled += 1
            return 403, {"error_message": "CONCURRENCY_LIMIT_EXCEEDED"}
        try:
            time.sleep(self.service_seconds)
            return 200, READING
        finally:
            self.busy.release()


def serve(key):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            status, reply = key.answer()
            body = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def draw(folder, count):
    random = numpy.random.default_rng(4711)
    for index in range(count):
        case = os.path.join(folder, f"CASE-{index:05d}")
        os.mkdir(case)
        pixels = random.integers(0, 255, (100, 160, 3), dtype=numpy.uint8)
        Image.fromarray(pixels).save(os.path.join(case, "front.jpg"), quality=60)


def run(tool, cards, concurrency, service_seconds):
    key = Key(service_seconds)
    server = serve(key)
    with tempfile.TemporaryDirectory() as folder:
        backend = subprocess.Popen(
            [tool, "backend", "--documents", os.path.join(folder, "documents")], stdout=subprocess.PIPE, text=True
        )
        try:
            environment = dict(
                os.environ,
                IDCARD_VAULT_KEY=base64.b64encode(os.urandom(32)).decode("ascii"),
                IDCARD_VERIFICATION_URL=f"http://127.0.0.1:{server.server_port}",
                IDCARD_VERIFICATION_API_KEY="key",
                IDCARD_VERIFICATION_API_SECRET="secret",
                IDCARD_VERIFICATION_CONCURRENCY=str(concurrency),
                IDCARD_DELIVERY_URL=backend.stdout.readline().strip(),
                IDCARD_DELIVERY_TOKEN="token",
                IDCARD_DELIVERY_USER_NO="1",
            )
            begin = time.monotonic()
            result = subprocess.run(
                [tool, "run", cards, "--sandbox", os.path.join(folder, "sandbox"), "--format", "json", "-q"],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            seconds = time.monotonic() - begin
        finally:
            backend.terminate()
            backend.wait()
            server.shutdown()
    delivered = json.loads(result.stdout)["counts"].get("delivered", 0)
    return seconds, key.calls, key.throttled, delivered


def main():
    tool, count, milliseconds, rounds = sys.argv[1], *map(int, sys.argv[2:5])
    with tempfile.TemporaryDirectory() as cards:
        draw(cards, count)
        times = {1: [], 8: []}
        for _ in range(rounds):
            for concurrency in times:
                seconds, calls, throttled, delivered = run(tool, cards, concurrency, milliseconds / 1000)
                times[concurrency].append(seconds)
                print(
                    f"concurrency {concurrency}: {seconds:.1f} s, {calls} calls, {throttled} throttled "
                    f"({100 * throttled / calls:.2f} %), {delivered} of {count} delivered",
                    flush=True,
                )
        ratio = statistics.median(times[1]) / statistics.median(times[8])
        print(f"rate, adaptive to serial: {ratio:.3f} (medians of {rounds})")


if __name__ == "__main__":
    main()

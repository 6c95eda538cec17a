"""scripts/measure-watch: from the close of a photo in a watched folder to its delivery, against instant endpoints."""

import http.client
import http.server
import io
import os
import random
import signal
import statistics
import subprocess
import threading
import time

from proofs.proof import Proof
from proofs.tool import HANG_SECONDS, Sandbox

DESCRIPTION = """\
Writes photos of about 1 MB into a watched folder, one after the other, and measures the time from the close of each to
the moment when its delivery has arrived whole at a business backend that answers at once, as the verifier does. Prints
median and 99th percentile beside the bare cost of the work: the same photo decoded, fitted to 1600 pixels and encoded by
Pillow, and two uploads to the same endpoints over open connections. Nothing is judged but that all arrive."""

READING = (
    '{"request_id":"r","time_used":1,"side":"front","name":"样本甲","gender":"男","race":"汉",'
    '"address":"样本省样本市样本路1号","id_card_number":"110101199003070011",'
    '"birthday":{"year":"1990","month":"3","day":"7"},'
    '"legality":{"Edited":0.001,"Photocopy":0.0,"ID Photo":0.95,"Screen":0.0,"Temporary ID Photo":0.04}}'
).encode()
ACCEPTED = b'{"RETCODE":"000000","RETMSG":"ok"}'


def options(parser):
    parser.add_argument("--photos", type=int, help="how many photos (default: 200; with --quick 20)")


class Endpoint:
    """A server that answers every POST at once with the same words, and notes when each was in whole."""

    def __init__(self, reply):
        self.arrivals = []
        self.arrived = threading.Condition()
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Else a reply of two small writes waits for the other side's acknowledgement.
            disable_nagle_algorithm = True

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                now = time.monotonic()
                head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(reply)}\r\n\r\n"
                self.wfile.write(head.encode() + reply)
                with endpoint.arrived:
                    endpoint.arrivals.append(now)
                    endpoint.arrived.notify_all()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server.server_address[1]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def wait(self, count):
        """Waits until so many requests are in; returns the time of the last of them, None if it never comes."""
        with self.arrived:
            if not self.arrived.wait_for(lambda: len(self.arrivals) >= count, timeout=HANG_SECONDS):
                return None
            return self.arrivals[count - 1]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def photo(number):
    """A picture of noise over soft shapes, about 1 MB as a JPEG."""
    from PIL import Image, ImageFilter

    noise = random.Random(number)
    size = (2400, 1500)
    small = Image.frombytes("RGB", (60, 40), noise.randbytes(60 * 40 * 3)).resize(size, Image.BICUBIC)
    grain = Image.frombytes("L", size, noise.randbytes(size[0] * size[1])).filter(ImageFilter.GaussianBlur(1))
    data = io.BytesIO()
    Image.blend(small, grain.convert("RGB"), 0.35).save(data, "JPEG", quality=88)
    return data.getvalue()


def bare(data, connections):
    """The work itself, once."""
    from PIL import Image

    started = time.monotonic()
    picture = Image.open(io.BytesIO(data))
    picture.draft("RGB", (1600, 1600))
    picture.thumbnail((1600, 1600))
    prepared = io.BytesIO()
    picture.save(prepared, "JPEG", quality=50)
    for connection in connections:
        connection.request("POST", "/", prepared.getvalue())
        connection.getresponse().read()
    return time.monotonic() - started


def words(seconds):
    ordered = sorted(seconds)
    worst = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return f"median {statistics.median(ordered) * 1000:.1f} ms, p99 {worst * 1000:.1f} ms"


def prove(proof):
    count = proof.options.photos or (20 if proof.options.quick else 200)
    verifier, backend = proof.keep_running(Endpoint(READING)), proof.keep_running(Endpoint(ACCEPTED))
    inbox = proof.subfolder("inbox")
    sandbox = Sandbox(proof.tool, proof.subfolder("work"), verifier.url, backend.url)
    pictures = [photo(number) for number in range(8)]
    folders = [os.path.join(inbox, f"CASE-{index}") for index in range(count + 1)]
    for folder in folders:
        os.makedirs(folder)
    with open(os.path.join(proof.folder, "watch.log"), "w", encoding="utf-8") as log:
        watch = sandbox.start(["watch", inbox, "--format", "jsonl"], stdout=subprocess.DEVNULL, stderr=log)
    latencies, costs = [], []
    connections = [http.client.HTTPConnection("127.0.0.1", end.port) for end in (verifier, backend)]
    arrived = 0
    for index, folder in enumerate(folders):
        # Not twice the same bytes: a trailer after the end of the picture tells them apart.
        data = pictures[index % len(pictures)] + index.to_bytes(4, "big")
        with open(os.path.join(folder, "front.jpg"), "wb") as file:
            file.write(data)
        closed = time.monotonic()
        arrived += 1
        arrival = backend.wait(arrived)
        if arrival is None:
            proof.violated(f"photo {index} was not delivered: see watch.log")
            break
        # The first one waits for the start of the process.
        if index > 0:
            latencies.append(arrival - closed)
            costs.append(bare(data, connections))
            arrived += 1
    watch.send_signal(signal.SIGTERM)
    watch.wait()
    if latencies:
        proof.figure("photos", f"{len(latencies)} of {len(pictures[0]) / 1e6:.1f} MB")
        proof.figure("from close to delivery", words(latencies))
        proof.figure("bare cost of the work", words(costs))
        proof.figure("beyond it", f"{(statistics.median(latencies) - statistics.median(costs)) * 1000:.1f} ms at the median")


if __name__ == "__main__":
    Proof("measure-watch", DESCRIPTION, options).run(prove)

"""scripts/bench: our own figures. Photos of invented cards, made once below .build/bench, go to two endpoints on loopback."""

import argparse
import base64
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections import namedtuple

from benchmark.photos import FOLDER, photos
from proofs.remote import Service

# Size and kind of the photos, how many, longest edge of what is sent, milliseconds that each endpoint takes.
Job = namedtuple("Job", "size kind count edge latency")
JOBS = {
    "12mp": Job("12mp", "photo", 200, 1600, 0),
    "12mp-422": Job("12mp", "422", 200, 1600, 0),
    "12mp-444": Job("12mp", "444", 200, 1600, 0),
    "12mp-progressive": Job("12mp", "progressive", 200, 1600, 0),
    "12mp-same-size": Job("12mp", "photo", 200, 65500, 0),
    "12mp-p3": Job("12mp", "p3", 200, 1600, 0),
    "12mp-grey": Job("12mp", "grey", 200, 1600, 0),
    "1mp": Job("1mp", "photo", 1000, 1600, 0),
    "1mp-p3": Job("1mp", "p3", 1000, 1600, 0),
    "1mp-png": Job("1mp", "png", 1000, 1600, 0),
    "1mp-latency": Job("1mp", "photo", 1000, 1600, 50),
}
# "First" is the time to the first call, "end" that from the last document at the backend to the exit; "steady" lies between.
FIGURES = {
    "cards/s": ".1f", "steady cards/s": ".1f", "CPU ms/card": ".2f", "RSS MB": ".0f", "anonymous MB": ".0f",
    "first s": ".3f", "end s": ".3f", "again cards/s": ".0f",
}
COMPARED = ("CPU ms/card", "cards/s")
ROUNDS, PAIRS = 3, 8
SAMPLE_SECONDS = 0.02


class Endpoint(Service):
    """endpoint.go in one of its roles, and what it counts."""

    def __init__(self, role, latency):
        program = os.path.join(FOLDER, "endpoint")
        subprocess.run(["go", "build", "-o", program, "scripts/benchmark/endpoint.go"], check=True)
        super().__init__([program, "--role", role, "--latency", f"{latency}ms"], {})

    def statistics(self):
        with urllib.request.urlopen(f"{self.url}/stats", timeout=5) as answer:
            return json.load(answer)


class Sampler(threading.Thread):
    """The largest memory of a process in MB: resident, and of it what no file backs."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.path, self.peaks, self.over = f"/proc/{pid}/status", {"VmHWM": 0, "RssAnon": 0}, threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(SAMPLE_SECONDS):
            try:
                with open(self.path, encoding="utf-8") as file:
                    found = re.findall(r"(VmHWM|RssAnon):\s+(\d+)", file.read())
            except OSError:
                continue
            for name, kilobytes in found:
                self.peaks[name] = max(self.peaks[name], int(kilobytes) / 1024)

    def end(self):
        self.over.set()
        self.join()
        return self.peaks["VmHWM"], self.peaks["RssAnon"]


def environment(output, edge, endpoints):
    values = {
        "sandbox_path": os.path.join(os.path.abspath(output), "sandbox"),
        "vault_key": base64.b64encode(bytes(range(32))).decode(),
        "verification_url": endpoints[0].url + "/v1/verify",
        "verification_api_key": "bench",
        "verification_api_secret": "bench",
        "delivery_url": endpoints[1].url + "/v1/cards",
        "delivery_token": "bench",
        "delivery_user_no": "10086",
        "imaging_max_edge": edge,
    }
    changes = {"IDCARD_" + key.upper(): str(value) for key, value in values.items()}
    return {"PATH": os.environ["PATH"], "HOME": os.path.abspath(output), **changes}


def first_run(command, variables, endpoints, count):
    """A run into a new sandbox; its figures but the last one."""
    started = time.time()
    process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    sampler = Sampler(process.pid)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    ended = time.time()
    process.returncode = status
    resident, anonymous = sampler.end()
    verifier, backend = seen = [endpoint.statistics() for endpoint in endpoints]
    if status != 0 or any(each["posts"] != count or each["bad"] for each in seen) or backend["unique_keys"] != count:
        sys.exit(f"bench: status {status}, {backend['posts']} of {count} cards arrived: {errors[-600:]}")
    first, last = verifier["first"], backend["last"]
    processor = (usage.ru_utime + usage.ru_stime) / count * 1000
    return count / (ended - started), count / (last - first), processor, resident, anonymous, first - started, ended - last


def measure(binary, job, manifest, has_second=True):
    """One run into a new sandbox, and one again over the same photos, which must send nothing; their figures."""
    output = os.path.join(FOLDER, "output")
    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    endpoints = [Endpoint(role, job.latency) for role in ("verify", "backend")]
    command = [binary, "run", "--manifest", manifest, "--quiet"]
    try:
        variables = environment(output, job.edge, endpoints)
        os.sync()
        figures = first_run(command, variables, endpoints, job.count)
        if has_second:
            again = time.perf_counter()
            subprocess.run(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            figures += (job.count / (time.perf_counter() - again),)
            if endpoints[1].statistics()["posts"] != job.count:
                sys.exit("bench: a second run sent something again")
        return dict(zip(FIGURES, figures))
    finally:
        for endpoint in endpoints:
            endpoint.stop()
        shutil.rmtree(output, ignore_errors=True)


def row(name, cells):
    print(name.ljust(20) + "".join(cell.rjust(16) for cell in cells), flush=True)


def tell_medians(options, name, job, manifest):
    rounds = [measure(options.binary, job, manifest) for _ in range(options.rounds)]
    row(name, (format(statistics.median(one[figure] for one in rounds), form) for figure, form in FIGURES.items()))


def tell_ratios(options, name, job, manifest):
    """Both binaries in pairs, of which every other begins with the other one; a pair shares its minute of the machine."""
    ratios = []
    for pair in range(options.rounds):
        binaries = [options.binary, options.against]
        figures = {binary: measure(binary, job, manifest, False) for binary in binaries[:: -1 if pair % 2 else 1]}
        ours, theirs = (figures[binary] for binary in binaries)
        ratios.append([ours[figure] / theirs[figure] for figure in COMPARED])
        cells = []
        for figure, ratio in zip(COMPARED, ratios[-1]):
            cells += [format(one[figure], FIGURES[figure]) for one in (ours, theirs)] + [f"{ratio:.3f}"]
        row(f"{name} {pair + 1}", cells)
    def total(figure, value):
        first, second = (f"{value(sorted(column)):.3f}" for column in zip(*ratios))
        row(f"{name} {figure}", ("", "", first, "", "", second))

    total("median", statistics.median)
    if len(ratios) > 1:
        # How far the middle half of the pairs lies apart: a difference below half of it is the machine's.
        total("quartile 1", lambda column: statistics.quantiles(column, n=4, method="inclusive")[0])
        total("quartile 3", lambda column: statistics.quantiles(column, n=4, method="inclusive")[2])


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--binary", required=True, help="the binary to measure (default: scripts/build-release builds it)")
    parser.add_argument("--against", help="another binary, run in turns with it: the ratios of each pair, their medians and quartiles")
    parser.add_argument("--only", choices=JOBS, nargs="+", default=JOBS, help="these jobs alone")
    parser.add_argument("--rounds", type=int, help=f"how often each job runs (default: {ROUNDS}, medians are told; {PAIRS} pairs)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the photos, once")
    options = parser.parse_args()
    if options.against and os.path.samefile(options.against, options.binary):
        parser.error("--against names the binary itself")
    options.rounds = options.rounds or (1 if options.quick else PAIRS if options.against else ROUNDS)
    os.makedirs(FOLDER, exist_ok=True)
    compared = [head for figure in COMPARED for head in (figure, "the other's", "ratio")]
    row("job", compared if options.against else FIGURES)
    for name in options.only:
        job = JOBS[name]
        job = job._replace(count=job.count // 10 if options.quick else job.count)
        (tell_ratios if options.against else tell_medians)(options, name, job, photos(job.size, job.kind, job.count))


if __name__ == "__main__":
    main()

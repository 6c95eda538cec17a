"""scripts/bench: our own figures. Photos of invented cards, made once below .build/bench, go to two endpoints on loopback."""

import argparse
import base64
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

FOLDER = ".build/bench"
# Each scene is drawn once (a large one takes seconds); copies differ by a comment, so that no two files are alike.
DRAWN = {"1mp": 24, "12mp": 8}
# Name: size of the photos, how many, longest edge of what is sent, milliseconds that each endpoint takes.
JOBS = {
    "1mp": ("1mp", 500, 1600, 0),
    "12mp": ("12mp", 200, 1600, 0),
    "12mp-same-size": ("12mp", 100, 65500, 0),
    "1mp-latency": ("1mp", 500, 1600, 50),
}
FIGURES = {"cards/s": ".1f", "CPU ms/card": ".2f", "peak MB": ".0f", "first s": ".2f", "rise s": ".2f", "again cards/s": ".0f"}
SAMPLE_SECONDS = 0.02
# The pace has risen when a tenth of the cards has come with so much of the pace of the second half.
RISEN = 0.8


def photos(size, count):
    """A manifest of so many photos, each a case of its own, which lie in the page cache afterwards."""
    drawn, folder = os.path.join(FOLDER, f"drawn-{size}"), os.path.join(FOLDER, f"photos-{size}-{count}")
    if not os.path.isdir(drawn):
        print(f"bench: drawing {DRAWN[size]} photos of {size}", flush=True)
        command = ["scripts/make-fixtures", "draw", "--count", str(DRAWN[size]), "--seed", "1"]
        subprocess.run([*command, "--size", size, "--out", drawn + ".part"], check=True, stderr=subprocess.DEVNULL)
        os.rename(drawn + ".part", drawn)
    images = [path.read_bytes() for path in sorted(pathlib.Path(drawn).glob("*/front.jpg"))]
    os.makedirs(folder, exist_ok=True)
    manifest = os.path.join(folder, "manifest.jsonl")
    with open(manifest, "w", encoding="utf-8") as lines:
        for index in range(count):
            comment = f"{index:08d}".encode()
            image = images[index % len(images)]
            with open(os.path.join(folder, f"{index:06d}.jpg"), "wb") as file:
                file.write(image[:2] + b"\xff\xfe\x00\x0a" + comment + image[2:])
            row = {"path": f"{index:06d}.jpg", "business_no": f"CASE-{index:06d}", "side": "front"}
            lines.write(json.dumps(row) + "\n")
    return manifest


class Endpoint:
    """endpoint.go in one of its roles, and what it counts."""

    def __init__(self, role, latency):
        program = os.path.join(FOLDER, "endpoint")
        subprocess.run(["go", "build", "-o", program, "scripts/benchmark/endpoint.go"], check=True)
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
            port = int(file.read().split()[0]) - (1 if role == "verify" else 2)
        self.url = f"http://127.0.0.1:{port}"
        command = [program, "--port", str(port), "--role", role, "--latency", f"{latency}ms"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while True:
            try:
                self.statistics()
                return
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise

    def statistics(self):
        with urllib.request.urlopen(f"{self.url}/stats", timeout=5) as answer:
            return json.load(answer)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Sampler(threading.Thread):
    """When how many cards had arrived, and the largest resident memory of the process."""

    def __init__(self, pid, backend):
        super().__init__(daemon=True)
        self.pid, self.backend, self.arrived, self.peak, self.over = pid, backend, [], 0, threading.Event()
        self.started = time.perf_counter()
        self.start()

    def run(self):
        while not self.over.wait(SAMPLE_SECONDS):
            count = self.backend.statistics()["posts"]
            self.arrived.append((time.perf_counter() - self.started, count))
            try:
                with open(f"/proc/{self.pid}/status", encoding="utf-8") as file:
                    mark = re.search(r"VmHWM:\s+(\d+)", file.read())
            except OSError:
                continue
            if mark:
                self.peak = max(self.peak, int(mark[1]) / 1024)

    def rise(self, total):
        """(seconds until the first card, seconds until the pace is there) of a run."""
        first = next((at for at, count in self.arrived if count > 0), 0)
        half = next((at, count) for at, count in self.arrived if count >= total / 2)
        end = next((at, count) for at, count in self.arrived if count >= total)
        steady = (end[1] - half[1]) / max(end[0] - half[0], SAMPLE_SECONDS)
        window = max(2, total // 10)
        for at, count in self.arrived:
            before = [when for when, earlier in self.arrived if earlier <= count - window]
            if before and window / (at - before[-1]) >= RISEN * steady:
                return first, before[-1]
        return first, half[0]


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


def measure(binary, manifest, count, edge, latency):
    """One run into a new sandbox and one again over the same photos; their figures."""
    output = os.path.join(FOLDER, "output")
    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    endpoints = [Endpoint(role, latency) for role in ("verify", "backend")]
    command = [binary, "run", "--manifest", manifest, "--quiet"]
    try:
        variables = environment(output, edge, endpoints)
        os.sync()
        started = time.perf_counter()
        process = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        sampler = Sampler(process.pid, endpoints[1])
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = status
        time.sleep(2 * SAMPLE_SECONDS)
        sampler.over.set()
        sampler.join()
        seen = [endpoint.statistics() for endpoint in endpoints]
        if status != 0 or any(each["posts"] != count or each["bad"] for each in seen) or seen[1]["unique_keys"] != count:
            sys.exit(f"bench: status {status}, {seen[1]['posts']} of {count} cards arrived: {errors[-600:]}")
        first, rise = sampler.rise(count)
        again = time.perf_counter()
        subprocess.run(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        again = time.perf_counter() - again
        if endpoints[1].statistics()["posts"] != count:
            sys.exit("bench: a second run sent something again")
        processor = (usage.ru_utime + usage.ru_stime) / count * 1000
        return dict(zip(FIGURES, (count / wall, processor, sampler.peak, first, rise, count / again)))
    finally:
        for endpoint in endpoints:
            endpoint.stop()
        shutil.rmtree(output, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--binary", required=True, help="the binary to measure (default: scripts/build-release builds it)")
    parser.add_argument("--only", choices=JOBS, help="one job alone")
    parser.add_argument("--rounds", type=int, default=3, help="how often each job runs; medians are told (default: 3)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the photos, once")
    options = parser.parse_args()
    os.makedirs(FOLDER, exist_ok=True)
    print("job".ljust(16) + "".join(name.rjust(15) for name in FIGURES))
    for name, (size, count, edge, latency) in JOBS.items():
        if options.only not in (None, name):
            continue
        count = count // 10 if options.quick else count
        manifest = photos(size, count)
        rounds = [measure(options.binary, manifest, count, edge, latency) for _ in range(1 if options.quick else options.rounds)]
        medians = {figure: statistics.median(one[figure] for one in rounds) for figure in FIGURES}
        print(name.ljust(16) + "".join(format(medians[figure], form).rjust(15) for figure, form in FIGURES.items()), flush=True)


if __name__ == "__main__":
    main()

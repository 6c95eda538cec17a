"""One contender doing one job, and what it cost."""

import dataclasses
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.request

from benchmark import contenders, growth

TICK = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def machine_seconds():
    with open("/proc/stat", encoding="utf-8") as file:
        fields = list(map(int, file.readline().split()[1:9]))
    return (sum(fields) - fields[3] - fields[4]) / TICK


class Endpoint:
    """The verifier or the backend: counts and checks what arrives, answers after its latency."""

    def __init__(self, folder, role, latency):
        self.port = free_port()
        program = os.path.join(folder, "endpoint")
        arguments = ["--port", str(self.port), "--role", role, "--latency-ms", str(latency)]
        self.process = subprocess.Popen([program, *arguments])
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"the {role} endpoint does not listen") from None

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def statistics(self):
        with urllib.request.urlopen(self.url("/stats"), timeout=5) as answer:
            return json.load(answer)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class MemoryWatch(threading.Thread):
    """The high-water mark of the largest process of a tree, in bytes."""

    def __init__(self, root):
        super().__init__(daemon=True)
        self.root, self.peak, self.looks, self.over = root, 0, 0, threading.Event()
        self.start()

    def run(self):
        # Often enough for what ends soon, and seldom for what takes long: looking takes time from what is measured.
        while not self.over.wait(0.05 if self.looks > 20 else 0.015):
            self.look()
            self.looks += 1

    def look(self):
        """Asks the tree alone, 0.1 ms: going through 117 processes took 2.7, which those bear that use all processors."""
        waiting = [self.root]
        while waiting:
            pid = waiting.pop()
            try:
                with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                    mark = re.search(r"VmHWM:\s+(\d+)", file.read())
                if mark:
                    self.peak = max(self.peak, int(mark[1]) * 1024)
                threads = os.listdir(f"/proc/{pid}/task")
            except OSError:
                continue
            for thread in threads:
                try:
                    with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                        waiting += map(int, file.read().split())
                except OSError:
                    pass

    def stop(self):
        self.over.set()
        self.join()


def measure(name, folder, binary, job):
    """Runs a contender over a job; returns its figures, with `ok` if every card arrived exactly once and whole."""
    output = os.path.join(folder, "output")
    shutil.rmtree(output, ignore_errors=True)
    os.makedirs(output)
    endpoints = [Endpoint(folder, role, job.latency) for role in ("verify", "backend")]
    try:
        if "@" in name:
            job = dataclasses.replace(job, stored=int(name.split("@")[1]))
        if job.stored:
            growth.fill(folder, job, output, lambda empty: timed("pipeline", folder, binary, empty, output, endpoints))
            endpoints = restarted(folder, job, endpoints)
        figures = timed(name, folder, binary, job, output, endpoints)
        if job.second:
            figures = timed(name, folder, binary, job, output, endpoints)
            figures["ok"] = figures["ok"] and figures["posts"] == job.count
        return figures
    finally:
        for endpoint in endpoints:
            endpoint.stop()
        shutil.rmtree(output, ignore_errors=True)


def restarted(folder, job, endpoints):
    """Endpoints that have seen nothing."""
    for endpoint in endpoints:
        endpoint.stop()
    endpoints[:] = [Endpoint(folder, role, job.latency) for role in ("verify", "backend")]
    return endpoints


def timed(name, folder, binary, job, output, endpoints):
    command, changes = contenders.command(
        name, folder, binary, job, output, endpoints[0].url("/v1/verify"), endpoints[1].url("/v1/cards")
    )
    environment = {"PATH": os.environ["PATH"], "HOME": output, "PYTHONDONTWRITEBYTECODE": "1", **changes}
    counts = os.path.join(output, "flushes")
    if job.flush is not None:
        environment |= {
            "LD_PRELOAD": os.path.abspath(os.path.join(folder, "slowsync.so")),
            "SLOWSYNC_US": str(int(job.flush * 1000)),
            "SLOWSYNC_LOG": counts,
        }
    os.sync()
    busy, stub = machine_seconds(), sum(processor_seconds(end.process.pid) for end in endpoints)
    started = time.perf_counter()
    with open(os.path.join(output, "errors"), "w", encoding="utf-8") as errors:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
        watch = MemoryWatch(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = status
    watch.stop()
    processor = usage.ru_utime + usage.ru_stime
    stub = sum(processor_seconds(end.process.pid) for end in endpoints) - stub
    others = machine_seconds() - busy - processor - stub
    seen = [end.statistics() for end in endpoints]
    arrived = all(end["posts"] == job.count and end["bad"] == 0 for end in seen)
    figures = {
        "contender": name,
        "ok": status == 0 and arrived and seen[1]["unique_keys"] == job.count and is_stored(name, output, job),
        "posts": seen[1]["posts"],
        "seconds": wall,
        "cards_per_second": job.count / wall,
        "cpu_ms_per_card": processor / job.count * 1000,
        "peak_mb": max(watch.peak, 0) / 2**20,
        "others_percent": 100 * others / wall / os.cpu_count(),
        "bytes_per_card": seen[1]["bytes"] / job.count,
    }
    if not figures["ok"]:
        with open(os.path.join(output, "errors"), encoding="utf-8", errors="replace") as errors:
            figures["errors"] = errors.read()[-2000:]
    if os.path.exists(counts):
        with open(counts, encoding="ascii") as file:
            figures["flushes_per_card"] = sum(map(int, file)) / job.count
    return figures


def is_stored(name, output, job):
    """Whether a peer has a row and a file for every card; the pipeline ends with 0 only if it has delivered all."""
    if name.startswith("pipeline"):
        return True
    database = sqlite3.connect(os.path.join(output, "cards.db"))
    rows = database.execute("SELECT count(*) FROM cards WHERE state = 'uploaded'").fetchone()[0]
    database.close()
    return rows == job.count and len(os.listdir(os.path.join(output, "cards"))) == job.count

"""The services on the other side, each in a process of its own that ends with the proof."""

import json
import os
import subprocess
import sys
from collections import Counter

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Service:
    """A process that prints where it listens."""

    def __init__(self, command, environment=None, log=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
            text=True,
        )
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise RuntimeError(f"{os.path.basename(command[0])} did not start (status {self.process.wait()})")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def python_service(module, arguments, **environment):
    inherited = dict(os.environ, PYTHONPATH=SCRIPTS, PYTHONDONTWRITEBYTECODE="1", **environment)
    return Service([sys.executable, "-m", f"proofs.{module}", *arguments], inherited)


class Verifier:
    """The stub verifier, and which images it was asked about."""

    def __init__(self, folder, **environment):
        self.path = os.path.join(folder, "verifications.log")
        open(self.path, "w", encoding="utf-8").close()
        self.service = python_service("stub_verifier", [self.path], **environment)

    @property
    def url(self):
        return self.service.address

    def requests(self):
        """How often each image was sent."""
        with open(self.path, encoding="utf-8") as file:
            return Counter(file.read().split())

    def stop(self):
        self.service.stop()


class Backend:
    """The built-in business backend, whose ledger is the judge."""

    def __init__(self, binary, folder):
        self.folder = os.path.join(folder, "backend")
        home = os.path.join(folder, "backend-home")
        os.makedirs(home, exist_ok=True)
        environment = {"HOME": home, "PATH": os.environ.get("PATH", "/usr/bin:/bin")}
        self.service = Service([binary, "backend", "--documents", self.folder], environment)

    @property
    def url(self):
        return self.service.address

    @property
    def port(self):
        return int(self.url.split(":")[2].split("/")[0])

    def lines(self, name):
        """The whole lines of a journal; a half line at the end is one still being written."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def ledger(self):
        return self.lines("ledger.jsonl")

    def count(self):
        """How many documents were accepted, without reading them."""
        try:
            with open(os.path.join(self.folder, "ledger.jsonl"), "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def refusals(self):
        return self.lines("refusals.jsonl")

    def stop(self):
        self.service.stop()


class LossyProxy:
    """The proxy that loses a share of the backend's answers."""

    def __init__(self, folder, backend, share, seed):
        self.path = os.path.join(folder, "proxy.log")
        open(self.path, "w", encoding="utf-8").close()
        arguments = [str(backend.port), str(share), str(seed), self.path]
        self.service = python_service("lossy_proxy", arguments)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.service.address}/upload"

    def counts(self):
        with open(self.path, encoding="utf-8") as file:
            return Counter(file.read().split())

    def stop(self):
        self.service.stop()

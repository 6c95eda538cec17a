"""The command under proof: where it lies, how it is started, in which sandbox."""

import base64
import json
import os
import re
import subprocess
import time
from pathlib import Path

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Longer than any command of a proof takes; one that is still going then hangs.
HANG_SECONDS = int(os.environ.get("PROOF_HANG_SECONDS", "180"))
# Settings of a sandbox in which several cards are under way at a time.
BUSY = {"verification_concurrency": 4, "delivery_concurrency": 4, "imaging_concurrency": 2, "server_rate_limit": 1_000_000}


def replace_file(path, text):
    """Puts a file in its place at once that only its owner can read."""
    with open(f"{path}.new", "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
    os.replace(f"{path}.new", path)


def until(is_done, process=None, seconds=HANG_SECONDS, progress=lambda: 0):
    """Waits until it is done, the process has ended, or there was no progress for so long; whether it is done."""
    last, end = progress(), time.monotonic() + seconds
    while not (done := is_done()) and (process is None or process.poll() is None) and time.monotonic() < end:
        time.sleep(0.02)
        if (now := progress()) != last:
            last, end = now, time.monotonic() + seconds
    return done


def read_process(pid, name):
    """What a file of a process says under /proc; nothing once it has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def descendants(pid):
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    children = [int(child) for thread in threads for child in read_process(pid, f"task/{thread}/children").split()]
    return children + [each for child in children for each in descendants(child)]


def default_binary():
    paths = (os.path.join(ROOT, ".build", kind, "idcard-pipeline") for kind in ("release", "debug"))
    return next((path for path in paths if os.access(path, os.X_OK)), None)


class Tool:
    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.vault_key = base64.b64encode(os.urandom(32)).decode()


class Outcome:
    def __init__(self, status, output, errors):
        self.status, self.output, self.errors = status, output, errors

    @property
    def was_killed(self):
        return self.status == -9

    @property
    def crash(self):
        """What makes this end a crash rather than an orderly one; None if it is orderly."""
        if self.status is None:
            return f"still running after {HANG_SECONDS} s"
        if self.status < 0:
            return f"ended by signal {-self.status}"
        words = re.search("Fatal error|Precondition failed|SIGILL|SIGTRAP|Crash:", self.errors)
        return f"printed {words[0]!r}" if words else None

    def tail(self, lines=6):
        return "\n".join(self.errors.strip().splitlines()[-lines:])


class Sandbox:
    """One sandbox with the environment its commands run in."""

    def __init__(self, tool, folder, verifier_url, backend_url, **settings):
        self.tool, self.folder = tool, folder
        self.path = os.path.join(folder, "sandbox")
        self.home = os.path.join(folder, "home")
        self.temporary = os.path.join(folder, "tmp")
        for path in (self.home, self.temporary):
            os.makedirs(path, exist_ok=True)
        values = {
            "sandbox_path": self.path,
            "vault_key": tool.vault_key,
            "verification_url": verifier_url,
            "verification_api_key": "proof-key",
            "verification_api_secret": "proof-secret",
            "verification_concurrency": 1,
            "delivery_url": backend_url,
            "delivery_token": "proof-token",
            "delivery_user_no": "10086",
            "delivery_concurrency": 1,
            "delivery_max_attempts": 100,
            "imaging_concurrency": 1,
            "retry_base": "5ms",
            "retry_cap": "50ms",
            **settings,
        }
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": self.home,
            "TMPDIR": self.temporary,
            "SWIFT_BACKTRACE": "enable=no",
            **{"IDCARD_" + key.upper(): str(value) for key, value in values.items() if value is not None},
        }

    def start(self, arguments, extra=None, **options):
        """Starts a command; its output goes to pipes as text unless said otherwise."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(
            [self.tool.binary, *arguments],
            env={**self.environment, **(extra or {})},
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            **options,
        )

    def run(self, arguments, extra=None, **options):
        return self.end(self.start(arguments, extra, **options))

    @staticmethod
    def end(process):
        """How a process ended; one that hangs is killed."""
        try:
            output, errors = process.communicate(timeout=HANG_SECONDS)
            return Outcome(process.returncode, output or "", errors or "")
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            return Outcome(None, output or "", errors or "")

    def take_in(self, *photos, extra=None):
        return self.run(["run", *photos, "--format", "json", "--quiet"], extra)

    def cards(self, *arguments):
        outcome = self.run(["cards", "list", "--format", "json", *arguments])
        if outcome.status != 0:
            raise RuntimeError(f"cards list ended with {outcome.status}: {outcome.tail()}")
        return json.loads(outcome.output)["cards"]

    def states(self):
        return sorted(card["state"] for card in self.cards())

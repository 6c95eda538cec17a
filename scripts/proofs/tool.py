"""The command under proof: where it lies, what it can do, how it is started."""

import base64
import json
import os
import subprocess

# Longer than any run of a proof takes; a run that is still going then hangs.
HANG_SECONDS = int(os.environ.get("PROOF_HANG_SECONDS", "180"))


class Outcome:
    """How a run ended."""

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
        for words in ("Fatal error", "Precondition failed", "SIGILL", "SIGTRAP", "Crash:"):
            if words in self.errors:
                return f"printed {words!r}"
        return None

    def tail(self, lines=6):
        return "\n".join(self.errors.strip().splitlines()[-lines:])


class Sandbox:
    """One sandbox with the environment its commands run in."""

    def __init__(self, tool, folder, verifier_url, backend_url, **settings):
        self.tool = tool
        self.folder = folder
        self.path = os.path.join(folder, "sandbox")
        self.home = os.path.join(folder, "home")
        self.temporary = os.path.join(folder, "tmp")
        for path in (self.home, self.temporary):
            os.makedirs(path, exist_ok=True)
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": self.home,
            "TMPDIR": self.temporary,
            "SWIFT_BACKTRACE": "enable=no",
            "IDCARD_SANDBOX_PATH": self.path,
            "IDCARD_VERIFICATION_URL": verifier_url,
            "IDCARD_VERIFICATION_API_KEY": "proof-key",
            "IDCARD_VERIFICATION_API_SECRET": "proof-secret",
            "IDCARD_VERIFICATION_CONCURRENCY": "1",
            "IDCARD_DELIVERY_URL": backend_url,
            "IDCARD_DELIVERY_TOKEN": "proof-token",
            "IDCARD_DELIVERY_USER_NO": "10086",
            "IDCARD_DELIVERY_CONCURRENCY": "1",
            "IDCARD_IMAGING_CONCURRENCY": "1",
            "IDCARD_RETRY_BASE": "5ms",
            "IDCARD_RETRY_CAP": "50ms",
            "IDCARD_DELIVERY_MAX_ATTEMPTS": "100",
            "IDCARD_RUN_PATIENCE": "60s",
            "IDCARD_DELIVERY_TIMEOUT": "30s",
            "IDCARD_VERIFICATION_TIMEOUT": "30s",
            "IDCARD_VAULT_KEY": tool.vault_key,
        }
        for key, value in settings.items():
            self.environment["IDCARD_" + key.upper()] = str(value)

    def start(self, arguments, extra=None, **options):
        """Starts a command; its output goes to pipes as text unless said otherwise."""
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(
            [self.tool.binary, *arguments],
            env={**self.environment, **(extra or {})},
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            **options,
        )

    def run(self, arguments, extra=None, **options):
        """Runs a command to its end."""
        process = self.start(arguments, extra, **options)
        try:
            output, errors = process.communicate(timeout=HANG_SECONDS)
            return Outcome(process.returncode, output or "", errors or "")
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            return Outcome(None, output or "", errors or "")

    def take_in(self, photos, extra=None, **options):
        """`run` over a folder of photos."""
        return self.run(["run", photos, "--format", "json", "--quiet"], extra, **options)

    def cards(self, *arguments):
        """`cards list` as values."""
        outcome = self.run(["cards", "list", "--format", "json", *arguments])
        if outcome.status != 0:
            raise RuntimeError(f"cards list ended with {outcome.status}: {outcome.tail()}")
        return json.loads(outcome.output)["cards"]

    def check(self):
        """What fsck finds wrong; None if all is well."""
        outcome = self.run(["fsck"])
        if outcome.status == 0:
            return None
        return f"fsck ended with {outcome.status}: {(outcome.output + outcome.errors).strip()[-600:]}"


class Tool:
    """The binary, and keys for its sandboxes."""

    # Options without which these commands ask.
    erase_options = ["--yes", "--why", "proof"]
    restore_options = ["--force"]

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.other_key = base64.b64encode(os.urandom(32)).decode()
        self.vault_key = base64.b64encode(os.urandom(32)).decode()


def default_binary():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for kind in ("release", "debug"):
        path = os.path.join(root, ".build", kind, "idcard-pipeline-next")
        if os.access(path, os.X_OK):
            return path
    return None

"""What changes while `serve` works: tokens and webhook secrets."""

import os
import signal
import threading

from proofs.honest import Clients
from proofs.service import Webhook


def write_secret(path, *secrets):
    """Puts a file in its place that only its owner can read."""
    with open(path + ".new", "w", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write("".join(secret + "\n" for secret in secrets))
    os.replace(path + ".new", path)


class Changes:
    """Changes of tokens and secrets while honest clients go on, none of whose requests may fail."""

    def __init__(self, stage, secrets):
        self.stage, self.secrets = stage, secrets
        self.tokens = os.path.join(stage.sandbox.home, ".config", "idcard-pipeline", "tokens.json")
        self.count = 0
        self.asked = 0

    def begin(self, token):
        self.stopped = threading.Event()
        submissions = self.stage.submissions
        plan = submissions.until(self.stopped, submissions.next_index)
        self.clients = Clients(
            self.stage.proof, self.stage.serve, token, submissions, plan, count=2, insists=False, pause=0.05
        ).start()

    def end_clients(self):
        """After they were answered a few times more."""
        goal = self.clients.answers + 4
        self.stage.wait(lambda: self.clients.answers >= goal, "answer to honest clients", lambda: self.clients.answers)
        self.stopped.set()
        self.clients.join()

    def said(self, words):
        with open(self.stage.serve.path, encoding="utf-8", errors="replace") as file:
            return file.read().count(words)

    def reload(self, words="read again"):
        """SIGHUP, until the log says what became of it."""
        before = self.said(words)
        self.stage.serve.process.send_signal(signal.SIGHUP)
        self.count += 1
        self.stage.wait(lambda: self.said(words) > before, f"{words!r} in the log")

    def expect_token(self, token, is_good):
        answer = self.stage.serve.ask("/v1/cards?limit=1", token)
        if repr(answer) != ("200" if is_good else "401 unauthorized"):
            self.stage.violated(f"a token that is {'good' if is_good else 'not good'} was answered {answer!r}")

    def expect_secret(self, secret, is_good):
        """By a webhook that is signed well and says nothing that can be taken."""
        self.asked += 1
        request = Webhook({}, secret, f"probe-{self.asked}")
        with self.stage.serve.client() as client:
            answer = client.send(request)
        if repr(answer) != ("422 image_missing" if is_good else "401 signature_invalid"):
            self.stage.violated(f"a secret that is {'good' if is_good else 'not good'} was answered {answer!r}")

    def break_tokens(self):
        with open(self.tokens, "rb") as file:
            kept = file.read()
        write_secret(self.tokens, "no tokens")
        return kept

    def mend_tokens(self, kept):
        write_secret(self.tokens, kept.decode())

"""What surrounds `serve` in one part of its proof: the remote side, a sandbox, honest clients."""

import contextlib
import signal
import socket
import threading
import time

from proofs.endpoints import Backend, Verifier
from proofs.honest import Clients, Submissions
from proofs.proof import Violation
from proofs.service import HOST, Serve, free_port, webhook_secret
from proofs.tool import HANG_SECONDS, Sandbox


class Door:
    """A way to the verifier that can be shut: then nobody listens there."""

    def __init__(self, url):
        self.target = int(url.rsplit(":", 1)[1])
        self.port = free_port()
        self.listener = None
        self.sockets = []

    @property
    def url(self):
        return f"http://{HOST}:{self.port}"

    def open(self):
        self.listener = socket.create_server((HOST, self.port), backlog=64)
        threading.Thread(target=self.serve, args=(self.listener,), daemon=True).start()

    def serve(self, listener):
        with contextlib.suppress(OSError):
            while True:
                inside, _ = listener.accept()
                outside = socket.create_connection((HOST, self.target))
                self.sockets += [inside, outside]
                for one, other in ((inside, outside), (outside, inside)):
                    threading.Thread(target=self.pass_on, args=(one, other), daemon=True).start()

    @staticmethod
    def pass_on(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                other.sendall(data)
        shut(other)

    def stop(self):
        if self.listener is not None:
            # Wakes the thread that accepts as well.
            shut(self.listener)
            self.listener.close()
            self.listener = None
        while self.sockets:
            shut(self.sockets.pop())


def shut(connection):
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class Stage:
    """A sandbox, what is around it, and a service over it that is not started yet."""

    def __init__(self, proof, name, has_door=False, **settings):
        self.proof, self.name = proof, name
        self.folder = proof.subfolder(name)
        self.verifier = proof.keep_running(Verifier(self.folder))
        self.backend = proof.keep_running(Backend(proof.tool.binary, self.folder))
        self.door = proof.keep_running(Door(self.verifier.url)) if has_door else None
        self.secret = webhook_secret(proof.random)
        if "webhooks_secrets_file" not in settings:
            settings["webhooks_secrets"] = self.secret
        self.sandbox = Sandbox(
            proof.tool,
            self.folder,
            (self.door or self.verifier).url,
            self.backend.url,
            verification_concurrency=4,
            delivery_concurrency=4,
            imaging_concurrency=2,
            server_rate_limit=1_000_000,
            server_failed_rate_limit=1_000_000,
            **settings,
        )
        self.serve = proof.keep_running(Serve(proof, self.sandbox, name))
        self.token = self.serve.token("desk")
        self.submissions = Submissions(proof, self.secret)

    def figure(self, name, value):
        self.proof.figure(f"{self.name}: {name}", value)

    def violated(self, text):
        self.proof.violated(f"{self.name}: {text}")

    def clients(self, plan, **how):
        return Clients(self.proof, self.serve, self.token, self.submissions, plan, **how).start()

    def wait(self, is_done, what, progress=lambda: 0):
        """Waits for something, as long as there is progress; returns whether it came."""
        last, since = progress(), time.monotonic()
        while not is_done():
            now = progress()
            if now != last:
                last, since = now, time.monotonic()
            if not self.serve.is_alive:
                status = self.serve.process.returncode
                raise Violation(f"{self.name}: serve ended by itself with {status}: see {self.serve.path}")
            if time.monotonic() - since > HANG_SECONDS:
                self.violated(f"no {what} in {HANG_SECONDS} s, at {now}")
                return False
            time.sleep(0.02)
        return True

    def wait_for_documents(self):
        """Until both sides of every pair that was made have been delivered."""
        goal = 2 * len(self.submissions.indices)
        self.wait(lambda: self.backend.count() >= goal, f"{goal} documents", self.backend.count)

    def finish(self):
        """The end of a part: all delivered, ended in an orderly way, judged."""
        self.wait_for_documents()
        self.submissions.expect_all_there(self.serve, self.token, f"{self.name}, at the end")
        status = self.serve.end()
        if status != 143:
            self.violated(f"serve ended with {status}, not by the signal: see {self.serve.path}")
        finding = self.sandbox.check()
        if finding is not None:
            self.violated(finding)
        self.proof.judge_ledger(
            self.backend.ledger(), self.backend.refusals(), self.submissions.business_numbers(), f"{self.name}: "
        )
        ways = ", ".join(f"{way} {count}" for way, count in sorted(self.submissions.ways.items()))
        self.figure("answered 202", f"{ways}; {self.submissions.repetitions} of them repetitions")
        self.figure("documents in the ledger", len(self.backend.ledger()))

    @contextlib.contextmanager
    def without_verifier(self, way):
        """The verifier hangs, or is gone; afterwards it is back."""
        process = self.verifier.service.process
        try:
            if way == "hangs":
                process.send_signal(signal.SIGSTOP)
            else:
                self.door.stop()
            yield
        finally:
            if way == "hangs":
                process.send_signal(signal.SIGCONT)
            else:
                self.door.open()

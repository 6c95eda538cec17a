"""`serve` among hostile clients: who watches it meanwhile."""

import contextlib
import resource
import threading
import time

from proofs.honest import listed
from proofs.hostile import MIB, NUMBER, Hostile

# How far the resident memory may go beyond what it was before the first attack.
MEMORY = 96 * MIB
# Outbound connections and readers of the database, which come and go with the work.
DESCRIPTORS = 16
# So many files a process may open that a shell or systemd starts without further words.
USUAL_DESCRIPTORS = 1024


@contextlib.contextmanager
def usual_descriptors():
    """What is started meanwhile may open as many files as is usual; the proof itself as many as it can."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (USUAL_DESCRIPTORS, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Siege:
    """A service among hostile clients, while honest ones go on; memory and descriptors are watched."""

    HONEST = 2

    def __init__(self, stage, limits):
        self.stage, self.serve = stage, stage.serve
        token = stage.serve.token("stranger")
        self.hostile = Hostile(stage.proof, stage.serve, token, stage.secret, limits)
        self.stopped = threading.Event()
        self.allowance = 0

    def begin(self):
        with usual_descriptors():
            self.serve.start()
        self.pid = self.serve.pid
        plan = self.stage.submissions.until(self.stopped)
        self.honest = self.stage.clients(plan, count=self.HONEST, insists=False, pause=0.25)
        # Warm by now: what one card needs is there.
        self.wait_for_honest(6)
        self.stage.wait(lambda: self.stage.backend.count() >= 4, "document")
        self.level, self.descriptors = self.serve.memory()[1], self.serve.descriptors()
        self.stage.figure("before", f"{self.level // MIB} MiB resident, {self.open_files()}")
        if self.descriptors is None:
            self.stage.figure("not looked at", "open files: this kernel counts them for root alone")

    def open_files(self):
        return "open files unknown" if self.descriptors is None else f"{self.serve.descriptors()} descriptors"

    def wait_for_honest(self, count):
        goal = self.honest.answers + count
        self.stage.wait(lambda: self.honest.answers >= goal, "answer to honest clients", lambda: self.honest.answers)

    def attack(self, name, action, allowance=MEMORY):
        """One attack, to its end and beyond: what it held open the service has ended by itself."""
        # A peak that cannot be forgotten may be that of an earlier attack.
        self.allowance = allowance if self.forget_peak() else max(allowance, self.allowance)
        answers, before = self.honest.answers, self.serve.memory()[1]
        self.honest.longest = 0.0
        started = time.monotonic()
        connections, words = action()
        took = time.monotonic() - started
        self.wait_for_honest(2)
        if self.descriptors is not None:
            bound = self.descriptors + DESCRIPTORS
            self.stage.wait(lambda: self.serve.descriptors() <= bound, f"{bound} descriptors", self.serve.descriptors)
        if not self.serve.is_healthy():
            self.stage.violated(f"{name}: the service does not say that it lives")
        for connection in connections:
            connection.close()
        peak, after = self.serve.memory()
        if peak > self.level + self.allowance:
            self.stage.violated(
                f"{name}: {peak // MIB} MiB were resident, more than {self.allowance // MIB} beyond {self.level // MIB}"
            )
        count, longest = self.honest.answers - answers, self.honest.longest
        memory = f"{before // MIB} MiB before, {after // MIB} after, {peak // MIB} at most"
        self.stage.figure(name, f"{words} ({took:.0f} s)")
        self.stage.figure(
            f"{name}, meanwhile",
            f"{memory}; {self.open_files()}; {count} honest answers, {longest:.2f} s at most",
        )

    def forget_peak(self):
        """From now on the peak of the memory counts anew (proc(5), clear_refs); False where only root may say so."""
        try:
            with open(f"/proc/{self.serve.pid}/clear_refs", "w", encoding="ascii") as file:
                file.write("5")
        except PermissionError:
            return False
        return True

    def end(self):
        """Nothing of the hostile clients was taken but what they sent whole, and nothing of it is delivered."""
        self.stopped.set()
        self.honest.join()
        if not self.serve.is_alive or self.serve.pid != self.pid:
            self.stage.violated("the service did not survive")
        with open(self.serve.path, encoding="utf-8", errors="replace") as file:
            errors = file.read().count("request failed http.code=internal_error")
        if errors:
            self.stage.violated(f"{errors} requests were answered 500 internal_error: see {self.serve.path}")
        cards = listed(self.serve, self.stage.token).values()
        theirs = {card["business_no"] for card in cards if card["business_no"].startswith(NUMBER)}
        if theirs != {f"{NUMBER}-SHORT"}:
            self.stage.violated(f"cards of hostile clients were taken in: {', '.join(sorted(theirs))}")

"""service: `serve` is killed, ended and reloaded under clients that submit forms, bare images and webhooks, and besieged.

Whatever was answered 202 is there afterwards, each repetition is told the same card, and each side of each pair comes to
the backend once.
"""

import contextlib
import os
import signal
import threading
import time

from proofs import hostile
from proofs.served import Clients, Serve
from proofs.service_client import Webhook, hook_body, webhook_secret
from proofs.tool import replace_file

CLIENTS = 6
# More than it takes to close a store and to end a process.
ENDING_SECONDS = 20


def kills(proof):
    """SIGKILL at random moments, while it starts, too; a third of all is sent twice."""
    serve = Serve(proof, "kills")
    pairs, wanted = (12, 3) if proof.quick else (300, 30)
    plan = [serve.submissions.make(index, is_back) for index in range(pairs) for is_back in (False, True)]
    for submission in proof.random.sample(plan, len(plan) // 3):
        plan.insert(plan.index(submission) + proof.random.randint(1, 8), submission)
    serve.start()
    clients = Clients(serve, plan, count=CLIENTS)
    starting = 0
    for kill in range(wanted):
        goal = 2 * pairs * (kill + proof.random.uniform(0.2, 1)) / (wanted + 1)
        serve.wait(lambda goal=goal: serve.submissions.count() >= goal, "acknowledgement", serve.submissions.count)
        # Anywhere within the requests that are under way.
        time.sleep(proof.random.uniform(0, 0.1))
        serve.kill()
        if kill % 5 == 1:
            starting += 1
            serve.start(waits=False)
            time.sleep(proof.random.uniform(0, 0.5))
            serve.kill()
        if kill % 10 == 9:
            proof.expect_whole(serve.sandbox, f"after {kill + 1} kills")
        serve.start()
        serve.submissions.expect_all_there(f"after kill {kill + 1}")
    clients.join()
    # Once more, all of them: long delivered, or not yet.
    Clients(serve, {submission.name: submission for submission in plan}.values(), count=CLIENTS).join()
    serve.figure("kills", f"{wanted + starting}, {starting} of them while it started")
    serve.finish()


def endings(proof):
    """SIGTERM under load, with slow clients and a verifier that hangs: it ends in time, and has lost nothing."""
    seconds, rounds = (1, 3) if proof.quick else (5, 15)
    serve = Serve(proof, "endings", run_shutdown_timeout=f"{seconds}s")
    serve.start()
    clients = Clients(serve, count=CLIENTS, pause=0.1 if proof.quick else 0.02)
    longest, ways = 0.0, ("with slow clients", "the verifier hangs", "twice")
    for number in range(rounds):
        goal = serve.submissions.count() + proof.random.randint(3, 12)
        serve.wait(lambda goal=goal: serve.submissions.count() >= goal, "acknowledgement", serve.submissions.count)
        longest = max(longest, end(serve, ways[number % len(ways)], seconds + ENDING_SECONDS))
        serve.start()
        serve.submissions.expect_all_there(f"after SIGTERM {number + 1} ({ways[number % len(ways)]})")
    clients.stop()
    serve.figure("SIGTERM", f"{rounds} times: {', '.join(ways)}; the longest end took {longest:.2f} s of {seconds}")
    serve.finish()


def end(serve, way, seconds):
    with contextlib.ExitStack() as stack:
        if way == "the verifier hangs":
            process = serve.verifier.process
            process.send_signal(signal.SIGSTOP)
            stack.callback(process.send_signal, signal.SIGCONT)
        if way == "with slow clients":
            for place in range(6):
                request = serve.submissions.draft(1_000_000 + place, False).request
                slow = stack.enter_context(serve.connect())
                slow.say(request.head(serve.token) + request.body[: len(request.body) // 2])
                stack.enter_context(serve.connect())
        started = time.monotonic()
        if way == "twice":
            serve.process.send_signal(signal.SIGTERM)
            # The second says more than the first only if it comes after it.
            time.sleep(0.05)
        serve.end(seconds)
        return time.monotonic() - started


def connecting(proof):
    """It ends again and again while clients connect without a pause: none of them may bring it down."""
    serve, stopped, rounds = Serve(proof, "connecting"), threading.Event(), 4 if proof.quick else 1000
    counts = [0] * 8

    def connect(place):
        while not stopped.is_set():
            with contextlib.suppress(OSError), serve.connect() as connection:
                connection.say(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" if counts[place] % 2 else b"GET /")
                counts[place] += 1

    threads = [threading.Thread(target=connect, args=(place,), daemon=True) for place in range(len(counts))]
    serve.start()
    for thread in threads:
        thread.start()
    for number in range(rounds):
        before = sum(counts)
        serve.wait(lambda before=before: sum(counts) > before + 8, "connection", lambda: sum(counts))
        time.sleep(proof.random.uniform(0, 0.02))
        serve.end()
        serve.start()
        if number % 100 == 99:
            proof.progress(f"{number + 1} endings")
    stopped.set()
    for thread in threads:
        thread.join()
    serve.figure("endings", f"{rounds} under {sum(counts)} connections")
    serve.finish()


class Reloads:
    """SIGHUP, and what tokens and secrets are worth."""

    def __init__(self, serve, path):
        self.serve, self.path, self.count, self.asked = serve, path, 0, 0

    def change(self, *secrets, words="read again"):
        """SIGHUP with these secrets in the file."""
        replace_file(self.path, "".join(secret + "\n" for secret in secrets))
        self.reload(words)

    def reload(self, words="read again"):
        """SIGHUP, until the log says what became of it."""
        before = self.serve.said(words)
        self.serve.process.send_signal(signal.SIGHUP)
        self.count += 1
        self.serve.wait(lambda: self.serve.said(words) > before, f"{words!r} in the log")

    def expect_token(self, token, is_good):
        answer = repr(self.serve.ask("/v1/cards?limit=1", token))
        if answer != ("200" if is_good else "401 unauthorized"):
            self.serve.violated(f"a token that is {'' if is_good else 'not '}good was answered {answer}")

    def expect_secret(self, secret, is_good):
        """By a webhook that is signed well and says nothing that can be taken."""
        self.asked += 1
        with self.serve.client() as client:
            answer = repr(client.send(Webhook(hook_body({}), secret, f"probe-{self.asked}")))
        if answer.startswith("401") == is_good:
            self.serve.violated(f"a secret that is {'' if is_good else 'not '}good was answered {answer}")


def reload(proof):
    """Tokens and webhook secrets change under load; nobody who is in the right is refused."""
    path = os.path.join(proof.subfolder("reload"), "secrets")
    old, new = (webhook_secret(proof.random) for _ in range(2))
    replace_file(path, old + "\n")
    serve = Serve(proof, "reload", webhooks_secrets_file=path)
    serve.submissions.secret = old
    serve.start()
    changes, first = Reloads(serve, path), serve.token
    clients = Clients(serve, count=2, insists=False, pause=0.05)
    second = serve.new_token("second")
    changes.expect_token(second, True)
    # A secret that was alone keeps its sender under the name that it had without one.
    changes.change(f"webhook={old}", f"webhook={new}")
    changes.expect_secret(old, True)
    changes.expect_secret(new, True)
    # Senders change over in the midst of their work; one in three submissions is a webhook.
    clients.wait_for(12)
    serve.submissions.secret = new
    clients.wait_for(12)
    clients.stop()
    # All have changed over: the old ones go.
    serve.token = second
    clients = Clients(serve, count=2, insists=False, pause=0.05)
    proof.expect_end(serve.sandbox.run(["tokens", "revoke", "desk"]), "tokens revoke")
    changes.expect_token(first, False)
    changes.change(new)
    changes.expect_secret(old, False)
    # What cannot be read changes nothing.
    changes.change("no secret", words="stay as before")
    changes.expect_token(second, True)
    changes.expect_secret(new, True)
    replace_file(path, new + "\n")
    for _ in range(3 if proof.quick else 50):
        changes.reload()
    clients.wait_for(12)
    clients.stop()
    serve.figure("SIGHUP", f"{changes.count} times")
    serve.finish()


PARTS = {"kills": kills, "endings": endings, "connecting": connecting, "reload": reload, "hostile": hostile.prove}

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
from proofs.service_client import webhook_secret
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
    """SIGTERM under load, two times of three with slow clients and a verifier that hangs: it ends in time, and has lost
    nothing."""
    seconds, rounds = (1, 3) if proof.quick else (5, 15)
    serve = Serve(proof, "endings", run_shutdown_timeout=f"{seconds}s")
    serve.start()
    clients = Clients(serve, count=CLIENTS, pause=0.1 if proof.quick else 0.02)
    verifier, longest = serve.verifier.process, 0.0
    for number in range(rounds):
        goal = serve.submissions.count() + proof.random.randint(3, 12)
        serve.wait(lambda goal=goal: serve.submissions.count() >= goal, "acknowledgement", serve.submissions.count)
        with contextlib.ExitStack() as stack:
            for place in range(6 if number % 3 else 0):
                request = serve.submissions.draft(1_000_000 + place, False).request
                slow = stack.enter_context(serve.connect())
                slow.say(request.head(serve.token) + request.body[: len(request.body) // 2])
                stack.enter_context(serve.connect())
            if number % 3:
                verifier.send_signal(signal.SIGSTOP)
                stack.callback(verifier.send_signal, signal.SIGCONT)
            started = time.monotonic()
            serve.end(seconds + ENDING_SECONDS)
            longest = max(longest, time.monotonic() - started)
        serve.start()
        serve.submissions.expect_all_there(f"after SIGTERM {number + 1}")
    clients.stop()
    serve.figure("SIGTERM", f"{rounds} times; the longest end took {longest:.2f} s of {seconds}")
    serve.finish()


def connecting(proof):
    """It ends again and again while clients connect without a pause: none of them may bring it down."""
    serve, stopped, rounds = Serve(proof, "connecting"), threading.Event(), 4 if proof.quick else 1000
    counts = [0] * 8

    def connect(place):
        while not stopped.is_set():
            with contextlib.suppress(OSError), serve.connect() as connection:
                connection.say(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" if counts[place] % 2 else b"GET /")
                counts[place] += 1

    serve.start()
    for place in range(len(counts)):
        threading.Thread(target=connect, args=(place,), daemon=True).start()
    for number in range(rounds):
        before = sum(counts)
        serve.wait(lambda before=before: sum(counts) > before + 8, "connection", lambda: sum(counts))
        time.sleep(proof.random.uniform(0, 0.02))
        serve.end()
        serve.start()
        if number % 100 == 99:
            proof.progress(f"{number + 1} endings")
    stopped.set()
    serve.figure("endings", f"{rounds} under {sum(counts)} connections")
    serve.finish()


def reload(proof):
    """Webhook secrets change under load: no request of a sender with a valid secret is refused."""
    path = os.path.join(proof.subfolder("reload"), "secrets")
    old, new = (webhook_secret(proof.random) for _ in range(2))
    replace_file(path, old + "\n")
    serve = Serve(proof, "reload", webhooks_secrets_file=path)
    serve.submissions.secret = old
    serve.start()
    clients = Clients(serve, count=2, insists=False, pause=0.05)

    def change(*secrets):
        """SIGHUP with these secrets in the file, until the log says that they were read."""
        replace_file(path, "".join(secret + "\n" for secret in secrets))
        before = serve.said("read again")
        serve.process.send_signal(signal.SIGHUP)
        serve.wait(lambda: serve.said("read again") > before, "'read again' in the log")

    # A secret that was alone keeps its sender under the name that it had without one.
    change(f"webhook={old}", f"webhook={new}")
    # Senders change over in the midst of their work; one in three submissions is a webhook.
    clients.wait_for(12)
    serve.submissions.secret = new
    clients.wait_for(12)
    times = 4 if proof.quick else 51
    for _ in range(times):
        change(new)
    clients.wait_for(12)
    clients.stop()
    serve.figure("SIGHUP", f"{times + 1} times")
    serve.finish()


PARTS = {"kills": kills, "endings": endings, "connecting": connecting, "reload": reload, "hostile": hostile.prove}

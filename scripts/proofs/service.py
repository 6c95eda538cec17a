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
from proofs.cards import Pairs, jpeg
from proofs.served import Clients, Serve, Submission
from proofs.service_client import form_card, webhook_secret
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
    """SIGTERM again and again under honest clients and others that connect without a pause, now and then with slow ones and a
    verifier that hangs: it ends in time and by no crash, and has lost nothing."""
    seconds, rounds, every = (1, 6, 3) if proof.quick else (5, 1000, 50)
    serve, stopped, counts = Serve(proof, "endings", run_shutdown_timeout=f"{seconds}s"), threading.Event(), [0] * 8

    def connect(place):
        while not stopped.is_set():
            with contextlib.suppress(OSError), serve.connect() as connection:
                connection.say(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" if counts[place] % 2 else b"GET /")
                counts[place] += 1

    serve.start()
    clients = Clients(serve, count=CLIENTS, pause=0.1 if proof.quick else 2)
    for place in range(len(counts)):
        threading.Thread(target=connect, args=(place,), daemon=True).start()
    verifier, longest = serve.verifier.process, 0.0
    for number in range(rounds):
        before = sum(counts)
        serve.wait(lambda before=before: sum(counts) > before + 8, "connection", lambda: sum(counts))
        time.sleep(proof.random.uniform(0, 0.02))
        with contextlib.ExitStack() as stack:
            if number % every == 1:
                for place in range(6):
                    request = serve.submissions.draft(1_000_000 + place, False).request
                    slow = stack.enter_context(serve.connect())
                    slow.say(request.head(serve.token) + request.body[: len(request.body) // 2])
                verifier.send_signal(signal.SIGSTOP)
                stack.callback(verifier.send_signal, signal.SIGCONT)
            started = time.monotonic()
            serve.end(seconds + ENDING_SECONDS)
            longest = max(longest, time.monotonic() - started)
        serve.start()
        if number % every == every - 1:
            serve.submissions.expect_all_there(f"after SIGTERM {number + 1}")
            proof.progress(f"{number + 1} endings")
    stopped.set()
    clients.stop()
    serve.figure("SIGTERM", f"{rounds} times under {sum(counts)} connections; the longest end took {longest:.2f} s of {seconds}")
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


def burst(proof):
    """Two hundred uploads of 3 MB at once: none is lost, and none refused but a damaged one among them."""
    serve, count = Serve(proof, "burst"), 40 if proof.quick else 200
    serve.start()

    def large(index, is_back):
        number = Pairs.business_number(index)
        image = jpeg(serve.pairs.number(index), is_back) + b"specimen " * 333_333
        serve.submissions.indices.add(index)
        name = f"{number}-{'back' if is_back else 'front'}"
        return Submission(name, "form", form_card(image, number, key=name))

    plan = [large(index, is_back) for index in range(count // 2) for is_back in (False, True)]
    damaged = jpeg(serve.pairs.number(count), False)
    clients = Clients(serve, plan, count=count, insists=False)
    with serve.client(serve.token) as client:
        answer = client.send(form_card(damaged[: len(damaged) // 2] + b"specimen " * 333_333, "BURST-DAMAGED"))
    serve.expect(answer.status == 422, f"a damaged image was answered {answer!r}")
    clients.join()
    seconds = sorted(seconds for _, seconds in clients.answered)
    serve.figure("uploads of 3 MB at once", f"{count}; the median took {seconds[count // 2]:.1f} s, the slowest {seconds[-1]:.1f} s")
    serve.finish()


PARTS = {"burst": burst, "kills": kills, "endings": endings, "reload": reload, "hostile": hostile.prove}

"""console: the pages of `serve` in a browser: a clerk's day, a reviewer's day, what is personal, and how all that looks."""

import contextlib
import threading
import time
from urllib.parse import urlsplit

from proofs.agreeing import second, sent_anew
from proofs.browser import ALL, Chromium, Desk, in_words
from proofs.cards import jpeg
from proofs.looking import look
from proofs.masking import Eyes, mask
from proofs.paged import DELIVERED, DOUBTED, ENDED, Console
from proofs.reviewing import LET_IN, retaken, review_by_keys, unconfirmed, unseen
from proofs.tool import until

PAIRS = 12
# How long a decision of a page can be undone.
UNDO_SECONDS = 10


def finish(console):
    """All that went to browsers is looked at."""
    Eyes(console).judge()
    console.finish_pages()


def moving_counts(proof, console, desk):
    """The overview while a `run` goes on beside it, before any other case is complete."""
    def stands(state):
        until(lambda: desk.go("/console").count(state) >= PAIRS, console.process, 30)
        console.expect(desk.count(state) == PAIRS, f"the overview counts {desk.count(state)} cases as {state}, not {PAIRS}")

    console.moody.open.clear()
    run = console.sandbox.start(["run", console.photos("photos", range(1000, 1000 + PAIRS)), "--quiet"])
    stands("in_progress")
    console.moody.open.set()
    stands("complete")
    proof.expect_end(console.sandbox.end(run), "the run beside the overview")
    console.figure("the overview beside a run", f"0, then {PAIRS} in progress, then {PAIRS} complete")


def retried(console, desk, business_number):
    """A failed card, found from the overview, is retried on its page; how it is to end."""
    card, = console.failing(business_number)
    console.await_waiting([card])
    console.moody.failing.clear()
    desk.go("/console").click(".tile[href='/console/cases?state=failed']").click(f"tbody tr:has-text('{business_number}') td a")
    console.expect(card in desk.page.url, f"the cases lead to {desk.page.url}, not to the card {card}")
    desk.decide(card, "retry")
    console.expect("Retry" in desk.outcome or "重试" in desk.outcome, f"the page says {desk.outcome!r} of a retry")
    return {card: DELIVERED}


def uploaded(console, desk, business_number):
    """A pair, sent by the form of the page; how it is to end."""
    person = console.person()
    cards = desk.upload(business_number, {"front": jpeg(person, False), "back": jpeg(person, True)})
    return dict.fromkeys(cards, DELIVERED)


def revoked(proof, console, desk):
    """A session ends with its token."""
    desk.go("/console/cards")
    proof.expect_end(console.sandbox.run(["tokens", "revoke", desk.name]), "tokens revoke")
    desk.click("nav a[href='/console/cases']")
    console.expect(desk.is_signed_out, f"with a revoked token the next click led to {desk.page.url}")


def day(proof, name, **options):
    """A clerk's, with a browser as the options have it; how cards are to end."""
    console = Console(proof, name)
    desk = console.desk("li.na", **options).sign_in()
    moving_counts(proof, console, desk)
    return console, desk, retried(console, desk, "RETRY-1") | uploaded(console, desk, "FORM-1")


def clerk(proof):
    console, desk, ends = day(proof, "clerk")
    console.await_states(ends, "retried, and sent by the form")
    revoked(proof, console, desk)
    finish(console)


def no_script(proof):
    """A clerk's day and a decision in a browser without JavaScript."""
    console, desk, ends = day(proof, "no-script", java_script_enabled=False)
    (passed,), (returned,) = console.doubtful("PLAIN-1"), console.doubtful("PLAIN-2")
    rejected, = console.of_two_senders("PLAIN-3", console.new_token("other", "submit"))
    ways = {
        passed: (("accept",), DELIVERED), returned: (("retake", "retake_glare"), ("rejected", "retake_glare")),
        rejected: (("reject",), ENDED),
    }
    console.await_waiting(list(ways))
    desk.begin()
    while shown := desk.cards():
        how, ends[shown[0]] = ways[shown[0]]
        desk.reveal().decide(shown[0], *how)
    console.expect(set(ways) <= set(ends), f"without a script the review ends with {desk.text!r}")
    console.await_states(ends, "decided without a script")
    revoked(proof, console, desk)
    finish(console)


class Reviewer(threading.Thread):
    """A person who goes on to the next case again and again, at a browser and in a thread of its own."""

    def __init__(self, console, name, times, holders, lock):
        super().__init__()
        self.console, self.name, self.token, self.times = console, name, console.new_token(name, *ALL), times
        # Who has which case, by what pages have shown.
        self.holders, self.lock, self.shown, self.error = holders, lock, [], None

    def run(self):
        try:
            with contextlib.closing(Chromium()) as chromium:
                self.work(Desk(self.console, chromium, self.name, self.token).sign_in().begin())
        except Exception as error:
            self.error = error

    def work(self, desk):
        for _ in range(self.times):
            numbers = desk.numbers()
            if not numbers:
                # What was skipped comes back in another session.
                desk.sign_out().sign_in().begin()
                continue
            with self.lock:
                others = {number: self.holders[number] for number in numbers if number in self.holders}
                self.holders |= dict.fromkeys(numbers, self.name)
            self.console.expect(not others, f"{self.name} was shown cases that others had: {others}")
            self.shown += numbers
            # So it is looked at for as long as a page takes.
            again = desk.go(urlsplit(desk.page.url)._replace(scheme="", netloc="").geturl()).numbers()
            self.console.expect(again == numbers, f"{self.name} lost {numbers} and has {again}")
            # It is let go only after this.
            with self.lock:
                for number in numbers:
                    self.holders.pop(number, None)
            desk.click("form[action='/console/review/next'] button")


def two_persons(proof, console):
    """Never has one person a case on a page that the other one has."""
    cases, times = (12, 24) if proof.quick else (30, 200)
    console.await_waiting([card for index in range(cases) for card in console.doubtful(f"QUEUE-{index:02d}")])
    holders, lock = {}, threading.Lock()
    reviewers = [Reviewer(console, name, times, holders, lock) for name in ("zhao.liu", "wang.wei")]
    for reviewer in reviewers:
        reviewer.start()
    for reviewer in reviewers:
        reviewer.join()
        console.expect(reviewer.error is None, f"{reviewer.name} came to an end: {reviewer.error}")
        console.expect(len(reviewer.shown) > times / 2, f"{reviewer.name} was shown {len(reviewer.shown)} cases in {times} turns")
    both = set(reviewers[0].shown) & set(reviewers[1].shown)
    console.expect(both, "no case came to both one after the other: there was nothing to prove")
    console.figure(f"two persons, {times} times the next case", f"{sum(len(each.shown) for each in reviewers)} cases shown, {len(both)} to both in turn, none at a time")


def rejected_both(console):
    """A rejected card is not sent, though the decision about another of its case is carried out first and sends the rest; how they
    are to end."""
    console.moody.open.clear()
    cards = console.disputed("BOTH-1")
    console.moody.open.set()
    console.await_waiting(cards)
    desk, started = console.desk("zhou.ba").sign_in(), time.monotonic()
    desk.go(f"/console/cards/{cards[1]}").reveal().decide(cards[1], "reject")
    # The first one is carried out seconds before the second one.
    until(lambda: time.monotonic() - started > UNDO_SECONDS / 2)
    desk.go(f"/console/cards/{cards[2]}").reveal().decide(cards[2], "reject").close()
    return dict(zip(cards, (DELIVERED, ENDED, ENDED), strict=True))


def let_in_again(console, desk):
    """Once its case has ended, a later photo waits until a person lets it in."""
    back = console.send("BOTH-1", console.person(), True)
    console.await_states({back: ("held", "case_rejected")}, "sent after the case had ended")
    console.expect(back in console.waiting(), "what came after its case had ended is in no queue")
    desk.sign_in().go(f"/console/cards/{back}").reveal().press(*LET_IN)
    console.await_states({back: DELIVERED}, "let in")
    console.figure("after a case had ended", "a later photo waits, is let in, and goes")


def killed_within_undo(console):
    """What was decided outlives the process: it can be undone for ten seconds, and then any process carries it out."""
    card, = console.doubtful("UNDO-1")
    console.await_waiting([card])
    desk = console.desk("sun.qi").sign_in()
    undo = f"form.undo:has(input[value='{card}']) button"
    for is_undone in (True, False):
        desk.go(f"/console/cards/{card}").reveal().decide(card, "accept")
        decided = time.monotonic()
        console.kill()
        console.start()
        console.expect(desk.go("/console/review").is_signed_out, f"after a restart the session leads to {desk.page.url}")
        desk.sign_in()
        if is_undone:
            desk.begin()
            seconds = time.monotonic() - decided
            console.expect(desk.has(undo), f"{seconds:.1f} s after the decision, and a restart, there is no way to undo it")
            desk.click(undo)
            console.expect("taken back" in desk.outcome and desk.cards() == [card], f"after the undo the page says {desk.outcome!r}")
            console.expect(console.states()[card] == DOUBTED, f"undone, the card stands at {console.states()[card]}")
            console.figure("undone after kill -9", f"{seconds:.1f} s after the decision")
    console.await_states({card: DELIVERED}, "decided before a kill")
    desk.close()
    console.figure("carried out after kill -9", f"{time.monotonic() - decided:.1f} s after the decision")
    return {card: DELIVERED}


def review(proof):
    console = Console(proof, "review")
    desk = console.desk("li.na").sign_in()
    review_by_keys(console, desk)
    retaken(console, desk)
    unseen(console)
    unconfirmed(console)
    two_persons(proof, console)
    ends = rejected_both(console) | killed_within_undo(console)
    console.await_states(ends, "decided")
    let_in_again(console, desk)
    console.expect_none_twice()
    finish(console)


PARTS = {
    "clerk": in_words(clerk), "review": in_words(review), "second": in_words(second), "anew": in_words(sent_anew), "mask": in_words(mask),
    "look": in_words(look), "plain": in_words(no_script),
}

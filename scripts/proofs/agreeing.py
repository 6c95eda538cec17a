"""What takes more than one key or one person: a second one who agrees or not, and what the backend may have already."""

import os
import string

from proofs.browser import WORDS
from proofs.paged import DELIVERED, DOUBTED, ENDED, Console
from proofs.reviewing import ANEW, DELIVER, LOOK, PASS, REJECT, REPEAT, returned, returning, sent
from proofs.tool import until

# What a second person must confirm here.
FOUR_EYES = ("accept", "reject", "delivered")
DISAGREE = ("r", WORDS, "Tab", "Enter")
UNKNOWN, RESTORED = ("held", "outcome_unknown"), ("held", "restored")
# As if the page had just come and took keys, with nothing open and nothing confirmed.
AFRESH = """() => { document.querySelectorAll("details").forEach((piece) => piece.open = false);
  document.querySelectorAll("[name=sure]").forEach((box) => box.checked = false); document.activeElement.blur(); quietUntil = 0; }"""
# What a key sends is counted and stays.
CATCH = """() => { caught = 0; addEventListener("submit", (event) => { event.preventDefault(); event.stopImmediatePropagation(); caught++; }, true); }"""
CAUGHT = "() => { const count = caught; caught = 0; return count; }"
# All keys but those that look, or go to another case.
KEYS = [*sorted(set(string.ascii_lowercase) - {"v", "s"}), *string.digits, "Enter", "Space", "Tab"]


def proposals(console):
    """Cards, each with what the first person types, what the second one types, and how it then stands."""
    pairs = {
        "AGREE-1": (PASS, PASS, DELIVERED),
        "AGREE-2": (returning("retake_expired"), PASS, returned("retake_expired")),
        "AGREE-3": (REJECT, REJECT, ENDED),
        "AGREE-4": (PASS, DISAGREE, DOUBTED),
        "FAIL-503-2": (DELIVER, DELIVER, DELIVERED),
    }
    cards = {}
    for number, plan in pairs.items():
        card, = console.doubtful(number) if number.startswith("AGREE") else [console.send(number, console.person())]
        cards[card] = plan
    console.await_waiting(list(cards))
    return cards


def proposed(console, desk, cards):
    """One person decides about all of them, alone; it is written down and no more."""
    desk.begin()
    while shown := desk.cards():
        desk.press(LOOK).press(*cards[shown[0]][0])
    for card in cards:
        waits = until(lambda link=link_to(card): desk.go("/console/log").has(link), console.process, 40)
        console.expect(waits, f"what one person decided about {card} does not come to wait for a second one")
        desk.go(f"/console/cards/{card}")
        offered = desk.page.eval_on_selector_all("form[action$='/decide'] [name=action]", "fields => fields.map((field) => field.value)")
        console.expect(offered == ["withdraw"], f"who decided about {card} is offered {offered}")


def link_to(card):
    return f"section a[href='/console/cards/{card}']"


def twice_alone(console, desk, cards):
    """The same decision of the same person once more, sent by hand, carries nothing out."""
    actions = {card: ("accept", "retake", "reject", "accept", "delivered")[index] for index, card in enumerate(cards)}
    stood = console.states()
    for card, action in actions.items():
        reason = {"reason": "retake_expired"} if action == "retake" else {}
        desk.go(f"/console/cards/{card}").reveal().force(card, action, **reason)
        console.expect("second person" in desk.outcome, f"to one person who decides {action} twice the page says {desk.outcome!r}")
    console.expect(console.states() == stood, "decided twice by one person, cards moved")


def second(proof):
    """What one person decided waits; a second one agrees by the key A or by that of the first, or says why not."""
    console = Console(proof, "second", review_four_eyes=",".join(FOUR_EYES))
    cards = proposals(console)
    first, other = console.desk("li.na").sign_in(), console.desk("wu.jiu").sign_in()
    proposed(console, first, cards)
    twice_alone(console, first, cards)
    console.expect(not other.begin().cards(), f"what waits for a second person stands in the queue: {other.cards()}")
    for card, (_, keys, _) in cards.items():
        other.go("/console/log").click(link_to(card))
        if keys in (PASS, REJECT):
            other.press(*keys, navigates=False)
            console.expect(not sent(other), f"a second person decided about {card} without a look")
            other.go(f"/console/cards/{card}")
        other.press(LOOK).press(*keys)
    console.await_states({card: end for card, (_, _, end) in cards.items()}, "decided by two persons")
    names_both(console, other, cards)
    disagreed(console, first, other, *(card for card, (_, keys, _) in cards.items() if keys == DISAGREE))
    console.figure("a second person", f"agrees {len(cards) - 1} times and disagrees once; one person twice does not count")


def names_both(console, desk, cards):
    for card, (_, keys, _) in cards.items():
        log = desk.go(f"/console/log?card={card}").text
        console.expect("li.na" in log and "wu.jiu" in log, f"the log of what two persons decided about {card} names not both: {log!r}")
        if keys != DISAGREE:
            resolved = desk.go(f"/console/log?card={card}&action=resolve").text
            console.expect("li.na" in resolved and "wu.jiu" in resolved, f"the lines of what was carried out about {card} name not both: {resolved!r}")


def disagreed(console, first, other, card):
    """It is back in the queue, and the first person is told."""
    first.go("/console/cards")
    console.expect(card in first.outcome, f"who was disagreed with is told {first.outcome!r}")
    console.expect(other.begin().cards() == [card], f"after two persons disagreed the review shows {other.cards()}")


def restored(console):
    """A card that was sent and never answered, and one of which a backup tells not how it stands."""
    unknown, card = console.send("FAIL-503-1", console.person()), *console.failing("KEPT-1")
    console.await_waiting([unknown, card])
    backup = os.path.join(console.folder, "backup.sqlite3")
    console.proof.expect_end(console.sandbox.run(["backup", backup]), "backup")
    console.kill()
    console.proof.expect_end(console.sandbox.run(["restore", backup, "--force"]), "restore")
    console.start()
    console.await_states({unknown: UNKNOWN, card: RESTORED}, "restored")
    console.moody.failing.clear()
    return unknown, card


def need_three_keys(console, desk, card, openers):
    """No key, and no key after one that opens something, sends what may be at the backend already."""
    stands = console.states()[card]
    desk.go(f"/console/cards/{card}").press(LOOK)
    desk.page.evaluate(CATCH)
    there = set(desk.page.eval_on_selector_all("summary[data-key]", "pieces => pieces.map((piece) => piece.dataset.key[3].toLowerCase())"))
    console.expect(openers <= there, f"of {openers} the page of {card} has {there}")
    tried = [(key,) for key in KEYS] + [(opener, key) for opener in sorted(there) for key in KEYS]
    for keys in tried:
        desk.page.evaluate(AFRESH)
        for key in keys:
            desk.page.keyboard.press(key)
        console.expect(not desk.page.evaluate(CAUGHT), f"{' '.join(keys)} sends {stands} of {card}")
    return len(tried)


def accept_is_refused(console, desk, card, stands):
    """By command, and by a form that no page has."""
    outcome = console.sandbox.run(["cards", "resolve", card, "--as", "accept"])
    said = outcome.output + outcome.errors
    console.expect(outcome.status == 1 and "--as anew" in said, f"accepting {stands} by command ended with {outcome.status}: {said!r}")
    desk.go(f"/console/cards/{card}").reveal().force(card, "accept")
    answer = console.tap.passed[-1]
    console.expect(answer.status == 409, f"accepting {stands} on a page was answered {answer.status}: {desk.outcome!r}")
    console.expect(console.states()[card] == stands, f"after it was accepted, {stands} stands at {console.states()[card]}")


def sendings(console, card):
    """How often it was being sent."""
    events = console.ask(f"/v1/cards/{card}", console.token).json["events"]
    return sum(event["state"] == "delivering" for event in events if event.get("state"))


def sent_anew(proof):
    """What may be at the backend goes once more only after a person opened and confirmed that."""
    console = Console(proof, "anew")
    unknown, card = restored(console)
    desk = console.desk("zheng.shi").sign_in().begin()
    tried = need_three_keys(console, desk, unknown, {"d", "e", "n"}) + need_three_keys(console, desk, card, {"d", "n"})
    accept_is_refused(console, desk, unknown, UNKNOWN)
    accept_is_refused(console, desk, card, RESTORED)
    documents = len(console.backend.ledger())
    desk.go(f"/console/cards/{card}").press(*ANEW)
    console.await_states({card: DELIVERED}, "sent anew")
    console.expect(len(console.backend.ledger()) == documents + 1, "what was sent anew is not there once")
    desk.go(f"/console/cards/{unknown}").press(*REPEAT)
    until(lambda: sendings(console, unknown) == 2, console.process, 40)
    console.await_waiting([unknown])
    console.expect(sendings(console, unknown) == 2, f"to be repeated once, {unknown} was sent {sendings(console, unknown)} times")
    console.await_states({unknown: UNKNOWN}, "repeated without an answer")
    desk.go(f"/console/cards/{unknown}").press(*DELIVER)
    console.await_states({unknown: DELIVERED}, "marked as delivered")
    console.expect_none_twice()
    console.figure("keys that send nothing twice", f"{tried} single ones and pairs, for outcome_unknown and restored")
    console.finish_pages()

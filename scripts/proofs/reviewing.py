"""A reviewer's day by keys alone: each reason to wait for a person, what is decided about it, and how its case then stands."""

from collections import namedtuple

from proofs.browser import WORDS
from proofs.paged import ALONE, DELIVERED, DOUBTED, ENDED
from proofs.proof import Violation

# How a photo is returned, in the order of the digits: 1 to 9, then 0.
RETURNS = (
    "retake_blurred", "retake_glare", "retake_incomplete", "retake_wrong_side", "retake_not_original", "retake_wrong_document",
    "retake_expired", "retake_other_person", "retake_mismatch", "retake_other",
)
LOOK, PASS, LET_IN, FIRST_PERSON, RETRY = "v", ("a",), ("i",), ("1",), ("t",)
# Opened, confirmed in a box, said in words.
REJECT = ("x", "Space", "Tab", WORDS, "Tab", "Enter")
# Opened, confirmed in a box.
DELIVER, REPEAT, ANEW = (("d", "Space", "Enter"), ("e", "Space", "Enter"), ("n", "Space", "Enter"))
# Where the words of a return go, while its list is open.
WORDS_OF_RETURN = "details[open] textarea[name=message]"
# What is typed about a card after a look, and how the cards of its case then stand.
Plan = namedtuple("Plan", "keys ends")


def returning(code):
    return ("r", str((RETURNS.index(code) + 1) % 10))


def returned(code):
    return ("rejected", code)


def disputes(console):
    """Two fronts that name two persons, and a back: whatever ends one front lets the rest go on."""
    ways = (
        (returning("retake_incomplete"), (returned("retake_incomplete"), DELIVERED, DELIVERED)),
        (FIRST_PERSON, (DELIVERED, ENDED, DELIVERED)),
        (REJECT, (ENDED, DELIVERED, DELIVERED)),
    )
    for index, (keys, ends) in enumerate(ways):
        cards = console.disputed(f"PERSONS-{index}")
        yield cards[0], Plan(keys, dict(zip(cards, ends, strict=True)))


def doubts(console):
    """Fronts that look like copies: passed, ended with their backs, and returned for each reason."""
    for number, keys, ends in (("PASS-1", PASS, (DELIVERED, DELIVERED)), ("END-1", REJECT, (ENDED, ENDED))):
        cards = console.doubtful(number, has_back=True)
        yield cards[0], Plan(keys, dict(zip(cards, ends, strict=True)))
    for code in RETURNS:
        card, = console.doubtful(f"{code.upper()}-1".replace("_", "-"))
        yield card, Plan(returning(code), {card: returned(code)})


def single(console, times):
    """Cards whose case ends or goes on with them."""
    other = console.new_token("other", "submit")
    for index in range(times):
        ends = index % 3 == 1
        card, = console.of_two_senders(f"SENDERS-{index}", other)
        yield card, Plan(REJECT if ends else LET_IN, {card: ENDED if ends else DELIVERED})
        card, = console.failing(f"FAILING-{index}")
        yield card, Plan(REJECT if index % 3 == 2 else RETRY, {card: ENDED if index % 3 == 2 else DELIVERED})
    card = console.send("FAIL-503-1", console.person())
    yield card, Plan(DELIVER, {card: DELIVERED})


def mixed(console, times):
    """Cards of each reason to decide, with their plans."""
    console.moody.open.clear()
    plans = dict([*disputes(console), *doubts(console), *single(console, times)])
    console.moody.open.set()
    console.await_waiting(list(plans))
    console.moody.failing.clear()
    console.expect(len(plans) >= 20, f"only {len(plans)} cards wait for a person")
    return plans


def composed(console, desk):
    """A reason in Pinyin that is thrown away: no key of the input method, and none right after it, decides."""
    shown, session = desk.cards(), desk.context.new_cdp_session(desk.page)

    def key(code):
        # While an input method composes, each key is 229 (UI Events, section 7.3.1).
        for kind in ("rawKeyDown", "keyUp"):
            session.send("Input.dispatchKeyEvent", {"type": kind, "key": "Process", "code": code, "windowsVirtualKeyCode": 229})

    def compose(text):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})

    is_writing = "document.activeElement.name === 'message'"
    # The list of reasons is open beside the words: a digit chooses among words that are composed.
    desk.press(LOOK).press("r", navigates=False)
    console.expect(not desk.page.evaluate(is_writing), "R puts the focus on the words, where a digit chooses no reason")
    desk.page.click(WORDS_OF_RETURN)
    for letters in ("m", "mo", "mo'h", "mo'hu"):
        key(f"Key{letters[-1].upper()}")
        compose(letters)
    key("Digit3")
    key("Escape")
    compose("")
    console.expect(desk.page.evaluate(is_writing), "Escape left the field while syllables were composed")
    desk.page.keyboard.type("3")
    console.expect(desk.page.input_value(WORDS_OF_RETURN) == "3", "a digit does not go to the words that are written")
    for name in ("Escape", "3", "a", "d"):
        desk.page.keyboard.press(name)
    console.expect(not desk.page.evaluate(is_writing), "Escape does not leave the field")
    console.expect(desk.cards() == shown and not sent(desk), f"a key after Escape decided: {desk.outcome!r}")
    desk.press("Escape")
    console.expect(desk.cards() == shown, f"the review shows {desk.cards()} after the words were left, not {shown}")


def sent(desk):
    """How many forms of the page were sent."""
    return desk.page.evaluate("document.querySelectorAll('form[data-sent]').length")


def type_plan(desk, keys):
    """A look, then what the plan says; a return without a reason of the list needs words."""
    desk.press(LOOK)
    if keys == returning("retake_other"):
        desk.press("r", navigates=False)
        desk.page.click(WORDS_OF_RETURN)
        desk.type(WORDS)
        desk.page.keyboard.press("Escape")
        keys = keys[-1:]
    desk.press(*keys)


def decide_all(console, desk, plans):
    """Decides about the first card of each case by keys; who is not in the plans does not come."""
    decided, is_composed = [], False
    desk.begin()
    while shown := desk.cards():
        card, numbers = shown[0], desk.numbers()
        if card in decided or card not in plans:
            stands = console.states()[card]
            raise Violation(f"{console.name}: the card {card} ({stands}) comes to the review, at {desk.page.url}: {desk.outcome!r}")
        if not is_composed and plans[card].keys[0] == "r":
            composed(console, desk)
            is_composed = True
        type_plan(desk, plans[card].keys)
        console.expect(desk.has("form.undo"), f"{card}: {plans[card].keys} did not decide: {desk.outcome!r}")
        decided.append(card)
        if desk.cards() and desk.numbers() == numbers:
            # What is left of the case goes by itself.
            desk.press("s")
    console.expect(set(decided) == set(plans), f"{len(decided)} of {len(plans)} cards were decided; the page says {desk.text!r}")


def retaken(console, desk):
    """The back of a returned front is in no queue and waits; it goes with the new front."""
    number = "RETAKEN-1"
    front, back = console.doubtful(number, has_back=True)
    person = console.pairs.number(console.persons)
    console.await_waiting([front])
    console.expect(back not in console.waiting(), "a back whose front is to be decided waits for a reviewer")
    desk.begin()
    console.expect(desk.cards() == [front], f"the review shows {desk.cards()}, not the front {front} alone")
    desk.press(LOOK).press(*returning("retake_glare"))
    waits = {front: returned("retake_glare"), back: ("verified", "waits_for_front")}
    console.await_states(waits, "returned, and its back")
    console.expect(not desk.begin().cards(), f"after a front was returned the review shows {desk.cards()}")
    listed = desk.go("/console/cases?state=retake").text
    console.expect(number in listed, f"the cases to retake lack {number}: {listed!r}")
    console.expect(not any(line["business_no"] == number for line in console.backend.ledger()), "the back went without a front")
    console.moody.doubtful.clear()
    # Another photo of the same card.
    new = console.send(number, person, quality=80)
    console.await_states({**waits, new: DELIVERED, back: DELIVERED}, "the new front, and the back that waited")
    sides = [line["doctype"] for line in console.backend.ledger() if line["business_no"] == number]
    console.expect(sides == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"], f"of a case whose front was retaken the backend has {sides}")
    console.figure("a returned front", "its back is in no queue, waits, and goes with the new front")


def review_by_keys(console, desk):
    """All cards that wait are decided by one person; backs that wait for no one are in no queue."""
    plans = mixed(console, 2 if console.proof.quick else 3)
    alone = {console.alone(f"ALONE-{index}")[0]: ALONE for index in range(2)}
    console.await_states(alone, "backs without a front")
    reasons = sorted(set(console.waiting().values()))
    decide_all(console, desk, plans)
    ends = {card: end for plan in plans.values() for card, end in plan.ends.items()}
    console.await_states({**ends, **alone}, "decided by keys")
    console.figure("decided by keys", f"{len(plans)} cards, {len(ends)} with those of their cases: {', '.join(reasons)}")


def unseen(console):
    """Who may reveal and has not decides nothing that needs a look; who may not reveal goes without."""
    card, = console.doubtful("UNSEEN-1")
    console.await_waiting([card])
    desk = console.desk("zhang.san").sign_in().go(f"/console/cards/{card}").press("a", "r", "1", navigates=False)
    console.expect(not sent(desk), "a key decided about a photo that its person has not seen")
    desk.force(card, "accept")
    answer = console.tap.passed[-1]
    console.expect(answer.status == 409, f"a decision without a look was answered {answer.status}: {desk.outcome!r}")
    console.expect(not desk.has("form.undo") and console.states()[card] == DOUBTED, "a decision without a look counts")
    blind = console.desk("qian.wu", "read", "review").sign_in().go(f"/console/cards/{card}").decide(card, "accept")
    console.expect(blind.has("form.undo"), f"who may not reveal cannot decide: {blind.outcome!r}")
    console.await_states({card: DELIVERED}, "passed by who may not reveal")
    desk.close()
    blind.close()
    console.figure("without a look", "409 for who may reveal; who may not goes on")


def unconfirmed(console):
    """A rejection without its box or its words, and a return that only words explain, are not taken without them."""
    card, = console.doubtful("BARE-1")
    console.await_waiting([card])
    desk = console.desk("feng.chu").sign_in().go(f"/console/cards/{card}").reveal().press(*returning("retake_other"))
    refused = {"a return for another reason": console.tap.passed[-1].status}
    for lack in ("message", "sure", "effect"):
        desk.go(f"/console/cards/{card}").force(card, "reject", **{lack: ""})
        refused[f"a rejection without {lack}"] = console.tap.passed[-1].status
    console.expect(set(refused.values()) == {422}, f"without what they ask decisions were answered {refused}")
    desk.go(f"/console/cards/{card}")
    console.expect(not desk.has("form.undo") and console.states()[card] == DOUBTED, "a decision without what it asks counts")
    desk.close()
    console.figure("not confirmed, or without words", f"{len(refused)} decisions refused")

"""What is personal on the pages of `serve`: in the answer to a reveal alone, whose line stands in the log, and gone when nobody looks."""

import contextlib
import os
import re
from functools import partial

from proofs.paged import ENDED, Console
from proofs.cards import identity_number, jpeg
from proofs.disk import INTAKE, SmallDisk
from proofs.proof import Skip
from proofs.reviewing import LOOK
from proofs.tool import until

# What the verifier reads off each card, and what a clerk expects.
READ = ("样本甲", "样本路1号", "样本市公安局", "2020.01.01-2040.01.01")
EXPECTED = ("样本丁金丝雀", identity_number(4711))
# How each JPEG begins, by itself and in Base64.
PICTURE = (b"\xff\xd8\xff", b"/9j/", b"data:image")
HIDDEN = """() => { Object.defineProperty(document, "hidden", { configurable: true, value: true });
  document.dispatchEvent(new Event("visibilitychange")); return document.querySelectorAll("[data-revealed]").length; }"""
GONE = """(name) => { window.dispatchEvent(new PageTransitionEvent(name, { persisted: true }));
  return document.querySelectorAll("[data-revealed]").length; }"""


def is_reveal(answer):
    return answer.method == "POST" and answer.path.endswith("/reveal")


class Eyes:
    """What every answer may hold, and what none but a reveal's."""

    def __init__(self, console, desk=None):
        self.console, self.desk = console, desk

    def patterns(self):
        texts = [*READ, *EXPECTED, *(identity_number(self.console.pairs.number(index)) for index in range(1, self.console.persons + 1))]
        return [text.encode() for text in texts] + list(PICTURE) + self.pieces()

    def reveals(self):
        return [answer for answer in self.console.tap.passed if is_reveal(answer) and answer.status == 200]

    def pieces(self):
        """Pieces of the images that were revealed."""
        images = [image for answer in self.reveals() for image in re.findall(rb"base64,([A-Za-z0-9+/=]+)", answer.body)]
        return list({image[at : at + 48] for image in images for at in (0, len(image) // 2, len(image) - 96)})

    def judge(self):
        patterns, others = self.patterns(), [each for each in self.console.tap.passed if not (is_reveal(each) and each.status == 200)]
        for answer in others:
            found = [pattern for pattern in patterns if pattern in answer.body or pattern in str(answer.headers).encode()]
            self.console.expect(not found, f"{answer.method} {answer.path} ({answer.status}) holds {found}")
            self.console.expect("data:" not in answer.headers.get("Content-Security-Policy", ""), f"{answer.path} may show images by data:")
        for answer in self.reveals():
            # Without a script the browser goes on; the script hides in place, and keeps what a person is writing.
            meta = f'<noscript><meta http-equiv="refresh" content="60; url={self.masked(answer)}"></noscript>'
            self.console.expect(meta.encode() in answer.body and b'data-seconds="60"' in answer.body, f"{answer.path}: nothing ends the reveal")
        kept = {each.path for each in self.console.tap.passed if "no-store" not in each.headers.get("Cache-Control", "") and "?v=" not in each.path}
        self.console.expect(not kept, f"browsers may keep {kept}")
        self.console.figure("answers without anything personal", f"{len(others)}, looked through for {len(patterns)} patterns")
        self.console.figure("answers to a reveal", len(self.reveals()))

    def masked(self, answer):
        """The page to which a reveal goes back by itself: that of its card, or that of the case which is reviewed."""
        return re.search(rb'data-hide href="([^"]+)"', answer.body)[1].decode()

    # What is shown, and hidden again

    def expect_shown(self, where):
        page = self.desk.page
        shown = page.evaluate("[...document.querySelectorAll('[data-revealed]')].map((piece) => piece.innerText).join(' ')")
        width = page.evaluate("document.querySelector('img[data-revealed]')?.naturalWidth ?? 0")
        self.console.expect(READ[0] in shown or READ[2] in shown, f"{where}: a reveal shows {shown!r}")
        self.console.expect(width > 0, f"{where}: a reveal shows no image")

    def expect_hidden(self, where):
        found = [text for text in (*READ, "data:image") if text in self.desk.page.content()]
        self.console.expect(not found and not self.desk.has("[data-revealed]"), f"{where}: the page still shows {found}, at {self.desk.page.url}")

    def reveal(self, path, purpose, where):
        self.desk.go(path).reveal(purpose)
        self.expect_shown(where)

    def hides(self, path, where, act, navigates=True):
        """Something happens to a page that shows what is personal."""
        self.reveal(path, "T-4711", where)
        count = len(self.reveals())
        if navigates:
            with self.desk.page.expect_navigation():
                left = act()
            self.desk.came()
        else:
            left = act()
        self.console.expect(not left, f"{where}: {left} pieces were still there")
        self.expect_hidden(where)
        self.console.expect(len(self.reveals()) == count, f"{where}: it was revealed once more")


def hidden_again(eyes, path, where):
    page = eyes.desk.page
    eyes.hides(path, f"{where}, another window", lambda: page.evaluate(HIDDEN), navigates=False)
    eyes.hides(path, f"{where}, left", lambda: page.evaluate(GONE, "pagehide"), navigates=False)
    eyes.hides(path, f"{where}, Back", lambda: page.evaluate(GONE, "pageshow") and None)
    eyes.reveal(path, "T-4711", where)
    eyes.desk.press("Escape")
    eyes.expect_hidden(f"{where}, Escape")


def fill(small):
    """Whether the disk could be filled: `serve` may take room in the same moment."""
    with contextlib.suppress(OSError):
        small.leave(0)
        return True
    return False


def full_disk(console, eyes, small, path):
    """Without room for its line nothing is revealed, and the page says why."""
    shown, refused = [], []
    for turn in range(60):
        until(partial(fill, small))
        purpose = f"T-FULL-{turn:02d}"
        eyes.desk.go(path).reveal(purpose)
        answer = console.tap.passed[-1] if is_reveal(console.tap.passed[-1]) else [each for each in console.tap.passed if is_reveal(each)][-1]
        if answer.status == 200:
            shown.append(purpose)
            continue
        refused.append(purpose)
        eyes.expect_hidden("full disk")
        words = eyes.desk.text
        console.expect(re.search("space|disk|full", words), f"with a full disk the page says {words!r}")
        console.figure("with a full disk the page says", f"{answer.status}: {' · '.join(words.split(chr(10)))[:160]}")
        break
    small.empty()
    if console.process.poll() is not None:
        # Not even the heartbeat found room: serve ended, with 74, and its sessions are gone.
        console.expect(console.process.returncode == 74, f"serve ended with {console.process.returncode} on a full disk")
        console.start()
        eyes.desk.sign_in()
    console.expect(refused, f"with a full disk all of {len(shown)} reveals found room for their lines")
    eyes.reveal(path, "T-ROOM", "with room again")
    log = eyes.desk.go("/console/log?action=reveal").text
    lost = [purpose for purpose in shown if purpose not in log]
    console.expect(not lost, f"the log lacks the lines of {lost}, which were shown")
    console.expect(not any(purpose in log for purpose in refused), f"the log has lines of {refused}, which were not shown")
    console.figure("revealed on a full disk", f"{len(shown)} whose lines found room in the reserve or the log of SQLite; then none")


def mask(proof):
    if os.geteuid() != 0:
        raise Skip("needs root, to mount a tmpfs")
    small = proof.keep_running(SmallDisk(proof.subfolder("mask")))
    console = Console(proof, "pages", sandbox_path=os.path.join(small.path, "sandbox"), sandbox_intake_free_space=INTAKE)
    desk = console.desk("li.na").sign_in()
    eyes = Eyes(console, desk)
    console.moody.open.clear()
    name, number = EXPECTED
    person = console.person()
    cards = console.disputed("MASK-1")
    expecting = desk.upload("MASK-2", {"front": jpeg(person, False)}, expected_name=name, expected_id_number=number)
    console.moody.open.set()
    console.await_waiting(cards)
    for path in ("", "/cases", "/cases/show?no=MASK-1", "/cards", "/cards?attention=any", *(f"/cards/{card}" for card in cards + expecting), "/intake", "/log", "/log?check=1"):
        desk.go(f"/console{path}")
    for index, card in enumerate((cards[0], *expecting)):
        hidden_again(eyes, f"/console/cards/{card}", f"card {index + 1}")
    review = desk.begin().page.url.partition(str(console.tap.server_port))[2]
    hidden_again(eyes, review, "review")
    # What a person writes names the holder, and shows to nobody who has not asked for it.
    desk.go(review).press(LOOK).press("x", "Space", "Tab", f"not {READ[0]} ", "Tab", "Enter")
    console.expect(desk.has("form.undo"), f"words that name the holder are refused: {desk.outcome!r}")
    until(lambda: console.states()[cards[0]] == ENDED, console.process, 40)
    for path in (f"/cards/{cards[0]}", "/cases/show?no=MASK-1", "/log"):
        desk.go(f"/console{path}")
    full_disk(console, eyes, small, f"/console/cards/{cards[1]}")
    eyes.judge()
    console.finish_pages()

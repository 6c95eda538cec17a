"""A person at a browser."""

import os
import re

from proofs.proof import Skip, Violation
from proofs.tool import until

CHROMIUM = "/usr/bin/chromium"
REMEDY = "run scripts/setup --proofs"
# Longer than a key is refused after a page has come, or a field was left.
KEYS_AFTER = "performance.now() > quietUntil + 10"
FORGE = """(form, fields) => { for (const [name, value] of Object.entries(fields)) {
  form.querySelectorAll(`[name=${name}]`).forEach((field) => field.remove());
  form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value })); } form.submit(); }"""
IS_REVIEW = "document.querySelector('form[action^=\"/console/review\"]') !== null"
# What a token may that does everything on pages.
ALL = ("submit", "read", "review", "reveal", "audit", "run")
# What a person writes who must say why.
WORDS = "seen by two of us"


def playwright():
    """Playwright, started; it belongs to the thread that starts it."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise Skip(f"there is no playwright: {REMEDY}") from None
    if not os.access(CHROMIUM, os.X_OK):
        raise Skip(f"there is no {CHROMIUM}: {REMEDY}")
    return sync_playwright().start()


def in_words(part):
    """A part in which a page that does not come, or has not what is looked for, is a broken promise."""
    def run(proof):
        try:
            part(proof)
        except Exception as error:
            if not type(error).__module__.startswith("playwright"):
                raise
            raise Violation(f"the browser gave up: {str(error)[:600]}") from error
    return run


class Chromium:
    """A browser of its own, for the thread that makes it."""

    def __init__(self):
        self.playwright = playwright()
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        self.browser = self.playwright.chromium.launch(executable_path=CHROMIUM, args=sandbox)

    def close(self):
        self.browser.close()
        self.playwright.stop()

    stop = close


class Desk:
    """One person, signed in by a token, at a browser of its own."""

    def __init__(self, console, chromium, name, token, language="en-GB", **options):
        self.console, self.name, self.token = console, name, token
        self.has_script = options.get("java_script_enabled", True)
        self.context = chromium.browser.new_context(locale=language, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("console", lambda message: self.heard(message.type, message.text))
        self.page.on("pageerror", lambda error: self.heard("error", str(error)))

    def heard(self, kind, text):
        """The browser itself notes answers that refuse; all else is a fault of the page."""
        if kind in ("error", "warning") and not re.match(r"Failed to load resource: .* status of (4\d\d|503)", text):
            self.console.violated(f"the browser says at {self.page.url}: {text}")

    def close(self):
        self.context.close()

    # Ways to another page

    def go(self, path):
        self.page.goto(self.console.tap.url + path)
        return self.came()

    def click(self, selector):
        with self.page.expect_navigation():
            self.page.click(selector)
        return self.came()

    def press(self, *keys, navigates=True):
        """Keys one after the other, once the page takes keys; the last one leads to another page."""
        until(lambda: self.page.evaluate(KEYS_AFTER))
        for key in keys[:-1] if navigates else keys:
            self.type(key)
        if not navigates:
            return self
        with self.page.expect_navigation():
            self.type(keys[-1])
        return self.came()

    def type(self, key):
        """A key, or words."""
        if " " in key:
            self.page.keyboard.type(key)
        else:
            self.page.keyboard.press(key)

    def came(self):
        self.console.loads += 1
        is_review = self.has_script and self.page.evaluate(IS_REVIEW)
        if is_review and self.page.evaluate("document.activeElement === document.body"):
            self.console.unfocused.append(self.page.url)
        return self

    def sign_in(self):
        self.go("/console/sign-in")
        self.page.fill("#token", self.token)
        self.click("form.sign-in button")
        self.console.expect(not self.is_signed_out, f"{self.name} is not let in: {self.outcome}")
        return self

    def sign_out(self):
        return self.click("form[action='/console/sign-out'] button")

    # What a page shows

    @property
    def is_signed_out(self):
        return self.page.url.endswith("/console/sign-in")

    @property
    def outcome(self):
        pieces = self.page.query_selector_all(".outcome")
        return " ".join(piece.inner_text() for piece in pieces)

    @property
    def text(self):
        return self.page.inner_text("main")

    def has(self, selector):
        return self.page.query_selector(selector) is not None

    def count(self, state):
        """What the overview says of cases in a state."""
        return int(self.page.inner_text(f'.tile[href="/console/cases?state={state}"] strong'))

    def cards(self):
        """The cards that a page of the review shows, in their order."""
        actions = self.page.eval_on_selector_all("form[action*='/decide']", "forms => forms.map((form) => form.getAttribute('action'))")
        return list(dict.fromkeys(action.split("/")[3] for action in actions))

    def numbers(self):
        """The cases that a page of the review shows."""
        links = self.page.query_selector_all("article h2 a[href^='/console/cases/show']")
        return list(dict.fromkeys(link.inner_text() for link in links))

    def begin(self, purpose="T-881"):
        """Begins a sitting of the review."""
        self.go("/console/review")
        self.page.fill("form[action='/console/review'] input[name=purpose]", purpose)
        return self.click("form[action='/console/review'] button")

    def upload(self, business_number, images, **texts):
        """Photos by the form, by their sides; the cards that they became."""
        self.go("/console/intake")
        for name, text in {"business_no": business_number, **texts}.items():
            self.page.fill(f"form.intake input[name={name}]", text)
        for side, image in images.items():
            self.page.set_input_files(f"form.intake input[name={side}]", {"name": f"{side}.jpg", "mimeType": "image/jpeg", "buffer": image})
        self.click("form.intake button")
        links = self.page.query_selector_all(".outcome a[href^='/console/cards/']")
        self.console.expect(len(links) == len(images), f"photos of {business_number} were answered {self.outcome!r}")
        return [link.get_attribute("href").rpartition("/")[2] for link in links]

    def decide(self, card, action, reason=None):
        """By the buttons of the page; what the decision asks is opened, confirmed and said in words before."""
        form = f"form[action='/console/cards/{card}/decide']:has(input[name=action][value={action}])"
        if self.has(f"details:not([open]) > {form}"):
            self.page.click(f"details:has(> {form}) > summary")
        if self.has(f"{form} [name=sure]"):
            self.page.check(f"{form} [name=sure]")
        if self.has(f"{form} [name=message][required]"):
            self.page.fill(f"{form} [name=message]", WORDS)
        return self.click(f"{form} button[value={reason}]" if reason else f"{form} button")

    def force(self, card, action, **fields):
        """Sends a form of a card's page by hand, as the page itself would not."""
        form = f"form[action='/console/cards/{card}/decide']"
        with self.page.expect_navigation():
            self.page.eval_on_selector(form, FORGE, {"action": action, "sure": "yes", "message": WORDS, "effect": "2", **fields})
        return self.came()

    def reveal(self, purpose="T-881"):
        self.page.fill("form[action$='/reveal'] input[name=purpose]", purpose)
        return self.click("form[action$='/reveal'] button")

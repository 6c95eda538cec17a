"""How the pages of `serve` look: everybody can use them, at each size, in both languages, and pictures of each are kept."""

import os

from axe_playwright_python.base import AXE_SCRIPT

from proofs.masking import Eyes
from proofs.paged import ALONE, Console

SIZES = {"phone": (390, 844), "laptop": (1280, 800), "wide": (1920, 1080)}
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}
# These are kept in dark colours, too.
DARK = ("overview", "review")
AXE = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => `${found.id} (${found.impact}): ` + found.nodes.slice(0, 2).map((node) => node.target.join(" ") + " " + (node.any[0]?.message ?? "")).join("; "))"""
OVERFLOW = """() => { const wide = document.scrollingElement.scrollWidth; if (wide <= innerWidth) return null;
  const out = [...document.querySelectorAll("main *, header *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
  return `${wide} px of ${innerWidth}: ` + out.slice(0, 3).map((one) => one.tagName + "." + one.className).join(", "); }"""


class Gallery:
    """Looks at each page that is open, and keeps pictures of it."""

    def __init__(self, console):
        self.sizes = ("phone",) if console.proof.quick else SIZES
        self.console, self.folder, self.pictures, self.judged, self.found = console, console.subfolder("screenshots"), 0, 0, 0

    def show(self, desk, language, name):
        for size in self.sizes:
            width, height = SIZES[size]
            desk.page.set_viewport_size({"width": width, "height": height})
            self.picture(desk, f"{name}-{language}-{size}")
            overflow = desk.page.evaluate(OVERFLOW)
            self.console.expect(overflow is None, f"{name}, {language}, {size}: the page itself scrolls sideways: {overflow}")
            if size != "wide":
                self.judge(desk, f"{name}, {language}, {size}")
        if name in DARK and not self.console.proof.quick:
            desk.page.emulate_media(color_scheme="dark")
            self.picture(desk, f"{name}-{language}-dark")
            self.judge(desk, f"{name}, {language}, dark")
            desk.page.emulate_media(color_scheme="light")

    def picture(self, desk, name):
        desk.page.screenshot(path=os.path.join(self.folder, f"{name}.png"), full_page=True)
        self.pictures += 1

    def judge(self, desk, where):
        desk.page.evaluate(AXE_SCRIPT)
        found = desk.page.evaluate(AXE)
        for finding in found:
            self.console.violated(f"axe: {where}: {finding}")
        self.judged, self.found = self.judged + 1, self.found + len(found)


def walk(gallery, desk, language, cards):
    """Every page, as it stands after what leads to it."""
    show = lambda name: gallery.show(desk, language, name)
    desk.go("/console/sign-in")
    show("sign-in")
    desk.page.fill("#token", "wrong")
    desk.click("form.sign-in button")
    show("sign-in-wrong")
    desk.sign_in()
    html = desk.page.get_attribute("html", "lang")
    gallery.console.expect(html.startswith(language), f"the browser asks for {language}, and pages come in {html}")
    pages = {
        "overview": "", "overview-live": "?span=week&live=1", "cases": "/cases", "cases-none": "/cases?business_no=NONE-1",
        "case": "/cases/show?no=PERSONS-0", "cards": "/cards", "card": f"/cards/{cards[0]}", "card-failed": f"/cards/{cards[-1]}",
        "intake": "/intake", "log": "/log", "log-chain": "/log?check=1", "not-found": "/cards/none", "review-begin": "/review",
    }
    for name, path in pages.items():
        desk.go(f"/console{path}")
        show(name)
    desk.go(f"/console/cards/{cards[0]}").reveal()
    show("card-revealed")
    desk.begin()
    show("review")
    desk.reveal()
    show("review-revealed")
    desk.page.evaluate("document.querySelectorAll('details.ask').forEach((piece) => piece.open = true)")
    show("review-asks")
    desk.decide(desk.cards()[0], "reject")
    show("review-decided")
    desk.click("form.undo button")
    show("review-undone")
    while desk.cards():
        desk.click("form[action='/console/review/next'] button")
    show("review-empty")
    desk.upload(f"FORM-{language}", {"front": gallery.console.photo()})
    show("intake-sent")
    desk.go("/console/intake")
    desk.page.fill("input[name=business_no]", "FORM-none")
    desk.click("form.intake button")
    show("intake-refused")


def look(proof):
    console = Console(proof, "look")
    other = console.new_token("other", "submit")
    console.moody.open.clear()
    cards = [card for index in range(2) for card in console.disputed(f"PERSONS-{index}")]
    cards += console.of_two_senders("SENDERS-1", other) + console.doubtful("COPY-1", has_back=True)[:1] + console.failing("FAILING-1")
    alone, = console.alone("ALONE-1")
    console.moody.open.set()
    console.await_waiting(cards)
    console.await_states({alone: ALONE}, "a back without a front")
    gallery = Gallery(console)
    for language in ("zh",) if proof.quick else LANGUAGES:
        walk(gallery, console.desk(f"looker.{language}", language=LANGUAGES[language]), language, cards)
    console.figure("pictures", f"{gallery.pictures} in {gallery.folder}")
    console.figure("looked at by axe", f"{gallery.judged} pages; serious or critical: {gallery.found}")
    Eyes(console).judge()
    console.finish_pages()

"""Draws the two sides of a card. All places are fractions of the card's width (x, w) or height (y, h, size)."""

import math
import re
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

ASPECT = 85.6 / 54.0
FONT_FILE = "/usr/share/fonts/opentype/noto/NotoSansCJK-{}.ttc"
SIMPLIFIED_CHINESE = 2
"""Index of "Noto Sans CJK SC" in the font collection."""

LABEL_SIZE = 0.052
VALUE_SIZE = 0.066
NAME_SIZE = 0.0726
ADDRESS_SIZE = 0.0627
NUMBER_SIZE = 0.074
LABEL_X = 0.055
VALUE_X = 0.170
NUMBER_X = 0.325
NUMBER_PITCH = 0.0335
ADDRESS_CHARACTERS = 11

# Vertical middle of each line of text.
FRONT_LINES = {"name": 0.135, "gender": 0.262, "birth": 0.384, "address": 0.510, "number": 0.880}
ADDRESS_LEADING = 0.088
BIRTH_GAP = 0.006
ETHNICITY_LABEL_X = 0.315
ETHNICITY_VALUE_X = 0.425
PORTRAIT = (0.625, 0.105, 0.935, 0.745)
"""Left, top, right, bottom."""

BACK_LINES = {"country": 0.185, "title": 0.375, "issuer": 0.775, "validity": 0.888}
COUNTRY_SIZE, COUNTRY_X, COUNTRY_PITCH = 0.096, 0.335, 0.082
TITLE_SIZE, TITLE_X, TITLE_PITCH = 0.150, 0.335, 0.118
BACK_LABEL_X, BACK_VALUE_X = 0.195, 0.385
EMBLEM = (0.165, 0.275, 0.200)
"""Middle x, middle y, radius as a fraction of the height."""

MARK = "样本 SPECIMEN"
LABEL_INK = (38, 98, 168)
TEXT_INK = (22, 20, 26)
VALUE_WEIGHT = "Bold"
"""Tesseract's chi_sim model misreads names in the regular weight almost twice as often."""


@lru_cache(maxsize=None)
def font(pixels, weight="Regular"):
    return ImageFont.truetype(
        FONT_FILE.format(weight), max(6, round(pixels)), index=SIMPLIFIED_CHINESE, layout_engine=ImageFont.Layout.BASIC
    )


class Canvas:
    """A card being drawn, addressed in fractions."""

    def __init__(self, width, rng, tints):
        self.width, self.height = width, round(width / ASPECT)
        self.image = _paper(self.width, self.height, rng, tints)
        self.draw = ImageDraw.Draw(self.image)

    def text(self, x, y, text, size, ink, weight="Regular", pitch=None):
        """Writes `text` from `x`, its em box centred on `y`; `pitch` (of the width) spaces the characters evenly."""
        face = font(size * self.height, weight)
        at_x, at_y = x * self.width, y * self.height
        if pitch is None:
            self.draw.text((at_x, at_y), text, font=face, fill=ink, anchor="lm")
            return
        for place, character in enumerate(text):
            middle = at_x + (place + 0.5) * pitch * self.width
            self.draw.text((middle, at_y), character, font=face, fill=ink, anchor="mm")


def _paper(width, height, rng, tints):
    """The tinted ground: a gradient of light colours under fine wavy lines."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = x / width, y / width
    left, middle, right = (np.array(t, np.float32) for t in tints)
    t = np.clip(x + 0.12 * np.sin(5 * y + rng.uniform(0, 6)), 0, 1)[..., None]
    ground = np.where(t < 0.5, left + (middle - left) * (t * 2), middle + (right - middle) * (t * 2 - 1))
    phase = rng.uniform(0, 6)
    waves = np.sin(2 * math.pi * (46 * y + 1.3 * np.sin(2 * math.pi * (2.1 * x + phase))))
    waves += np.sin(2 * math.pi * (40 * (0.35 * x + y) + 1.7 * np.sin(2 * math.pi * 1.6 * (x - y) + phase)))
    lines = np.clip(np.abs(waves) * 0.5, 0, 1)[..., None]
    ground = ground - (1 - lines) ** 3 * np.array((13, 7, 5), np.float32)
    return Image.fromarray(np.clip(ground, 0, 255).astype(np.uint8))


def _portrait(canvas, rng, woman):
    """A cartoon head and shoulders in colour on a pale ground, faded at its edges like the print on a card."""
    left, top, right, bottom = PORTRAIT
    w = round((right - left) * canvas.width)
    h = round((bottom - top) * canvas.height)
    scale = 2
    im = Image.new("RGB", (w * scale, h * scale), (226, 234, 243))
    d = ImageDraw.Draw(im)

    def box(*places):
        return [place * (h if at % 2 else w) * scale for at, place in enumerate(places)]

    skin = rng.choice(((240, 205, 175), (232, 190, 155), (246, 214, 188)))
    hair = rng.choice(((40, 30, 28), (58, 40, 30), (25, 25, 32)))
    shirt = rng.choice(((52, 92, 160), (150, 52, 66), (46, 120, 96), (110, 70, 140), (190, 120, 40)))
    if woman:
        d.rounded_rectangle(box(0.20, 0.16, 0.80, 0.72), radius=0.25 * w * scale, fill=hair)
    d.ellipse(box(0.02, 0.74, 0.98, 1.50), fill=shirt)
    d.polygon(box(0.38, 0.755, 0.62, 0.755, 0.5, 0.90), fill=(245, 245, 248))
    d.rounded_rectangle(box(0.41, 0.60, 0.59, 0.82), radius=0.06 * w * scale, fill=tuple(c - 16 for c in skin))
    d.ellipse(box(0.26, 0.20, 0.74, 0.72), fill=skin)
    d.pieslice(box(0.24, 0.13, 0.76, 0.62), 180, 360, fill=hair)
    if woman:
        d.pieslice(box(0.22, 0.14, 0.60, 0.60), 150, 275, fill=hair)
    else:
        d.rectangle(box(0.245, 0.36, 0.285, 0.46), fill=hair)
        d.rectangle(box(0.715, 0.36, 0.755, 0.46), fill=hair)
    for x in (0.40, 0.60):
        d.ellipse(box(x - 0.035, 0.44, x + 0.035, 0.475), fill=(35, 28, 28))
        d.line(box(x - 0.06, 0.41, x + 0.06, 0.405), fill=hair, width=max(1, round(0.018 * w * scale)))
    d.line(box(0.5, 0.48, 0.485, 0.55), fill=tuple(c - 40 for c in skin), width=max(1, round(0.014 * w * scale)))
    d.arc(box(0.42, 0.55, 0.58, 0.635), 25, 155, fill=(180, 80, 80), width=max(1, round(0.022 * w * scale)))
    d.text(box(0.5, 0.955), MARK, font=font(0.082 * h * scale), anchor="mm", fill=tuple(min(255, c + 60) for c in shirt))
    im = im.resize((w, h), Image.LANCZOS)
    fade = Image.new("L", (w, h), 0)
    margin = max(2, round(0.03 * w))
    ImageDraw.Draw(fade).rectangle([margin, margin, w - margin, h - margin], fill=255)
    canvas.image.paste(im, (round(left * canvas.width), round(top * canvas.height)),
                       fade.filter(ImageFilter.GaussianBlur(margin / 2)))


def address_lines(address):
    """The address cut where a line of `ADDRESS_CHARACTERS` ems is full; a house number stays in one piece."""
    lines, line = [], ""
    for piece in re.findall(r"[0-9]+|.", address):
        if line and font(100, VALUE_WEIGHT).getlength(line + piece) > ADDRESS_CHARACTERS * 100:
            lines.append(line)
            line = ""
        line += piece
    return [*lines, line]


def front(person, width, rng):
    """The side with the portrait."""
    c = Canvas(width, rng, ((205, 228, 246), (233, 226, 240), (250, 222, 226)))
    _portrait(c, rng, person.gender == "女")
    lines = FRONT_LINES
    c.text(0.30, 0.050, MARK, 0.040, (176, 190, 214))
    for label, key in (("姓名", "name"), ("性别", "gender"), ("出生", "birth"), ("住址", "address")):
        c.text(LABEL_X, lines[key], label, LABEL_SIZE, LABEL_INK)
    c.text(ETHNICITY_LABEL_X, lines["gender"], "民族", LABEL_SIZE, LABEL_INK)
    c.text(LABEL_X, lines["number"], "公民身份号码", LABEL_SIZE, LABEL_INK)
    c.text(VALUE_X, lines["name"], person.name, NAME_SIZE, TEXT_INK, VALUE_WEIGHT)
    c.text(VALUE_X, lines["gender"], person.gender, VALUE_SIZE, TEXT_INK, VALUE_WEIGHT)
    c.text(ETHNICITY_VALUE_X, lines["gender"], person.ethnicity, VALUE_SIZE, TEXT_INK, VALUE_WEIGHT)
    _birth(c, person.birth)
    for row, line in enumerate(address_lines(person.address)):
        c.text(VALUE_X, lines["address"] + row * ADDRESS_LEADING, line, ADDRESS_SIZE, TEXT_INK, VALUE_WEIGHT)
    c.text(NUMBER_X, lines["number"], person.number, NUMBER_SIZE, TEXT_INK, "Bold", NUMBER_PITCH)
    return c.image


def _birth(canvas, birth):
    """Year, month and day in ink with their signs in the labels' blue between them, spaced as on the card."""
    x = VALUE_X * canvas.width
    y = FRONT_LINES["birth"] * canvas.height
    gap = BIRTH_GAP * canvas.width
    for value, sign in ((birth.year, "年"), (birth.month, "月"), (birth.day, "日")):
        for text, ink in ((str(value), TEXT_INK), (sign, LABEL_INK)):
            face = font(VALUE_SIZE * canvas.height, VALUE_WEIGHT)
            canvas.draw.text((x, y), text, font=face, fill=ink, anchor="lm")
            x += face.getlength(text) + gap


def back(person, width, rng):
    """The side with the title."""
    c = Canvas(width, rng, ((250, 224, 214), (236, 232, 226), (206, 232, 236)))
    _emblem(c)
    c.text(COUNTRY_X, BACK_LINES["country"], "中华人民共和国", COUNTRY_SIZE, TEXT_INK, "Bold", COUNTRY_PITCH)
    c.text(TITLE_X, BACK_LINES["title"], "居民身份证", TITLE_SIZE, TEXT_INK, "Bold", TITLE_PITCH)
    c.text(0.40, 0.585, MARK, 0.062, (196, 196, 208))
    c.text(BACK_LABEL_X, BACK_LINES["issuer"], "签发机关", LABEL_SIZE, TEXT_INK, "Bold")
    c.text(BACK_VALUE_X, BACK_LINES["issuer"], person.issuer, ADDRESS_SIZE, TEXT_INK)
    c.text(BACK_LABEL_X, BACK_LINES["validity"], "有效期限", LABEL_SIZE, TEXT_INK, "Bold")
    c.text(BACK_VALUE_X, BACK_LINES["validity"], person.validity, ADDRESS_SIZE, TEXT_INK)
    return c.image


def _emblem(canvas):
    """A red rosette of twelve petals around a disc: red and round, and nobody's emblem."""
    x, y = EMBLEM[0] * canvas.width, EMBLEM[1] * canvas.height
    radius = EMBLEM[2] * canvas.height
    red, gold = (206, 44, 48), (240, 196, 96)
    d = canvas.draw
    for petal in range(12):
        angle = math.pi * petal / 6
        px, py = x + 0.72 * radius * math.cos(angle), y + 0.72 * radius * math.sin(angle)
        d.ellipse([px - 0.28 * radius, py - 0.28 * radius, px + 0.28 * radius, py + 0.28 * radius], fill=red)
    d.ellipse([x - 0.74 * radius, y - 0.74 * radius, x + 0.74 * radius, y + 0.74 * radius], fill=red)
    d.ellipse([x - 0.60 * radius, y - 0.60 * radius, x + 0.60 * radius, y + 0.60 * radius], outline=gold,
              width=max(2, round(radius * 0.05)))
    leaf = [(x, y - 0.42 * radius), (x + 0.30 * radius, y), (x, y + 0.42 * radius), (x - 0.30 * radius, y)]
    d.polygon(leaf, fill=gold)


def scan(card_image, rng, size):
    """The card as a flatbed scanner gives it: upright, a little off-white bed around it, rounded corners."""
    width, height = size
    bed = Image.new("RGB", size, tuple(rng.randint(240, 247) for _ in range(3)))
    mask = rounded_mask(card_image.size)
    bed.paste(card_image, ((width - card_image.width) // 2, (height - card_image.height) // 2), mask)
    return bed.filter(ImageFilter.GaussianBlur(0.4))


def rounded_mask(size):
    """Opaque where the card is; its corners have a radius of 3.18 mm."""
    mask = Image.new("L", (size[0] * 2, size[1] * 2), 0)
    ImageDraw.Draw(mask).rounded_rectangle([0, 0, size[0] * 2 - 1, size[1] * 2 - 1],
                                           radius=3.18 / 85.6 * size[0] * 2, fill=255)
    return mask.resize(size, Image.LANCZOS)


def colourless(image, rng):
    """The same picture as a photocopier prints it: grey, hard contrast, specks of toner."""
    grey = np.asarray(image.convert("L")).astype(np.float32)
    grey = (grey - 90) * 1.45 + 70
    noise = np.random.default_rng(rng.getrandbits(32)).normal(0, 7, grey.shape)
    return Image.fromarray(np.clip(grey + noise, 0, 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.6))

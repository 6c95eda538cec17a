"""Draws small SPECIMEN cards, each with a mark of big blocks from which the stub verifier makes its holder."""

import datetime
import io
import os
import random
from pathlib import Path

from fixturegen.people import check_digit

WIDTH, HEIGHT = 640, 400
COLUMNS, ROWS, CELL = 8, 6, 50
ORIGIN_X, ORIGIN_Y = 120, 70
BITS = COLUMNS * ROWS
NUMBER_BITS = 32
FIRST_BIRTHDAY = datetime.date(1950, 1, 1)
BIRTHDAYS = 18000


def check(number, is_back):
    """15 bits that tell a mark from noise."""
    value = (number * 2 + is_back) * 0x9E3779B1 & 0xFFFFFFFF
    return value >> 17


def bits_of(number, is_back):
    word = number << 16 | int(is_back) << 15 | check(number, is_back)
    return [word >> place & 1 for place in reversed(range(BITS))]


def draw(number, is_back):
    from PIL import Image, ImageDraw

    grey = 70 if is_back else 200
    picture = Image.new("RGB", (WIDTH, HEIGHT), (grey, grey, grey))
    pen = ImageDraw.Draw(picture)
    for place, bit in enumerate(bits_of(number, is_back)):
        x, y = ORIGIN_X + place % COLUMNS * CELL, ORIGIN_Y + place // COLUMNS * CELL
        pen.rectangle((x, y, x + CELL - 1, y + CELL - 1), fill=(255, 255, 255) if bit else (0, 0, 0))
    pen.text((12, 10), "SPECIMEN - invented, no identity card", fill=(200, 0, 0))
    return picture


def read(jpeg):
    """(number, is_back) of a picture; None if it carries no mark."""
    from PIL import Image

    picture = Image.open(io.BytesIO(jpeg)).convert("L")
    if picture.size != (WIDTH, HEIGHT):
        return None
    word = 0
    for place in range(BITS):
        x, y = ORIGIN_X + place % COLUMNS * CELL + CELL // 2, ORIGIN_Y + place // COLUMNS * CELL + CELL // 2
        word = word << 1 | (picture.getpixel((x, y)) > 127)
    number, is_back = word >> 16, bool(word >> 15 & 1)
    return (number, is_back) if word & 0x7FFF == check(number, is_back) else None


def birthday(number):
    return FIRST_BIRTHDAY + datetime.timedelta(days=number % BIRTHDAYS)


def identity_number(number):
    """The holder's number: invented, valid, different for the numbers of one proof."""
    sequence = number // BIRTHDAYS % 1000
    digits = f"110101{birthday(number):%Y%m%d}{sequence:03d}"
    return digits + check_digit(digits)


def gender(number):
    return "男" if number // BIRTHDAYS % 1000 % 2 else "女"


def jpeg(number, is_back):
    data = io.BytesIO()
    draw(number, is_back).save(data, "JPEG", quality=90)
    return data.getvalue()


class Pairs:
    """Pairs of pictures under folders named by their business number, all different from every other proof's."""

    def __init__(self, seed):
        self.first = random.Random(f"cards-{seed}").randrange(1 << 31)

    def number(self, index):
        return (self.first + index) % (1 << NUMBER_BITS)

    @staticmethod
    def business_number(index):
        return f"PROOF-{index:05d}"

    def make(self, folder, indices):
        for index in indices:
            case = os.path.join(folder, self.business_number(index))
            os.makedirs(case, exist_ok=True)
            for is_back in (False, True):
                Path(case, "back.jpg" if is_back else "front.jpg").write_bytes(jpeg(self.number(index), is_back))

"""Draws small SPECIMEN cards, each with a mark of big blocks from which the stub verifier makes its holder."""

import datetime
import io
import os
import random
from pathlib import Path

from PIL import Image, ImageDraw

from fixturegen.people import check_digit

SIZE = (640, 400)
# The mark is a byte of blocks a row; its place in the picture.
MARK, PLACE = (8, 6), (120, 70, 520, 370)
NUMBER_BITS = 32
FIRST_BIRTHDAY = datetime.date(1950, 1, 1)
BIRTHDAYS = 18000


def check(number, is_back):
    """15 bits that tell a mark from noise."""
    value = (number * 2 + is_back) * 0x9E3779B1 & 0xFFFFFFFF
    return value >> 17


def draw(number, is_back):
    word = number << 16 | int(is_back) << 15 | check(number, is_back)
    mark = Image.frombytes("1", MARK, word.to_bytes(MARK[1], "big"))
    picture = Image.new("RGB", SIZE, (70, 70, 70) if is_back else (200, 200, 200))
    picture.paste(mark.resize((PLACE[2] - PLACE[0], PLACE[3] - PLACE[1])), PLACE)
    ImageDraw.Draw(picture).text((12, 10), "SPECIMEN - invented, no identity card", fill=(200, 0, 0))
    return picture


def read(jpeg):
    """(number, is_back) of a picture; None if it carries no mark."""
    picture = Image.open(io.BytesIO(jpeg)).convert("L")
    if picture.size != SIZE:
        return None
    mark = picture.resize(MARK, Image.Resampling.BOX, PLACE).point(lambda grey: 255 * (grey > 127), "1")
    word = int.from_bytes(mark.tobytes(), "big")
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


def encoded(number, is_back, kind, **options):
    data = io.BytesIO()
    draw(number, is_back).save(data, kind, **options)
    return data.getvalue()


def jpeg(number, is_back, quality=90):
    return encoded(number, is_back, "JPEG", quality=quality)


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

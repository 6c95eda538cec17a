"""The cards that must be delivered: `cards/`, one invented person per folder."""

from PIL import Image

from . import card as art
from . import encode, people, scene

SCAN_SIZE = (1264, 800)
CARD_ON_SCAN = 1216
LIMITS = {"1mp": 220_000, "12mp": 1_350_000}
SIDES = {"front": art.front, "back": art.back}

# business number: (take, size, (front name, orientation), (back name, orientation)); one row per person.
PHOTOGRAPHS = {
    "LOAN-2026-0002": ("12mp", ("front.jpg", 1), ("back.jpg", 6)),
    "LOAN-2026-0003": ("1mp", ("front.JPG", 3), ("back.jpeg", 1)),
    "LOAN-2026-0004": ("12mp", ("IMG_20260512_101407.jpg", 6), ("IMG_20260512_101422.jpg", 8)),
    "LOAN-2026-0007": ("1mp", ("front.jpg", 2), ("back.jpg", 4)),
    "LOAN-2026-0008": ("1mp", ("front.jpg", 5), ("back.jpg", 7)),
    "LOAN-2026-0010": ("1mp", ("front.jpg", 8), ("back.jpg", 1)),
}
SCANS = {
    "LOAN-2026-0001": ("front.jpg", "back.jpg"),
    "LOAN-2026-0005": ("front.png", "back.png"),
    "LOAN-2026-0006": ("front.png", "back.jpg"),
    "LOAN-2026-0009": ("身份证正面.jpg", "身份证背面.jpg"),
    "LOAN-2026-0011": ("front.jpg", "back.jpg"),
}


def scan_of(person, side, rng):
    """One side as a flatbed scanner gives it, about one megapixel."""
    return art.scan(SIDES[side](person, CARD_ON_SCAN, rng), rng, SCAN_SIZE)


def photo_of(person, side, size, rng, **options):
    look = rng.getrandbits(32)
    return scene.photograph(lambda w: SIDES[side](person, w, people.stream(look)), size, rng, **options)


def person_of(business_no, seed):
    """The holder of a business number; 0003's and 0011's numbers end in X."""
    ends_in_x = business_no in ("LOAN-2026-0003", "LOAN-2026-0011")
    return people.invent(people.stream(seed, business_no), ends_in_x)


def write_cards(out, seed):
    for business_no in sorted({*PHOTOGRAPHS, *SCANS}):
        person = person_of(business_no, seed)
        for position, side in enumerate(SIDES):
            rng = people.stream(seed, business_no, side)
            if business_no in SCANS:
                _write_scan(out, business_no, person, side, SCANS[business_no][position], rng)
            else:
                size, *takes = PHOTOGRAPHS[business_no]
                _write_photo(out, business_no, person, side, size, takes[position], rng)


def _write_photo(out, business_no, person, side, size, take, rng):
    name, orientation = take
    photo = photo_of(person, side, size, rng)
    data = encode.photograph_jpeg(photo, orientation, rng, LIMITS[size], big_endian=orientation % 2 == 0)
    out.card(f"cards/{business_no}/{name}", data, person, side, business_no, "photo", photo, orientation)


def _write_scan(out, business_no, person, side, name, rng):
    image = scan_of(person, side, rng)
    if business_no == "LOAN-2026-0005" and side == "back":
        data = png_of(image.quantize(256, dither=Image.Dither.FLOYDSTEINBERG))
    elif business_no == "LOAN-2026-0006" and side == "front":
        data = png_of(transparent_around(image))
    elif name.endswith(".png") or business_no == "LOAN-2026-0006":
        data = png_of(image)
    else:
        data = encode.jpeg(image, 88)
    out.card(f"cards/{business_no}/{name}", data, person, side, business_no, "scan", image)


def png_of(image):
    return encode.saved(image, "PNG", optimize=True)


def transparent_around(image):
    """The scan with nothing (transparent black) where the scanner's bed was."""
    mask = Image.new("L", image.size, 0)
    height = round(CARD_ON_SCAN / art.ASPECT)
    mask.paste(art.rounded_mask((CARD_ON_SCAN, height)),
               ((image.width - CARD_ON_SCAN) // 2, (image.height - height) // 2))
    clear = Image.new("RGBA", image.size, (0, 0, 0, 0))
    opaque = image.convert("RGBA")
    opaque.putalpha(mask)
    return Image.composite(opaque, clear, mask.point(lambda v: 255 if v else 0))

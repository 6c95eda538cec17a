"""The command line of scripts/make-fixtures.

Draws synthetic SPECIMEN identity cards. Every person is invented.

Without a command it writes all but the README under fixtures/ again: the same bytes for the same seed, as long as Python's
zlib, Pillow, numpy and the font are of the same versions. `draw` draws further pairs as DIR/<BUSINESS_NO>/front.jpg and
back.jpg with DIR/truth.json; of a kind other than `photo` they are called front-KIND.jpg or .png."""

import argparse
import copy
import secrets
import sys
from pathlib import Path

from . import card, cards, encode, fixtures, people, scene
from .output import Output

PROJECT = Path(__file__).resolve().parent.parent.parent
DEFAULT_SEED = 20260101
UNAVAILABLE = 69
# How far the corners of a drawn photograph lie from a parallelogram, as a fraction of the card's width: plainly a trapezium.
DISPLACEMENT = (0.0304, 0.047)
# How a photograph can be stored: the mode of its pixels, and options of the JPEG.
KINDS = {
    "photo": ("RGB", {}),
    "422": ("RGB", {"subsampling": "4:2:2"}),
    "444": ("RGB", {"subsampling": "4:4:4"}),
    "progressive": ("RGB", {"progressive": True}),
    "p3": ("RGB", {"icc_profile": encode.icc_profile("Display P3", encode.DISPLAY_P3_TO_XYZ_D50, 2.2)}),
    "grey": ("L", {}),
    "png": ("RGB", None),
}


def main():
    parser = argparse.ArgumentParser(prog="make-fixtures", description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=("draw",), help="draws new pairs")
    parser.add_argument("--seed", type=int, help=f"what to draw (default: {DEFAULT_SEED}; of new pairs a new one, which is printed)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to (default: fixtures)")
    parser.add_argument("--count", type=int, metavar="N", help="new pairs to draw")
    parser.add_argument("--size", choices=scene.SIZES, default="1mp", help="of new pairs (default: %(default)s)")
    parser.add_argument("--kind", choices=KINDS, nargs="+", default=["photo"], help="of new pairs: each is stored in each of these")
    options = parser.parse_args()
    if options.command == "draw" and None in (options.count, options.out):
        parser.error("draw needs --count and --out")
    try:
        card.font(20)  # A missing font is told before anything is written.
    except OSError:
        print("make-fixtures: the font Noto Sans CJK is missing: run scripts/setup", file=sys.stderr)
        sys.exit(UNAVAILABLE)
    if options.command == "draw":
        seed = secrets.randbelow(2**31) if options.seed is None else options.seed
        print(f"make-fixtures: seed {seed}", file=sys.stderr, flush=True)
        draw_pairs(Output(options.out), seed, options.count, options.size, options.kind)
    else:
        fixtures.write_all(Output(options.out or PROJECT / "fixtures"), DEFAULT_SEED if options.seed is None else options.seed)


def draw_pairs(out, seed, count, size, kinds):
    """New pairs from a seed, each side a photograph of its own."""
    for number in range(1, count + 1):
        business_no = f"DRAW-{seed}-{number:04d}"
        person = people.invent(people.stream(seed, business_no))
        for side in cards.SIDES:
            rng = people.stream(seed, business_no, side, "photo", size)
            turn = rng.choices((1, 6, 8, 3), (62, 30, 5, 3))[0]
            photo = cards.photo_of(person, side, size, rng, displacement=DISPLACEMENT)
            for kind in kinds:
                data, orientation, ending = stored(photo, kind, turn, copy.copy(rng), cards.LIMITS[size])
                path = f"{business_no}/{side}{'' if kind == 'photo' else f'-{kind}'}.{ending}"
                out.card(path, data, person, side, business_no, "photo", photo, orientation, seed=seed)
    out.finish()


def stored(photo, kind, orientation, rng, limit):
    """The file of a photograph, its orientation, and what its name ends in."""
    mode, options = KINDS[kind]
    if options is None:
        return cards.png_of(photo), 1, "png"
    if kind == "p3":
        photo = encode.into_space(photo, encode.DISPLAY_P3_TO_XYZ_D50, 2.2)
    return encode.photograph_jpeg(photo.convert(mode), orientation, rng, limit, **options), orientation, "jpg"


if __name__ == "__main__":
    main()

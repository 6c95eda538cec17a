"""The command line of scripts/make-fixtures.

Draws synthetic SPECIMEN identity cards. Every person is invented.

Without a command it writes all but the README under fixtures/ again: the same bytes for the same seed, as long as Python's
zlib, Pillow, numpy and the font are of the same versions. `draw` draws further pairs as DIR/<BUSINESS_NO>/front.jpg and
back.jpg with DIR/truth.json."""

import argparse
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


def main():
    parser = argparse.ArgumentParser(prog="make-fixtures", description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=("draw",), help="draws new pairs")
    parser.add_argument("--seed", type=int, help=f"what to draw (default: {DEFAULT_SEED}; of new pairs a new one, which is printed)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to (default: fixtures)")
    parser.add_argument("--count", type=int, metavar="N", help="new pairs to draw")
    parser.add_argument("--size", choices=scene.SIZES, default="1mp", help="of new pairs (default: %(default)s)")
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
        draw_pairs(Output(options.out), seed, options.count, options.size)
    else:
        fixtures.write_all(Output(options.out or PROJECT / "fixtures"), DEFAULT_SEED if options.seed is None else options.seed)


def draw_pairs(out, seed, count, size):
    """New pairs from a seed, each side a photograph of its own."""
    for number in range(1, count + 1):
        business_no = f"DRAW-{seed}-{number:04d}"
        person = people.invent(people.stream(seed, business_no))
        for side in cards.SIDES:
            rng = people.stream(seed, business_no, side, "photo", size)
            orientation = rng.choices((1, 6, 8, 3), (62, 30, 5, 3))[0]
            photo = cards.photo_of(person, side, size, rng, displacement=DISPLACEMENT)
            data = encode.photograph_jpeg(photo, orientation, rng, cards.LIMITS[size])
            path = f"{business_no}/{side}.jpg"
            out.card(path, data, person, side, business_no, "photo", photo, orientation, seed=seed)
    out.finish()


if __name__ == "__main__":
    main()

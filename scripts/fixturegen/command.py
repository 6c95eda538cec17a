"""The command line of scripts/make-fixtures.

Draws synthetic SPECIMEN identity cards. Every person is invented.

Without a command it writes all but the README under fixtures/ again: the same bytes for the same seed, as long as Python's
zlib, Pillow, numpy and the font are of the same versions. `draw` draws further pairs as DIR/<BUSINESS_NO>/front.jpg and
back.jpg with DIR/truth.json."""

import argparse
import secrets
import sys
from pathlib import Path

from . import card, cards, encode, fixtures, people
from .output import Output

PROJECT = Path(__file__).resolve().parent.parent.parent
DEFAULT_SEED = 20260101
UNAVAILABLE = 69
# Beyond that a displaced corner leaves the picture.
MOST_DISPLACEMENT = 0.06


def fraction(text):
    value = float(text)
    if not 0 <= value <= MOST_DISPLACEMENT:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and {MOST_DISPLACEMENT}")
    return value


def parser():
    top = argparse.ArgumentParser(prog="make-fixtures", description=__doc__.split("\n\n", 1)[1],
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--seed", type=int, default=DEFAULT_SEED, help="what to draw (default: %(default)s)")
    top.add_argument("--out", type=Path, default=PROJECT / "fixtures", help="where to (default: fixtures)")
    draw = top.add_subparsers(dest="command", metavar="draw").add_parser("draw", help="draws new pairs")
    draw.add_argument("--count", type=int, required=True, metavar="N", help="pairs to draw")
    draw.add_argument("--seed", type=int, metavar="S", dest="draw_seed",
                      help="what to draw (default: a new one, printed on standard error)")
    draw.add_argument("--out", type=Path, required=True, metavar="DIR", dest="draw_out", help="where to")
    draw.add_argument("--kind", choices=("photo", "scan"), default="photo", help="(default: %(default)s)")
    draw.add_argument("--size", choices=("1mp", "12mp"), default="1mp", help="of photographs (default: %(default)s)")
    draw.add_argument("--min-displacement", type=fraction, default=0.03, metavar="F",
                      help="least distance of each corner from a rectangle, as a fraction of the card's width "
                           "(default: %(default)s)")
    return top


def main():
    options = parser().parse_args()
    try:
        card.font(20)  # A missing font is told before anything is written.
    except OSError:
        print("make-fixtures: the font Noto Sans CJK is missing: run scripts/setup", file=sys.stderr)
        sys.exit(UNAVAILABLE)
    if options.command == "draw":
        seed = secrets.randbelow(2**31) if options.draw_seed is None else options.draw_seed
        print(f"make-fixtures: seed {seed}", file=sys.stderr, flush=True)
        draw_pairs(Output(options.draw_out), seed, options)
    else:
        fixtures.write_all(Output(options.out), options.seed)


def draw_pairs(out, seed, options):
    """New pairs from a seed, each side a photograph (or a scan) of its own."""
    kind, least = options.kind, options.min_displacement
    for number in range(1, options.count + 1):
        business_no = f"DRAW-{seed}-{number:04d}"
        person = people.invent(people.stream(seed, business_no))
        for side in cards.SIDES:
            rng = people.stream(seed, business_no, side, kind, options.size)
            path = f"{business_no}/{side}.jpg"
            if kind == "scan":
                image = cards.scan_of(person, side, rng)
                out.card(path, encode.jpeg(image, 88), person, side, business_no, kind, image, seed=seed)
                continue
            orientation = rng.choices((1, 6, 8, 3), (62, 30, 5, 3))[0]
            displacement = (least * 1.01 + 0.0001, least * 1.5 + 0.002)
            photo = cards.photo_of(person, side, options.size, rng, displacement=displacement)
            data = encode.photograph_jpeg(photo.image, orientation, rng, cards.LIMITS[options.size])
            out.card(path, data, person, side, business_no, kind, photo.image, orientation, seed=seed, **photo.truth())
    out.finish()


if __name__ == "__main__":
    main()

"""The command line of scripts/make-fixtures."""

import argparse
import secrets
import sys
from pathlib import Path

from . import card, drawing, fixtures
from .output import Output

PROJECT = Path(__file__).resolve().parent.parent.parent
DEFAULT_SEED = 20260101
UNAVAILABLE = 69
ABOUT = """\
Draws synthetic SPECIMEN identity cards. Every person is invented.

Without a command it writes everything under fixtures/ again: the same bytes for the same seed, as long as Python's zlib,
Pillow, numpy and the font are of the same versions. `draw` draws further pairs as DIR/<BUSINESS_NO>/front.jpg and
back.jpg with DIR/truth.json."""


def _fraction(text):
    value = float(text)
    if not 0 <= value <= 0.06:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 0.06")
    return value


def _count(text):
    value = int(text)
    if not 1 <= value <= 9999:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 9999")
    return value


def _parser():
    parser = argparse.ArgumentParser(prog="make-fixtures", description=ABOUT,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="what to draw (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=PROJECT / "fixtures", help="where to (default: fixtures)")
    commands = parser.add_subparsers(dest="command", metavar="draw")
    draw = commands.add_parser("draw", help="draw new pairs", description="Draws N pairs of new, invented persons.")
    draw.add_argument("--count", type=_count, required=True, metavar="N", help="pairs to draw")
    draw.add_argument("--seed", type=int, metavar="S", dest="draw_seed",
                      help="what to draw (default: a new one, printed on standard error)")
    draw.add_argument("--out", type=Path, required=True, metavar="DIR", dest="draw_out", help="where to")
    draw.add_argument("--kind", choices=("photo", "scan"), default="photo", help="(default: %(default)s)")
    draw.add_argument("--size", choices=("1mp", "12mp"), default="1mp", help="of photographs (default: %(default)s)")
    draw.add_argument("--min-displacement", type=_fraction, default=0.03, metavar="F",
                      help="least distance of each corner from a rectangle, as a fraction of the card's width "
                           "(default: %(default)s)")
    return parser


def main():
    """Runs the command and returns the exit code."""
    options = _parser().parse_args()
    try:
        if options.command == "draw":
            return _draw(options)
        return _write_fixtures(options)
    except card.FontMissing as missing:
        print(f"make-fixtures: {missing}", file=sys.stderr)
        return UNAVAILABLE
    except OSError as error:
        print(f"make-fixtures: {error.filename or options.out}: {error.strerror}", file=sys.stderr)
        return 1


def _draw(options):
    seed = secrets.randbelow(2**31) if options.draw_seed is None else options.draw_seed
    print(f"make-fixtures: seed {seed}", file=sys.stderr, flush=True)
    out = Output(options.draw_out)
    drawing.draw(out, seed, options.count, options.kind, options.size, options.min_displacement)
    out.finish()
    return 0


def _write_fixtures(options):
    card.font(20)  # A missing font is told before anything is written.
    out = Output(options.out)
    fixtures.write_all(out, options.seed)
    out.remove_others(fixtures.FOLDERS)
    print(f"make-fixtures: {out.bytes_written:,} bytes", file=sys.stderr)
    return 0

"""Takes from Swift's library of ICU the part of its data that the release binary carries: `icu_data.py LIBRARY OBJECT`.

Writes it as the symbol `reduced_icu_data`, and prints the name of the symbol that it stands for.

Foundation brings ICU, and ICU 34 MB of data, most of it texts in 700 locales. Kept are the time zones, the rules and tables
that no locale owns, English, and the charsets in which replies come. ICU falls back to its root for the rest.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

MEMBER, NAME = "icu_packaged_data.cpp.o", "reduced_icu_data"
DROPPED = re.compile(
    r"(.+/)?(?!en[._]|res_index)[a-z]{2,3}(_\w+)?\.res"  # A locale.
    r"|(lang|region|translit|unit)/.+|brkitr/(line.*|.+\.(dict|lstm))|unames\.icu|.+\.spp"  # Names of things, line breaks.
    r"|(?!gb18030-|ibm-1373_|windows-950-).+\.cnv"  # A charset.
)
# Without these, texts in GBK and Big5, time zones or host names would fail as late as they are met.
NEEDED = ("gb18030-", "windows-950-", "ibm-1373_", "cnvalias.icu", "uts46.nrm", "zoneinfo64.res", "root.res", "coll/ucadata.icu")
ALIGNMENT = 16


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def items(data):
    """The length of the header, and the items with their names: a table of two offsets each, the names, the contents."""
    start = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, start)[0]
    table = list(struct.iter_unpack("<II", data[start + 4 : start + 4 + 8 * count]))
    ends = [offset for _, offset in table[1:]] + [len(data) - start]
    names = [data[start + name : data.index(b"\0", start + name)] for name, _ in table]
    return start, [(name, data[start + at : start + end]) for name, (_, at), end in zip(names, table, ends)]


def reduced(data):
    start, found = items(data)
    kept = [(name, content) for name, content in found if not DROPPED.fullmatch(name.decode().partition("/")[2])]
    names = b"".join(name + b"\0" for name, _ in kept)
    missing = [name for name in NEEDED if b"/" + name.encode() not in names]
    if missing:
        sys.exit(f"icu_data: this Swift's ICU lacks {', '.join(missing)}; compare the names in DROPPED and NEEDED with its own")
    at = 4 + 8 * len(kept)
    # The header is a multiple of the alignment.
    head, table, contents = padded(bytes(at) + names), struct.pack("<I", len(kept)), b""
    for name, content in kept:
        table += struct.pack("<II", at, len(head) + len(contents))
        at += len(name) + 1
        contents += padded(content)
    return data[:start] + table + names.ljust(len(head) - len(table), b"\0") + contents


def main(library, target):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["ar", "x", library, MEMBER], cwd=folder, check=True)
        symbols = subprocess.run(["nm", MEMBER], cwd=folder, check=True, capture_output=True, text=True).stdout
        (symbol,) = re.findall(r" R (icudt\w+_dat)$", symbols, re.MULTILINE)
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", MEMBER, "all"], cwd=folder, check=True)
        pathlib.Path(folder, "some").write_bytes(reduced(pathlib.Path(folder, "all").read_bytes()))
        lines = f'.section .rodata\n.globl {NAME}\n.p2align 4\n{NAME}: .incbin "{folder}/some"\n'
        lines += '.section .note.GNU-stack,"",@progbits\n'
        subprocess.run(["as", "-o", target], input=lines, text=True, check=True)
    print(symbol)


main(*sys.argv[1:])

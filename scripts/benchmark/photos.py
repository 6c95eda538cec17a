"""The photos of the comparisons: made once, below .build/bench."""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# So many photos of a size are made, which takes seconds for each large one; where more are wanted, these are cut in other
# ways, without loss, so that no two are alike.
MOST_MADE = {"12mp": 12, "1mp": 500}
CUTS = {"12mp": "3904x2896", "1mp": "1024x736"}


def make(folder, size, count):
    """A folder with so many photos of one size."""
    most = MOST_MADE[size]
    path = os.path.join(folder, f"cards-{size}" if count <= most else f"cards-{size}-{count}")
    if not os.path.exists(os.path.join(path, "manifest.json")):
        if count <= most:
            print(f"bench: making {count} photos of {size}", flush=True)
            program = os.path.join(HERE, "make_cards.py")
            subprocess.run([sys.executable, program, "--out", path, "--count", str(count), "--size", size], check=True)
        else:
            cut(make(folder, size, most), path, count, CUTS[size])
    if count <= 1000:
        for name in sorted(os.listdir(path)):
            # From here on they lie in memory, for the first contender, too.
            with open(os.path.join(path, name), "rb") as file:
                file.read()
    return path


def cut(source, path, count, size):
    print(f"bench: cutting {count} photos of those in {source}", flush=True)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    names = sorted(name for name in os.listdir(source) if name.endswith(".jpg"))

    def one(index):
        name, turn = names[index % len(names)], index // len(names)
        # Whole blocks of 16 pixels, from either side.
        left, top = 16 * (turn % 8), 16 * (turn // 8)
        result = os.path.join(path, f"card-{index:06d}.jpg")
        command = ["jpegtran", "-copy", "all", "-crop", f"{size}+{left}+{top}", "-outfile", result]
        subprocess.run([*command, os.path.join(source, name)], check=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(one, range(count)):
            assert done is None
    with open(os.path.join(path, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump({"count": count, "cut_from": os.path.basename(source)}, file)

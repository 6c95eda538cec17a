"""The photos of scripts/bench: scenes drawn once below .build/bench, and copies of them of which no two files are alike."""

import json
import os
import pathlib
import subprocess

from fixturegen import encode

FOLDER = ".build/bench"
# Pairs that are drawn (a large one takes seconds), and the kinds in which each is stored.
DRAWN = {
    "1mp": (12, ("photo", "p3", "png")),
    "12mp": (4, ("photo", "422", "444", "progressive", "p3", "grey")),
}
PNG_HEADER = 33


def draw(size):
    """The folder with the scenes of a size, in all kinds."""
    (pairs, kinds), folder = DRAWN[size], os.path.join(FOLDER, f"drawn-{size}-{'-'.join(DRAWN[size][1])}")
    if not os.path.isdir(folder):
        print(f"bench: drawing {2 * pairs} photos of {size} in {len(kinds)} kinds", flush=True)
        command = ["scripts/make-fixtures", "draw", "--count", str(pairs), "--seed", "1", "--size", size, "--kind", *kinds]
        subprocess.run([*command, "--out", folder + ".part"], check=True, stderr=subprocess.DEVNULL)
        os.rename(folder + ".part", folder)
    return folder


def marked(image, index):
    """The same picture in a file of its own, by a comment."""
    comment = f"{index:08d}".encode()
    if image.startswith(b"\xff\xd8"):
        return image[:2] + b"\xff\xfe\x00\x0a" + comment + image[2:]
    return image[:PNG_HEADER] + encode.png_chunk(b"tEXt", b"Comment\0" + comment) + image[PNG_HEADER:]


def photos(size, kind, count):
    """A manifest of so many photos, each a case of its own, which lie in the page cache afterwards."""
    scenes, ending = pathlib.Path(draw(size)), "" if kind == "photo" else f"-{kind}"
    images = [path.read_bytes() for side in ("front", "back") for path in sorted(scenes.glob(f"*/{side}{ending}.*"))]
    folder = pathlib.Path(FOLDER, f"photos-{size}-{kind}-{count}")
    folder.mkdir(exist_ok=True)
    rows = []
    for index in range(count):
        path = folder / f"{index:06d}.{'png' if kind == 'png' else 'jpg'}"
        path.write_bytes(marked(images[index % len(images)], index))
        rows.append({"path": path.name, "business_no": f"CASE-{index:06d}", "side": "front"})
    manifest = folder / "manifest.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(manifest)

"""Where the files go and what is true about each."""

import json
import sys
from pathlib import Path


def seen(person, side, kind, image, orientation=1):
    """What is true of one image of a card. `image` is the picture as it is to be seen."""
    size = {"width": image.width, "height": image.height}
    return {"side": side, "kind": kind, "orientation": orientation, **size, "fields": person.truth(side)}


class Output:
    """A folder being filled, with the truth about every file."""

    def __init__(self, root):
        self.root = Path(root)
        self.truth = {}

    def put(self, path, data, **truth):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if truth:
            self.truth[path] = truth
        print(f"{len(data):>9,}  {path}", file=sys.stderr, flush=True)

    def card(self, path, data, person, side, business_no, kind, image, orientation=1, **more):
        """Writes one image of a card, which is to be delivered unless said otherwise."""
        self.put(path, data, business_no=business_no, **seen(person, side, kind, image, orientation),
                 **{"expected": "delivered", **more})

    def finish(self):
        text = json.dumps(dict(sorted(self.truth.items())), ensure_ascii=False, indent=1)
        self.put("truth.json", (text + "\n").encode())

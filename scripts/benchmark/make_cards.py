#!/usr/bin/env python3
"""Synthesize realistic phone photos of ID cards.

Every file differs in person, text, background crop, perspective, light and
sensor noise, so that hashes differ.  Stored pixels are always sensor-landscape
(as phones store them); EXIF Orientation is 1, 6, 8 or 3.

  make_cards.py --out DIR --count 200 --size 12mp [--seed 1] [--bg-dir DIR ...]

Backgrounds: every JPEG under --bg-dir (real photographs, e.g. Debian's
mate-backgrounds, nature/); without one, the textures that ship inside the
scikit-image wheel (gravel, grass, brick, coffee), mirror-tiled.
Needs: numpy, Pillow, scikit-image (for the portrait and fallback textures).
Writes DIR/card_00000.jpg ..., DIR/manifest.json, and DIR/manifest.csv (path,business_no,user_no: one business number each).
"""
import argparse, concurrent.futures, glob, hashlib, io, json, math, os, sys
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SIZES = {"12mp": (4032, 3024), "3mp": (2048, 1536), "1mp": (1152, 864)}
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans%s.ttf"
FIRST = "ANNA BEN CARLA DAVID EMMA FELIX GRETA HUGO IDA JAN KARIN LEO MARIA NILS OLGA PAUL RITA SVEN TARA UWE".split()
LAST = "ADLER BERGER CHRISTENSEN DUBOIS ERIKSSON FISCHER GARCIA HOFMANN IVANOV JANSEN KELLER LINDGREN MEYER NOVAK OLSEN PETROV ROSSI SCHMIDT TANAKA VOGEL".split()


def skimage_data(name):
    import skimage
    return os.path.join(os.path.dirname(skimage.__file__), "data", name)


def mirror_tile(im, w, h):
    a = np.asarray(im.convert("RGB"))
    a = np.concatenate([a, a[:, ::-1]], 1)
    a = np.concatenate([a, a[::-1]], 0)
    a = np.tile(a, (math.ceil(h / a.shape[0]), math.ceil(w / a.shape[1]), 1))
    return Image.fromarray(a[:h, :w])


class Scenes:
    """Loads the backgrounds and noise once per process."""

    def __init__(self, size, bg_dirs, seed):
        self.w, self.h = SIZES[size]
        files = sorted(f for d in bg_dirs for f in glob.glob(os.path.join(d, "**", "*.jp*g"), recursive=True))
        if files:
            self.bgs = [Image.open(f).convert("RGB") for f in files]
        else:
            self.bgs = []
            for n, tint in (("gravel.png", (1.0, .95, .9)), ("grass.png", (.75, 1, .7)), ("brick.png", (1, .8, .65)), ("coffee.png", (1, 1, 1))):
                a = np.asarray(Image.open(skimage_data(n)).convert("RGB")).astype(np.float32) * tint
                t = Image.fromarray(a.clip(0, 255).astype(np.uint8))
                self.bgs.append(mirror_tile(t.resize((t.width * 2, t.height * 2), Image.BICUBIC), 4096, 4096))
        self.face = Image.open(skimage_data("astronaut.png")).convert("RGB").crop((130, 0, 330, 250))
        rng = np.random.default_rng(seed)
        m = max(self.w, self.h) + 512
        # sensor noise after a phone's demosaic and denoise: correlated, small
        g = Image.fromarray((rng.normal(0, 40, (m, m)) + 128).clip(0, 255).astype(np.uint8))
        g = np.asarray(g.filter(ImageFilter.GaussianBlur(0.7))).astype(np.int16) - 128
        self.noise = g.astype(np.float32) / max(1e-6, g.std())

    def background(self, rng, w, h):
        bg = self.bgs[rng.integers(len(self.bgs))]
        s = max(w / bg.width, h / bg.height) * rng.uniform(1.0, 1.25)
        cw, ch = w / s, h / s
        x, y = rng.uniform(0, bg.width - cw), rng.uniform(0, bg.height - ch)
        return bg.resize((w, h), Image.BICUBIC, box=(x, y, x + cw, y + ch))


def card(rng, face, W):
    """A credit-card shaped document, W pixels wide, with its fields."""
    H = round(W / 1.586)
    yy, xx = np.mgrid[0:H, 0:W].astype(np.float32) / W
    f1, f2, p = rng.uniform(40, 70), rng.uniform(60, 110), rng.uniform(0, 6)
    g = np.sin(f1 * yy * 6 + 6 * np.sin(f2 * xx / 3 + p)) + np.sin(f2 * xx * 6 + 5 * np.sin(f1 * yy / 2 - p))
    base = rng.uniform(185, 225, 3)
    a = base + np.stack([g * 9, g * 7 + 8 * xx, g * 8 - 10 * yy], -1)
    im = Image.fromarray(a.clip(0, 255).astype(np.uint8))
    d = ImageDraw.Draw(im)
    u = W / 100
    ft = lambda k, s: ImageFont.truetype(FONT % k, max(6, round(s * u)))
    d.rectangle([0, 0, W, 9 * u], fill=tuple(int(v) for v in rng.integers(20, 110, 3)))
    d.text((3 * u, 1.6 * u), "SPECIMEN IDENTITY CARD", font=ft("-Bold", 4.2), fill="white")
    fw = round(27 * u)
    f = face.resize((fw, round(fw * 1.25)), Image.LANCZOS)
    fa = np.asarray(f).astype(np.float32) * rng.uniform(.8, 1.1, 3)
    im.paste(Image.fromarray(fa.clip(0, 255).astype(np.uint8)), (round(3 * u), round(12 * u)))
    num = "".join(rng.choice(list("CFGHJKLMNPRTVWXYZ0123456789"), 9))
    last, first = rng.choice(LAST), rng.choice(FIRST)
    born = f"{rng.integers(1940, 2006)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
    exp = f"{rng.integers(2026, 2036)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
    y = 11.5 * u
    for k, v in (("Document No", num), ("Surname", last), ("Given names", first), ("Date of birth", born), ("Date of expiry", exp), ("Nationality", "UTOPIAN")):
        d.text((34 * u, y), k, font=ft("", 1.7), fill=(70, 70, 90))
        d.text((34 * u, y + 1.9 * u), v, font=ft("-Bold", 3.1), fill=(15, 15, 25))
        y += 6.0 * u
    for i, line in enumerate((f"IDUTO{num}<<<<<<<<<<<<<<<<"[:30], f"{born[2:4]}{born[5:7]}{born[8:]}7F{exp[2:4]}{exp[5:7]}{exp[8:]}4UTO<<<<<<<<<<<6"[:30], f"{last}<<{first}<<<<<<<<<<<<<<<<<<<<<<<<"[:30])):
        d.text((3 * u, 49.5 * u + i * 4.2 * u), line, font=ft("Mono-Bold", 4.0), fill=(20, 20, 20))
    return im, {"number": str(num), "surname": str(last), "given": str(first), "born": born, "expires": exp}


def perspective(dst, w, h):
    """Coefficients for Image.transform that map the four dst corners to a w x h source."""
    A, B = [], []
    for (x, y), (u, v) in zip(dst, ((0, 0), (w, 0), (w, h), (0, h))):
        A += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        B += [u, v]
    return np.linalg.solve(np.array(A), np.array(B))


_S = None


def _init(*a):
    global _S
    _S = Scenes(*a)


def make(job):
    i, out, seed, quality, sigma = job
    S, rng = _S, np.random.default_rng([seed, i])
    orient = int(rng.choice([1, 6, 8, 3], p=[.62, .30, .05, .03]))
    w, h = (S.w, S.h) if orient in (1, 3) else (S.h, S.w)      # the upright scene
    scene = S.background(rng, w, h)
    cw = round(w * rng.uniform(.70, .86))
    c, fields = card(rng, S.face, cw)
    x0, y0 = (w - cw) / 2, (h - c.height) / 2
    j = w * .02
    dst = [(x0 + dx + rng.uniform(-j, j), y0 + dy + rng.uniform(-j, j)) for dx, dy in ((0, 0), (cw, 0), (cw, c.height), (0, c.height))]
    k = perspective(dst, *c.size)
    mask = Image.new("L", c.size, 255).transform((w, h), Image.PERSPECTIVE, k, Image.BILINEAR)
    scene.paste(c.transform((w, h), Image.PERSPECTIVE, k, Image.BICUBIC), (0, 0), mask)
    sigma *= rng.uniform(.8, 1.6)                                   # ISO differs
    scene = scene.filter(ImageFilter.GaussianBlur(w / 4032 * .9))   # lens
    a = np.asarray(scene).astype(np.float32)
    yy, xx = np.ogrid[0:h, 0:w]
    light = .92 + .16 * ((xx / w) * rng.uniform(-1, 1) + (yy / h) * rng.uniform(-1, 1))
    glare = 60 * np.exp(-(((xx - w * rng.uniform(.3, .7)) / (w * .12)) ** 2 + ((yy - h * rng.uniform(.3, .7)) / (h * .06)) ** 2))
    oy, ox = rng.integers(0, 500, 2)
    n = S.noise[oy:oy + h, ox:ox + w] * sigma
    n2 = S.noise[ox:ox + h, oy:oy + w] * sigma * .5
    a = a * light[..., None] + glare[..., None]
    a[..., 0] += n + n2; a[..., 1] += n; a[..., 2] += n - n2
    im = Image.fromarray(a.clip(0, 255).astype(np.uint8))
    if orient != 1:   # stored so that applying the tag restores the upright scene
        im = im.transpose({6: Image.ROTATE_90, 8: Image.ROTATE_270, 3: Image.ROTATE_180}[orient])
    ex = Image.Exif()
    ex[0x010F], ex[0x0110], ex[0x0112], ex[0x0131] = "Synthetic", "CardCam 12", orient, "make_cards"
    ex[0x0132] = "2025:06:%02d 10:%02d:%02d" % (1 + i % 28, i % 60, (i * 7) % 60)
    path = os.path.join(out, f"card_{i:05d}.jpg")
    buf = io.BytesIO()
    im.save(buf, "JPEG", quality=quality, subsampling="4:2:0", exif=ex)
    b = buf.getvalue()
    if b[2:4] == b"\xff\xe0":      # phones put the Exif APP1 right after SOI, no JFIF APP0
        b = b[:2] + b[4 + int.from_bytes(b[4:6], "big"):]
    open(path, "wb").write(b)
    return {"file": os.path.basename(path), "bytes": len(b), "sha256": hashlib.sha256(b).hexdigest(), "orientation": orient, "stored": list(im.size), "fields": fields}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True); p.add_argument("--count", type=int, default=10)
    p.add_argument("--size", choices=SIZES, default="12mp"); p.add_argument("--seed", type=int, default=1)
    p.add_argument("--quality", type=int); p.add_argument("--sigma", type=float)
    p.add_argument("--bg-dir", action="append", default=[]); p.add_argument("--jobs", type=int, default=os.cpu_count())
    o = p.parse_args()
    q = o.quality or {"12mp": 92, "3mp": 90, "1mp": 90}[o.size]
    s = o.sigma if o.sigma is not None else {"12mp": 2.6, "3mp": 2.6, "1mp": 2.6}[o.size]
    os.makedirs(o.out, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor(o.jobs, initializer=_init, initargs=(o.size, o.bg_dir, o.seed)) as ex:
        rows = list(ex.map(make, [(i, o.out, o.seed, q, s) for i in range(o.count)], chunksize=4))
    json.dump(rows, open(os.path.join(o.out, "manifest.json"), "w"), indent=1)
    with open(os.path.join(o.out, "manifest.csv"), "w") as f:
        f.write("path,business_no,user_no\n")
        f.writelines(f"card_{i:05d}.jpg,B{i:06d},U{i:06d}\n" for i in range(len(rows)))
    z = sorted(r["bytes"] for r in rows)
    print(f"{len(rows)} files, {len(set(r['sha256'] for r in rows))} distinct, bytes min/median/max {z[0]}/{z[len(z)//2]}/{z[-1]}, "
          f"orientations { {k: sum(r['orientation'] == k for r in rows) for k in (1, 6, 8, 3)} }")


if __name__ == "__main__":
    main()

"""Photographs a card: on a desk, in perspective, under uneven light, with a small sensor's noise."""

import math

import numpy as np
from PIL import Image, ImageFilter

from . import card as art

SIZES = {"1mp": (1152, 864), "12mp": (4032, 3024)}
NOISE = {"1mp": 2.2, "12mp": 2.6}


def photograph(draw_side, size, rng, displacement=(0.008, 0.020)):
    """Takes one photograph. `draw_side(width)` draws the card that many pixels wide."""
    width, height = SIZES[size]
    noise = np.random.default_rng(rng.getrandbits(64))
    corners = _corners(width, height, rng, displacement)
    supersampling = 2 if size == "1mp" else 1
    span = round(math.dist(corners[0], corners[1]))
    picture = draw_side(span * supersampling)
    scene = desk(size, rng, noise)
    big = (width * supersampling, height * supersampling)
    coefficients = _perspective([(x * supersampling, y * supersampling) for x, y in corners], *picture.size)
    laid = picture.transform(big, Image.Transform.PERSPECTIVE, coefficients, Image.Resampling.BICUBIC)
    mask = art.rounded_mask(picture.size).transform(
        big, Image.Transform.PERSPECTIVE, coefficients, Image.Resampling.BILINEAR
    )
    laid, mask = (layer.resize((width, height), Image.Resampling.BOX) for layer in (laid, mask))
    scene = _with_shadow_of(scene, mask, rng)
    scene.paste(laid, (0, 0), mask)
    scene = scene.filter(ImageFilter.GaussianBlur(width / 4032 * 0.9))
    return lit(scene, rng, noise, NOISE[size])


def _corners(width, height, rng, displacement):
    """Places the card. The alternating displacement (+, -, +, -) is what no shift, turn, scale or shear can explain,
    so every corner is that far from the rectangle, whichever rectangle one fits."""
    while True:
        card_width = width * rng.uniform(0.68, 0.86)
        card_height = card_width / art.ASPECT
        angle = rng.uniform(-4.0, 4.0)
        amount, direction = rng.uniform(*displacement), rng.uniform(0, 2 * math.pi)
        push = (amount * card_width * math.cos(direction), amount * card_width * math.sin(direction))
        middle = (width / 2 + rng.uniform(-0.05, 0.05) * width, height / 2 + rng.uniform(-0.05, 0.05) * height)
        turn = complex(math.cos(math.radians(angle)), math.sin(math.radians(angle)))
        corners = []
        for place, (sx, sy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            sign = 1 if place % 2 == 0 else -1
            point = complex(sx * card_width / 2 + sign * push[0], sy * card_height / 2 + sign * push[1]) * turn
            corners.append((round(point.real + middle[0], 2), round(point.imag + middle[1], 2)))
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        fills = (max(xs) - min(xs)) / width
        inside = min(xs) > 0.02 * width and max(xs) < 0.98 * width and min(ys) > 0 and max(ys) < height
        if inside and 0.65 <= fills <= 0.92:
            return corners


def _perspective(corners, width, height):
    """Coefficients for `Image.transform` that lay a width x height picture onto four corners."""
    rows, values = [], []
    for (x, y), (u, v) in zip(corners, ((0, 0), (width, 0), (width, height), (0, height))):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return [float(c) for c in np.linalg.solve(np.array(rows, float), np.array(values, float))]


def _soft(noise, width, height, cells_x, cells_y):
    """Smooth noise around 0 with this many bumps across and down."""
    grid = noise.normal(0, 1, (max(2, cells_y), max(2, cells_x))).astype(np.float32)
    return np.asarray(Image.fromarray(grid).resize((width, height), Image.Resampling.BICUBIC))


def desk(size, rng, noise):
    width, height = SIZES[size]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / width
    kind = rng.choice(("wood", "fabric", "stone", "paint"))
    if kind == "wood":
        base = np.array(rng.choice(((146, 100, 62), (176, 132, 88), (110, 74, 50), (196, 160, 118))), np.float32)
        bend = _soft(noise, width, height, 5, 4)
        value = 9 * np.sin(2 * math.pi * (16 * y + 0.5 * bend)) + 6 * _soft(noise, width, height, 6, 240)
        value = value - 26 * (np.abs((y * 4.2 + rng.random()) % 1 - 0.5) < 0.006)
    elif kind == "fabric":
        base = np.array(rng.choice(((70, 84, 110), (120, 60, 66), (90, 104, 84), (150, 140, 128))), np.float32)
        threads = rng.uniform(70, 100)
        value = 10 * np.sin(2 * math.pi * threads * x) * np.sin(2 * math.pi * threads * y)
        value = value + 7 * _soft(noise, width, height, 40, 30)
    elif kind == "stone":
        base = np.array(rng.choice(((92, 96, 98), (128, 122, 114), (70, 76, 84))), np.float32)
        value = 8 * _soft(noise, width, height, 12, 9) + 9 * _soft(noise, width, height, 160, 120)
    else:
        base = np.array(rng.choice(((60, 96, 92), (54, 58, 66), (150, 110, 70), (88, 70, 104))), np.float32)
        value = 5 * _soft(noise, width, height, 6, 4)
    tint = base / base.mean()
    return Image.fromarray(np.clip(base + value[..., None] * tint, 0, 255).astype(np.uint8))


def _with_shadow_of(scene, mask, rng):
    width = scene.width
    shift = (round(width * rng.uniform(-0.006, 0.006)), round(width * rng.uniform(0.002, 0.007)))
    small = mask.resize((width // 4, scene.height // 4), Image.Resampling.BOX)
    shade = Image.new("L", small.size, 0)
    shade.paste(small, (shift[0] // 4, shift[1] // 4))
    shade = shade.filter(ImageFilter.GaussianBlur(width / 4 * 0.006)).point(lambda v: round(v * 0.45))
    scene.paste((14, 12, 12), (0, 0), shade.resize(scene.size, Image.Resampling.BICUBIC))
    return scene


def lit(scene, rng, noise, sigma):
    """Uneven light, a shadow across one side, a slight glare, the camera's white balance and noise."""
    width, height = scene.size
    y, x = np.ogrid[0:height, 0:width]
    x, y = x.astype(np.float32) / width, y.astype(np.float32) / height
    light = 1.0 + 0.12 * ((x - 0.5) * rng.uniform(-1, 1) + (y - 0.5) * rng.uniform(-1, 1))
    angle = rng.uniform(0, 2 * math.pi)
    edge = (x - 0.5) * math.cos(angle) + (y - 0.5) * math.sin(angle) - rng.uniform(0.15, 0.35)
    light = light * (1 - rng.uniform(0.10, 0.26) / (1 + np.exp(-edge / rng.uniform(0.03, 0.06))))
    at_x, at_y = rng.uniform(0.55, 0.85), rng.uniform(0.2, 0.5)
    glare = rng.uniform(10, 34) * np.exp(-(((x - at_x) / 0.13) ** 2 + ((y - at_y) / 0.09) ** 2))
    balance = (rng.uniform(0.95, 1.04), 1.0, rng.uniform(0.92, 1.04))
    grain = _grain(noise, width, height) * np.float32(sigma)
    out = np.empty((height, width, 3), np.uint8)
    pixels = np.asarray(scene)
    for channel in range(3):
        own = np.roll(grain, (37 * channel, 91 * channel), (0, 1))
        value = pixels[..., channel] * (light * balance[channel]) + glare + own
        out[..., channel] = np.clip(value, 0, 255)
    return Image.fromarray(out)


def _grain(noise, width, height):
    """Noise as it is left by a phone's denoiser: slightly blurred, of standard deviation 1."""
    raw = np.clip(noise.normal(128, 40, (height, width)), 0, 255).astype(np.uint8)
    soft = np.asarray(Image.fromarray(raw).filter(ImageFilter.GaussianBlur(0.7))).astype(np.float32)
    return (soft - soft.mean()) / soft.std()

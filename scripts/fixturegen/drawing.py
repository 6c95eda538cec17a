"""`make-fixtures draw`: new pairs from a seed."""

from . import cards, encode, people


def draw(out, seed, count, kind, size, min_displacement):
    """Draws `count` pairs, each side a photograph (or a scan) of its own."""
    for number in range(1, count + 1):
        business_no = f"DRAW-{seed}-{number:04d}"
        person = people.invent(people.stream(seed, business_no))
        for side in cards.SIDES:
            rng = people.stream(seed, business_no, side, kind, size)
            path = f"{business_no}/{side}.jpg"
            if kind == "scan":
                image = cards.scan_of(person, side, rng)
                out.card(path, encode.jpeg(image, 88), person, side, business_no, kind, image, seed=seed)
                continue
            orientation = rng.choices((1, 6, 8, 3), (62, 30, 5, 3))[0]
            displacement = (min_displacement * 1.01 + 0.0001, min_displacement * 1.5 + 0.002)
            photo = cards.photo_of(person, side, size, rng, displacement=displacement)
            data = encode.photograph_jpeg(photo.image, orientation, rng, cards.LIMITS[size])
            out.card(path, data, person, side, business_no, kind, photo.image, orientation, seed=seed,
                     **photo.truth())

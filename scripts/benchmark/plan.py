"""What is compared, and what is claimed of it."""

import dataclasses


@dataclasses.dataclass
class Job:
    folder: str
    count: int
    quality: int
    edge: int
    latency: int = 0
    inflight: int = 32
    flush: float | None = None
    second: bool = False
    stored: int = 0


@dataclasses.dataclass
class Claim:
    """`figure` of the pipeline against `other`'s in the same comparison, or its own in another one."""

    figure: str
    other: str
    bound: float
    at_most: bool = False


@dataclasses.dataclass
class Comparison:
    name: str
    title: str
    inputs: str
    count: int
    quality: int
    edge: int
    contenders: tuple
    claims: tuple = ()
    settings: dict = dataclasses.field(default_factory=dict)
    rounds: int | None = None

    def job(self, folder, quick):
        count = max(1, self.count // 4) if quick and self.count > 20 else self.count
        return Job(folder, count, self.quality, self.edge, **self.settings)


SPEED, COST, MEMORY, TIME = "cards_per_second", "cpu_ms_per_card", "peak_mb", "seconds"
ALL = ("pipeline", "native", "vips", "async", "seq", "shell")

COMPARISONS = (
    Comparison(
        "12mp",
        "12 MP photos, quality 0.5, edge 1600",
        "12mp", 200, 50, 1600, ALL,
        (
            Claim(SPEED, "native", 0.85), Claim(COST, "native", 1.2, at_most=True), Claim(SPEED, "vips", 1.5),
            Claim(SPEED, "seq", 6), Claim(MEMORY, "", 96, at_most=True),
        ),
    ),
    Comparison(
        "12mp-same-size",
        "12 MP photos, quality 0.75, same size",
        "12mp", 200, 75, 0, ALL,
        (Claim(SPEED, "native", 0.85), Claim(SPEED, "vips", 1.4), Claim(MEMORY, "", 160, at_most=True)),
    ),
    Comparison(
        "1mp",
        "1 MP photos, quality 0.5, edge 1600",
        "1mp", 500, 50, 1600, ALL,
        (
            Claim(SPEED, "native", 0.7), Claim(SPEED, "vips", 1.8), Claim(SPEED, "seq", 3.3),
            Claim(MEMORY, "", 64, at_most=True),
        ),
    ),
    Comparison(
        "12mp-latency",
        "12 MP, 50 ms in each endpoint",
        "12mp", 200, 50, 1600, ("pipeline", "native", "seq"),
        (Claim(SPEED, "@12mp", 0.85), Claim(SPEED, "seq", 10)),
        {"latency": 50, "inflight": 64},
    ),
    Comparison(
        "1mp-latency",
        "1 MP, 50 ms in each endpoint",
        "1mp", 500, 50, 1600, ("pipeline", "native", "seq"),
        (Claim(SPEED, "@1mp", 0.75), Claim(SPEED, "seq", 22)),
        {"latency": 50, "inflight": 64},
    ),
    Comparison(
        "1mp-slow-disk",
        "1 MP, 5 ms more in each flush",
        "1mp", 150, 50, 1600, ("pipeline", "native", "vips", "seq"),
        (Claim("flushes_per_card", "", 1.2, at_most=True), Claim(SPEED, "seq", 8)),
        {"flush": 5},
    ),
    Comparison(
        "12mp-cold",
        "One 12 MP photo, cold process",
        "12mp", 1, 50, 1600, ("pipeline", "native", "vips", "async", "seq", "seq-draft", "shell"),
        (Claim(TIME, "fastest", 0.5, at_most=True),),
        rounds=7,
    ),
    Comparison(
        "1mp-again",
        "1 MP, second run over known photos",
        "1mp", 500, 50, 1600, ("pipeline", "seq", "async"),
        (Claim(SPEED, "seq", 5),),
        {"second": True},
    ),
    Comparison(
        "1mp-many",
        "1 MP, forty times as many",
        "1mp", 20_000, 50, 1600, ("pipeline",),
        (Claim(MEMORY, "", 64, at_most=True), Claim(COST, "@1mp", 1.1, at_most=True)),
        rounds=1,
    ),
    Comparison(
        "1mp-many-again",
        "1 MP, second run over 20,000 known photos",
        "1mp", 20_000, 50, 1600, ("pipeline", "seq"),
        (Claim(SPEED, "seq", 5),),
        {"second": True},
        rounds=1,
    ),
    Comparison(
        "1mp-growth",
        "1 MP, with 1,000,000 cards in the sandbox, and with 1,000",
        "1mp", 500, 50, 1600, ("pipeline", "pipeline@1000"),
        (Claim(COST, "pipeline@1000", 1.1, at_most=True),),
        {"stored": 1_000_000},
    ),
    Comparison(
        "12mp-again",
        "12 MP, second run over known photos",
        "12mp", 100, 50, 1600, ("pipeline", "seq"),
        (Claim(SPEED, "seq", 5),),
        {"second": True},
    ),
)

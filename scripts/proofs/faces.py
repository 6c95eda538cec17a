"""What a running `serve` and its sandbox say of an outage, to each who asks, and whether all say the same."""

import json
import re
from collections import namedtuple
from datetime import datetime

from proofs.disk import MEGABYTE
from proofs.service_client import HOST

# What is to be said of an outage; stage and state are those of an endpoint.
Expected = namedtuple("Expected", "subject code stage state", defaults=(None, None))
# After at most so many seconds the sandbox knows the time.
HEARTBEAT = 3
LAST_SUCCESS, NEEDING_PERSON = "idcard_stage_last_success_timestamp_seconds", "idcard_cases_needing_person"


def moment(text):
    return datetime.fromisoformat(text).timestamp()


def names(text, since):
    """Whether a text has this time as people read it."""
    second = datetime.fromisoformat(since).astimezone().isoformat(" ", "seconds")
    return re.sub(r"(?=[+-]\d\d:\d\d$)", " ", second) in text


def untrue(*facts):
    """The words of those facts that do not hold."""
    return [words for holds, words in facts if not holds]


class Faces:
    """`status`, `status --check`, /readyz, /metrics and the log at one time."""

    def __init__(self, serve):
        run = serve.sandbox.run
        self.line, self.check = run(["status", "--check"]), run(["status", "--check", "--format", "json"])
        self.text, self.status = run(["status"]).output, json.loads(run(["status", "--format", "json"]).output)
        self.troubles = json.loads(self.check.output)["troubles"]
        self.readyz, metrics = serve.ask("/readyz"), serve.ask("/metrics", serve.token).body.decode()
        self.metrics = {name: float(value) for name, value in re.findall(r"^(idcard_\S+) (\S+)$", metrics, re.MULTILINE)}
        self.log, self.serve = serve.records(), serve
        self.since = self.troubles[0]["since"] if self.troubles else None

    def figures(self, name):
        """The figures of a name that are not 0, by their label, such as the stage."""
        found = (re.fullmatch(name + r'\{\w+="(.*)"\}', key) for key, value in self.metrics.items() if value)
        return {match[1]: self.metrics[match[0]] for match in found if match}

    def disagreements(self, expected, began, now, since=None):
        """Where they say something else than expected, or than each other."""
        trouble, status = (self.troubles or [{}])[0], 1 if expected.subject == "cases" else 2
        severity, message = "warning" if status == 1 else "critical", trouble.get("message")
        found = {name: trouble.get(name) for name in ("severity", "subject", "code", "stage")}
        wanted = {"severity": severity, "subject": expected.subject, "code": expected.code, "stage": expected.stage}
        paused, cases = self.figures("idcard_stage_paused"), self.figures(NEEDING_PERSON)
        return untrue(
            (self.check.status == self.line.status == status, f"status --check ends with {self.check.status} and {self.line.status}"),
            (found == wanted and len(self.troubles) == 1, f"the troubles are {self.troubles}, not one of {wanted}"),
            (self.status["troubles"] == self.troubles, f"status says {self.status['troubles']}, --check {self.troubles}"),
            (self.line.output == f"{severity}: {message}\n", f"--check prints {self.line.output!r}, not {message!r}"),
            (self.since is None or began - HEARTBEAT <= moment(self.since) <= now, f"it began at {began}, not {self.since}"),
            (since in (None, self.since), f"it began at {since}, and is said to have begun at {self.since}"),
            (paused == ({expected.stage: 1} if expected.stage else {}), f"the metrics say that {paused} are paused"),
            (set(cases) == ({expected.code} if status == 1 else set()), f"the metrics count {cases} for a person"),
        ) + (getattr(self, expected.subject)(expected, trouble) if found == wanted else [])

    def is_warned_of(self, message):
        """By the log and by `status`."""
        warnings = [record["message"] for record in self.log if record["level"] == "warning"]
        return untrue(
            (message in warnings, f"the log warns of {warnings}, not of {message!r}"),
            (message in self.text.splitlines(), f"status prints {self.text!r}, without {message!r}"),
        )

    def endpoint(self, expected, trouble):
        code, since, strangers = trouble["code"], trouble["since"], self.readyz.body.decode()
        stages = {name: stage for name, stage in self.readyz.json["stages"].items() if stage["status"] != "works"}
        told = [(name, stage["status"], stage["code"], stage["since"]) for name, stage in stages.items()]
        rows = [(row["stage"], row["state"], row["code"], row["since"]) for row in self.status["endpoints"]]
        wanted, last = [(expected.stage, expected.state, code, since)], self.figures(LAST_SUCCESS).get(expected.stage, 0)
        return self.is_warned_of(trouble["message"]) + untrue(
            (self.readyz.status == 200 and self.readyz.json["status"] == "ready", f"/readyz answers {self.readyz.status}"),
            (told == wanted, f"/readyz says {told}, not {wanted}"),
            (rows == wanted, f"the endpoints of status are {rows}, not {wanted}"),
            (HOST not in strangers and "gateway" not in strangers, f"/readyz tells strangers {strangers}"),
            (names(trouble["message"], since) and code in trouble["message"], f"the message {trouble['message']!r} lacks {since} or {code}"),
            (0 < last < moment(since), f"the last success was at {last}, but the endpoint does not work since {since}"),
        )

    def disk(self, expected, trouble):
        reasons, free, sandbox = self.readyz.json["reasons"], self.metrics["idcard_sandbox_free_bytes"], self.status["sandbox"]
        wanted = [{"code": expected.code, "message": trouble["message"]}]
        return self.is_warned_of(trouble["message"]) + untrue(
            (self.readyz.status == 503 and reasons == wanted, f"/readyz answers {self.readyz.status} and {reasons}, not {wanted}"),
            ("free some space" in trouble["message"], f"{trouble['message']!r} names no remedy"),
            (abs(free - sandbox["free_bytes"]) < MEGABYTE and not sandbox["intake"], f"free are {free}, and status says {sandbox}"),
        )

    def cases(self, expected, trouble):
        code, since = trouble["code"], trouble["since"]
        causes = [(row["cause"], row["since"]) for row in self.status["causes"] if row["cause"]]
        count = self.figures(NEEDING_PERSON).get(code)
        held = [record["time"] for record in self.log if record.get("card.reason") == code and record["level"] == "info"]
        stages = {stage["status"] for stage in self.readyz.json["stages"].values()}
        behind = max(0, -self.serve.clock.offset)
        remedy = self.serve.sandbox.run(["cases", "list", *trouble["message"].partition("cases list ")[2].split()]).output
        return untrue(
            (self.readyz.status == 200 and stages == {"works"}, f"/readyz answers {self.readyz.status}, {stages}"),
            (causes == [(code, since)], f"the causes of status are {causes}"),
            (names(trouble["message"], since) and code in trouble["message"], f"the message is {trouble['message']!r}"),
            (names(self.text, since) and code in self.text, f"status prints {self.text!r}, without {since} or {code}"),
            (f"{count or 0:.0f} case" in trouble["message"], f"the metrics count {count} cases, and the message is {trouble['message']!r}"),
            (held and abs(moment(held[0]) + behind - moment(since)) < HEARTBEAT, f"the log has it at {held}, and status since {since}"),
            ("correct the clock" in remedy, f"cases list names no remedy: {remedy!r}"),
        )

    def remnants(self, ended, now, stage="deliver"):
        """What does not say that all is well."""
        last, stages = self.figures(LAST_SUCCESS), self.readyz.json["stages"]
        left = {name: self.figures(name) for name in ("idcard_stage_paused", NEEDING_PERSON, "idcard_stage_oldest_card_age_seconds")}
        return untrue(
            (self.check.status == self.line.status == 0, f"status --check ends with {self.check.status}: {self.line.output!r}"),
            (self.line.output.startswith("ok: "), f"status --check prints {self.line.output!r}"),
            (not self.troubles + self.status["troubles"] + self.status["endpoints"], f"status says {self.status['troubles']}"),
            (self.readyz.status == 200 and self.readyz.json["status"] == "ready", f"/readyz answers {self.readyz.status}"),
            (all({**stage, "status": None} == dict.fromkeys(stage) for stage in stages.values()), f"/readyz says {stages}"),
            (not any(left.values()), f"the metrics say {left}"),
            (min(last["deliver"], last[stage]) >= ended, f"the last successes were at {last}, the end at {ended}"),
            (max(last.values()) <= now, f"the last successes are to come: {last}, and it is {now}"),
        )

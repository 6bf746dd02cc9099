"""What the tests share: the logs, and the command, which has to come to the same."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = [
    ROOT / "tests/oracles/swf" / f"{name}.swf.zst"
    for name in ("lub5k_128_l85_over5pct", "lub5k_128_l85_exact", "lub5k_128_l85_notie")
]
LOG = LOGS[0]
HINDCAST = os.environ.get("HINDCAST")  # the command; None: what asks it is skipped


def log(path: pathlib.Path = LOG, tasks: int | None = None) -> dict:
    """A configuration of a log, or of its first tasks."""
    out: dict = {"source": {"use": "swf", "file": path}}
    if tasks:
        out["transforms"] = [{"use": "first", "count": tasks}]
    return out


def command(*words: str) -> str:
    return subprocess.run([HINDCAST, *words], check=True, capture_output=True, text=True).stdout


class Easy:
    """EASY backfilling: start heads; promise the first that does not fit; start what breaks no promise."""

    asks = ("needs_estimate", "needs_timeline", "makes_reservations", "asks_harmless")

    def decide(self, view, plan):
        plan.unreserve_all()
        head = plan.start_heads()
        if head is None:
            return
        slot = view.earliest(head)
        if slot:
            plan.reserve(head, slot[0])
        for task in view.queue(after=head):
            if task.fits and task.harmless:
                plan.start(task)

"""What the environments share: which part of a workload an episode is, what it earns, how it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from .components import Source as Jobs
from .components import Transform
from .configs import Source
from .results import Result
from .runs import Run, run

if TYPE_CHECKING:
    from ._native import Plan, Task, View

#: rewards: the metric that finds each, and the figure of the summary that it is the negative of
EARNED = {
    "wait": ("wait", "wait_mean"),
    "response": ("response", "response_mean"),
    "slowdown": ("slowdown", "slowdown_mean"),
    "bounded_slowdown": ("bounded_slowdown", "bounded_slowdown_mean"),
    "makespan": ("makespan", "makespan"),
    "energy": ("energy", "energy"),
    "edp": ("energy", "energy_delay"),
}
REWARDS = {name: figure for name, (_, figure) in EARNED.items()}


def check_reward(reward: str, keys: Mapping[str, Any]) -> None:
    """Refuse a reward that there is not, or that nothing tells."""
    if reward not in EARNED:
        raise ValueError(f"reward: one of {', '.join(EARNED)}, not {reward}")
    if EARNED[reward][0] == "energy" and "power" not in keys:
        raise ValueError(f"reward {reward}: the configuration's key `power` has to say what hosts draw")


def with_metric(keys: Mapping[str, Any], reward: str) -> dict[str, Any]:
    """These keys of a configuration, with the metric that the reward is a figure of."""
    metric = EARNED[reward][0]
    have = keys.get("metrics")
    if have is None and metric != "energy":
        return dict(keys)
    if have is None:
        have = ["tasks", "makespan", "wait", "response", "slowdown", "bounded_slowdown"]
    names = [m.get("use") if isinstance(m, Mapping) else m for m in have]
    return {**keys, "metrics": [*have, *([] if metric in names else [metric])]}


class _Rows(Jobs):
    """the jobs of an episode"""

    rows: Any = ()

    def jobs(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)


#: keys that make a workload: an episode's are those of its tasks
_OF_WORKLOADS = ("source", "transforms", "sort_window", "cell", "procs", "policy", "name", "seed")


class Rows:
    """Episodes out of a workload of processors that are counted: its tasks are read once, and kept."""

    def __init__(self, source: Source, episode: int, reward: str) -> None:
        self.keys = (
            {k: v for k, v in source.items() if k not in _OF_WORKLOADS} if isinstance(source, Mapping) else {}
        )
        check_reward(reward, self.keys)
        self.keys = with_metric(self.keys, reward)
        whole = run(source, policy="fcfs")
        if whole.machine["core_units"] != 1:
            raise ValueError("Batch is for machines that count processors: leave out `cell: {use: hosts}`")
        self.processors = int(whole.machine["capacity"])
        self.episode = episode
        self.jobs = self._read(whole.tasks)
        if len(self.jobs) < episode:
            raise ValueError(f"the workload has {len(self.jobs)} tasks, and an episode {episode}")

    @staticmethod
    def _read(tasks: Any) -> list[dict[str, Any]]:
        names = ("submit", "run", "limit", "processors", "user", "group", "executable", "queue")
        columns = [tasks.list(name) for name in names]
        jobs = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        jobs = [job for job in jobs if job["run"] is not None]
        for job in jobs:
            job["processors"] = int(job["processors"])
        for name in ("user", "group", "executable", "queue"):
            numbers: dict[str, int] = {}  # of names: the same in each episode
            for job in jobs:
                if isinstance(job[name], str):
                    job[name] = numbers.setdefault(job[name], len(numbers) + 1)
        return sorted(jobs, key=lambda job: job["submit"])

    def draw(self, random: np.random.Generator, options: Mapping[str, Any] | None) -> int:
        """Where an episode begins: as the options say, or drawn."""
        last = len(self.jobs) - self.episode
        start = int((options or {}).get("start", random.integers(last + 1)))
        if not 0 <= start <= last:
            raise ValueError(f"start: from 0 to {last}")
        return start

    def begin(self, start: int, policy: Mapping[str, Any]) -> Run:
        """A run of the episode that begins there, on a machine that is empty."""
        rows = self.jobs[start : start + self.episode]
        first = rows[0]["submit"]
        shifted = [{**row, "submit": row["submit"] - first} for row in rows]
        jobs = type("_Jobs", (_Rows,), {"rows": shifted, "processors": self.processors})
        return Run({**self.keys, "source": jobs}, policy=policy)


def _window(start: int, count: int) -> type[Transform]:
    class Window(Transform):
        "the tasks of an episode"

        name = "episode_of_an_agent"

        def __init__(self) -> None:
            self.met = 0

        def apply(self, task: Any) -> bool:
            self.met += 1
            return start < self.met <= start + count

    return Window


class Whole:
    """Episodes out of any configuration: all of it with a seed of its own each time, or so many tasks of it
    that follow each other."""

    def __init__(self, source: Source, episode: int | None, reward: str) -> None:
        if not isinstance(source, Mapping):
            raise TypeError("a configuration as a dict is wanted: {'source': ..., 'cell': ...}")
        check_reward(reward, source)
        self.keys = with_metric(source, reward)
        self.episode, self.tasks = episode, 0
        if episode is not None:
            self.tasks = len(run(source, policy="fcfs").tasks)
            if self.tasks < episode:
                raise ValueError(f"the workload has {self.tasks} tasks, and an episode {episode}")

    def draw(self, random: np.random.Generator, options: Mapping[str, Any] | None) -> dict[str, int]:
        """What an episode is: its `seed` and, of several, its `start`, as the options say or drawn."""
        said = dict(options or {})
        seed = int(said.get("seed", random.integers(1, 2**31)))
        if self.episode is None:
            return {"seed": seed}
        last = self.tasks - self.episode
        start = int(said.get("start", random.integers(last + 1)))
        if not 0 <= start <= last:
            raise ValueError(f"start: from 0 to {last}")
        return {"seed": int(said.get("seed", self.keys.get("seed", 1))), "start": start}

    def begin(self, of: Mapping[str, int], policy: Mapping[str, Any]) -> Run:
        """A run of it."""
        keys = {**self.keys, "seed": of["seed"]}
        if self.episode is not None:
            until = of["start"] + self.episode
            cut = [{"use": "first", "count": until}, _window(of["start"], self.episode)]
            keys["transforms"] = [*keys.get("transforms", []), *cut]
        return Run(keys, policy=policy)


class Environment(gymnasium.Env[dict[str, np.ndarray], int]):
    """What all environments have: masks, and a line that says how an episode stands."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012
    #: of the episode that was over last
    result: Result | None = None
    reward: str
    dense = False
    _seen: dict[str, np.ndarray]
    _info: dict[str, Any]
    _run: Run | None = None

    def _ended(self, finish: Callable[[], Result]) -> float:
        """The episode is over: its result, and what it earns at its end."""
        self.result = finish()
        self._info["figures"] = self.result.figures
        self._info["schedule_digest"] = self.result.schedule_digest
        return 0.0 if self.dense else -float(self.result.figures[REWARDS[self.reward]])

    def action_masks(self) -> np.ndarray:
        """Which actions can be carried out now, as sb3-contrib asks."""
        return self._seen["mask"].astype(bool)

    def render(self) -> str | None:
        if self.render_mode != "ansi" or self._run is None:
            return None
        p = self._run.progress
        return f"t={p['now']} ns: {p['waiting']} queued, {p['running']} running, {p['ended']} ended"


class Steps(Environment):
    """Episodes of runs that stop where a plan is wanted; what a step is, each environment says."""

    #: of the observation
    _parts: dict[str, Any]
    _view: View
    _plan: Plan
    _over = False

    def _begin(self, options: Mapping[str, Any] | None) -> tuple[Run, dict[str, Any]]:
        """A run of an episode, and what it is."""
        raise NotImplementedError

    def _wants(self) -> bool:
        """Whether the agent is asked at the decision that has come."""
        return self._view.queued > 0

    def _look(self) -> dict[str, np.ndarray]:
        """What the agent sees."""
        raise NotImplementedError

    def _on_the_way(self) -> float:
        """What the last action has earned before the end."""
        return 0.0

    def _act(self, action: int) -> bool:
        """Carry an action out. @return whether the agent is asked again at this decision"""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        self._run, of = self._begin(options)
        self._info = {**of, "invalid": 0}
        self._over = False
        self._go_on()
        return self._seen, dict(self._info)

    def _go_on(self) -> None:
        """To the next decision that is the agent's, or to the end."""
        assert self._run is not None
        while (decision := self._run.wait_decision()) is not None:
            self._view, self._plan = decision
            if self._wants():
                self._seen = self._look()
                return
            self._run.decide()
        self._over = True
        self._seen = {name: np.zeros(s.shape, s.dtype) for name, s in self._parts.items()}
        self._seen["mask"][-1] = 1

    def _fitting(self) -> Iterator[Task]:
        """Queued tasks that could start now."""
        return (task for task in self._view.queue() if task.fits)

    def _never_idle(self, processors: int) -> None:
        """On an idle machine the first that fits starts: nothing else would happen."""
        if self._view.free_units == processors:
            for task in self._fitting():
                self._plan.start(task)
                return

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        if self._run is None or self._over:
            raise RuntimeError("the episode is over: reset()")
        k, mask = int(action), self._seen["mask"]
        if not 0 <= k < len(mask):
            raise ValueError(f"an action from 0 to {len(mask) - 1} is wanted, not {action}")
        self._info["invalid"] += not mask[k]
        if self._act(k):
            self._seen = self._look()
        else:
            self._run.decide()
            self._go_on()
        reward = self._on_the_way()
        if self._over:
            reward += self._ended(self._run.finish)
        return self._seen, reward, self._over, False, dict(self._info)


__all__ = ["EARNED", "REWARDS", "Environment", "Rows", "Steps", "Whole", "check_reward", "with_metric"]

"""hindcast/Refuse-v0: what a job's controller says to the hosts that it is offered.

Hosts are offered by a policy that shares (`fair`, `yt`), which asks in the midst of a decision. So a run
goes on in a thread of its own and stops where it asks: of the two threads one alone works at a time.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from .components import Accept
from .configs import Source
from .gym_episodes import Environment, Whole
from .results import Result
from .units import SECOND

if TYPE_CHECKING:
    from ._native import Offer

_MOST = np.finfo(np.float64).max
_NEVER = np.iinfo(np.int64).min


class _Gone(Exception):
    """The environment was reset or closed: the run ends."""


class _Aside:
    """A function in a thread of its own that stops where it asks, until it is answered."""

    def __init__(self, work: Callable[[_Aside], Any]) -> None:
        self._turn, self._back = threading.Lock(), threading.Lock()
        self._turn.acquire()
        self._back.acquire()
        self._asked: Any = None
        self._answer: Any = None
        self.result: Any = None
        self.over = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._carry_out, args=(work,), daemon=True)
        self._thread.start()

    def _carry_out(self, work: Callable[[_Aside], Any]) -> None:
        self._turn.acquire()
        try:
            if self._answer is not _Gone:
                self.result = work(self)
        except _Gone:
            pass
        except BaseException as x:
            self._error = x
        self.over = True
        self._back.release()

    def ask(self, what: Any) -> Any:
        """In its thread: wait for the answer."""
        self._asked = what
        self._back.release()
        self._turn.acquire()
        if self._answer is _Gone:
            raise _Gone
        return self._answer

    def go_on(self, answer: Any = None) -> Any:
        """Answer. @return what it asks next; None: it is over"""
        self._answer = answer
        self._turn.release()
        self._back.acquire()
        if self._error is not None:
            raise self._error
        return None if self.over else self._asked

    def end(self) -> None:
        if not self.over:
            self._answer = _Gone
            self._turn.release()
            self._thread.join()


class Past:
    """The last n offers of a member, and how many have come."""

    def __init__(self, n: int, resources: int) -> None:
        self.at = np.full(n, _NEVER, np.int64)  # ns
        self.free = np.zeros((n, resources), np.int64)
        self.met = self.count = 0

    def add(self, offer: Offer) -> None:
        n = len(self.at)
        i = self.met % n
        self.at[i] = offer.now
        self.free[i] = offer.free
        self.met += 1
        self.count = min(self.met, n)

    def newest_first(self) -> np.ndarray:
        """Which are remembered."""
        return (self.met - 1 - np.arange(self.count)) % len(self.at)


class Rule:
    """The rule of refusal of the thesis on packing in YTsaurus, as `accept: refusal` has it.

    An offer is refused if more than k of the last n, of the same member, were better for its task: by more
    than `absolute`, and by more than the factor `relative`, of (1 - cos) |free| / |need|, as shares of the
    cell; and as long as fewer than `at_first` have come. Those older than `age` (ns) do not count, nor those
    on which the task would not have fitted.
    """

    def __init__(
        self,
        k: int = 2,
        n: int = 15,
        at_first: int = 5,
        absolute: float = 0.05,
        relative: float = 1.5,
        age: int | None = 1200 * SECOND,
    ) -> None:
        self.k, self.n, self.at_first = k, n, at_first
        self.absolute, self.relative, self.age = absolute, relative, age
        self.past: dict[int, Past] = {}

    def of(self, offer: Offer) -> Past:
        """What the member of an offer remembers."""
        past = self.past.get(offer.member)
        if past is None:
            past = self.past[offer.member] = Past(self.n, len(offer.need))
        return past

    def better(self, offer: Offer) -> int:
        """How many of those remembered were better."""
        past = self.of(offer)
        since = 0 if self.age is None else max(offer.now - self.age, 0)
        return offer.better(past.at, past.free, since, self.absolute, self.relative)

    def accepts(self, offer: Offer) -> bool:
        """What it says."""
        return self.of(offer).met >= self.at_first and self.better(offer) <= self.k

    def noted(self, offer: Offer) -> None:
        """Remember an offer that was refused or on which a task has started."""
        if not offer.forced and offer.round == 0:
            self.of(offer).add(offer)

    def forget(self, member: int) -> None:
        """A member whose tasks have all ended."""
        self.past.pop(member, None)


def _agent(of: weakref.ref[Refuse]) -> type[Accept]:
    """The controller of a run whose agent is asked. The run holds it, and the environment the run: so it does
    not hold the environment, nor does a thread that waits."""

    def environment() -> Refuse:
        env = of()
        if env is None:
            raise _Gone
        return env

    class Agent(Accept):
        "asks an agent that learns"

        def accepts(self, offer: Offer) -> bool:
            env = environment()
            aside, seen, said = env._aside, env._question(offer), None
            if seen is not None and aside is not None:
                del env
                said = int(aside.ask(seen))
                env = environment()
            return env._answer(offer, said)

        def noted(self, offer: Offer, started: bool) -> None:
            environment()._note(offer, started)

        def forget(self, member: int) -> None:
            environment()._forget(member)

    return Agent


class Refuse(Environment):
    """Accept or refuse hosts that a policy offers; or set how readily a rule does.

    The configuration has a policy that shares (`policy: {use: fair, ...}`, or `yt`), on an architecture that
    offers hosts (`heartbeat`). One agent answers for all its members (users; of `yt`, operations).

    With `choose="offer"` a step is an offer: 1 takes it, 0 refuses it. Observation, as shares of the cell of
    D resources: `need` [D] of a slot of the task, `free` [D] of the host, `past` [n, D + 2], the last n
    offers of this member, the newest first (1: there is one; seconds ago; what was free), `facts` [6] (how
    many of those were better, by the rule; how many offers have come; refusals in a row; log10 of 1 + s
    waited, of 1 + queued tasks; round) and `mask`.

    With `choose="knob"` a step is `interval` seconds in which there are offers: action k, from 0 to n, sets
    how many better offers the rule (`Rule`) bears before it refuses, so that it takes a part
    f = (k + 1) / (n + 1) of offers that are alike. `facts` [6]: offers and the refused part of them in the
    last interval; mean of how many were better; f; log10 of 1 + queued tasks; seconds since the last step.

    Reward: the negative of the figure `reward` when the episode is over. The rule's numbers are those of the
    thesis; a member whose tasks have all ended forgets its offers (`memory: user, fresh: when_idle`).
    """

    _aside: _Aside | None = None

    def __init__(
        self,
        source: Source,
        *,
        choose: str = "offer",
        window: int = 15,
        interval: float = 60,
        episode: int | None = None,
        reward: str = "makespan",
        render_mode: str | None = None,
    ) -> None:
        if choose not in ("offer", "knob"):
            raise ValueError(f"choose: offer or knob, not {choose}")
        if window < 1 or not interval > 0:
            raise ValueError("window: at least 1 offer; interval: more than 0 s")
        self._work = Whole(source, episode, reward)
        policy = self._work.keys.get("policy", "fair")
        self._shares: dict[str, Any] = dict(policy) if isinstance(policy, dict) else {"use": policy}
        if self._shares.get("accept", "always") != "always":
            raise ValueError("policy.accept: leave it out, the agent says what is refused")
        self.render_mode, self.reward, self.choose = render_mode, reward, choose
        self.window, self.interval = window, int(interval * SECOND)
        self._d = self._dimensions()
        box = spaces.Box
        parts: dict[str, Any] = {"facts": box(0.0, _MOST, (6,), np.float64)}
        if choose == "offer":
            parts["need"] = box(0.0, _MOST, (self._d,), np.float64)
            parts["free"] = box(0.0, _MOST, (self._d,), np.float64)
            parts["past"] = box(0.0, _MOST, (window, self._d + 2), np.float64)
        actions = 2 if choose == "offer" else window + 1
        parts["mask"] = spaces.MultiBinary(actions)
        self.observation_space: Any = spaces.Dict(parts)
        self.action_space: Any = spaces.Discrete(actions)
        self._actions = actions

    def _dimensions(self) -> int:
        """Of the cell, as the first offer has them."""
        found: list[int] = []

        class First(Accept):
            "counts resources"

            def accepts(self, offer: Offer) -> bool:
                found.append(len(offer.need))
                raise _Gone

        of = {"seed": int(self._work.keys.get("seed", 1)), "start": 0}
        try:
            self._work.begin(of, {**self._shares, "accept": First}).advance()
        except _Gone:
            return found[0]
        raise ValueError("no host is ever offered: a policy that shares is wanted, where hosts report")

    # ---- an episode ----

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        self.close()
        of = self._work.draw(self.np_random, options)
        self._info: dict[str, Any] = {**of, "offers": 0, "refused": 0}
        self.rule = Rule(n=self.window)
        self._in_a_row: dict[int, int] = {}
        self._next = self._last = 0
        self._since = [0, 0, 0]  # offers, refused, better
        run = self._run = self._work.begin(of, {**self._shares, "accept": _agent(weakref.ref(self))})

        def play(_: _Aside) -> Result:
            run.advance()
            return run.finish()

        self._aside = _Aside(play)
        self._over = False
        self._take(self._aside.go_on())
        return self._seen, dict(self._info)

    # in the run's thread

    def _question(self, offer: Offer) -> dict[str, np.ndarray] | None:
        """What the agent is asked about; None: it need not be."""
        if self.choose == "offer":
            return self._see_offer(offer)
        return self._see_interval(offer) if offer.now >= self._next else None

    def _answer(self, offer: Offer, said: int | None) -> bool:
        if self.choose == "offer":
            return bool(said)
        if said is not None:
            self.rule.k = said
            self._next = (offer.now // self.interval + 1) * self.interval
            self._last, self._since = offer.now, [0, 0, 0]
        better = self.rule.better(offer)
        self._since[2] += better
        return self.rule.of(offer).met >= self.rule.at_first and better <= self.rule.k

    def _note(self, offer: Offer, started: bool) -> None:
        self.rule.noted(offer)
        if offer.forced:
            return
        row = self._in_a_row
        row[offer.member] = 0 if started else row.get(offer.member, 0) + (offer.round == 0)
        refused = not started and offer.round == 0
        self._info["offers"] += started or refused
        self._info["refused"] += refused
        self._since[0] += started or refused
        self._since[1] += refused

    def _forget(self, member: int) -> None:
        self.rule.forget(member)
        self._in_a_row.pop(member, None)

    def _see_offer(self, offer: Offer) -> dict[str, np.ndarray]:
        of = np.maximum(np.array(offer.capacity, np.float64), 1)
        remembered = self.rule.of(offer)
        past, of_them = np.zeros((self.window, self._d + 2)), remembered.newest_first()
        rows = past[: remembered.count]
        rows[:, 0] = 1
        rows[:, 1] = (offer.now - remembered.at[of_them]) / SECOND
        rows[:, 2:] = remembered.free[of_them] / of
        facts = np.array(
            [
                self.rule.better(offer),
                self.rule.of(offer).met,
                self._in_a_row.get(offer.member, 0),
                math.log10(1 + max(offer.now - offer.submitted, 0) / SECOND),
                math.log10(1 + offer.queued),
                offer.round,
            ]
        )
        return {
            "facts": facts,
            "need": offer.need / of,
            "free": offer.free / of,
            "past": past,
            "mask": np.ones(2, np.int8),
        }

    def _see_interval(self, offer: Offer) -> dict[str, np.ndarray]:
        offers, refused, better = self._since
        facts = np.array(
            [
                offers,
                refused / offers if offers else 0,
                better / offers if offers else 0,
                (self.rule.k + 1) / (self.window + 1),
                math.log10(1 + offer.queued),
                (offer.now - self._last) / SECOND,
            ]
        )
        return {"facts": facts, "mask": np.ones(self._actions, np.int8)}

    # in the caller's

    def _take(self, seen: dict[str, np.ndarray] | None) -> None:
        self._over = seen is None
        if seen is None:
            seen = {
                name: np.zeros(space.shape, space.dtype) for name, space in self.observation_space.items()
            }
            seen["mask"][:] = 1
        self._seen = seen

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        if self._aside is None or self._over:
            raise RuntimeError("the episode is over: reset()")
        if not 0 <= int(action) < self._actions:
            raise ValueError(f"an action from 0 to {self._actions - 1} is wanted, not {action}")
        self._take(self._aside.go_on(int(action)))
        aside = self._aside
        reward = self._ended(lambda: aside.result) if self._over else 0.0
        return self._seen, reward, self._over, False, dict(self._info)

    def render(self) -> str | None:
        if self.render_mode != "ansi" or self._aside is None:
            return None
        return f"{self._info['offers']} offers, {self._info['refused']} refused"

    def close(self) -> None:
        """End the run that is under way."""
        if self._aside is not None:
            self._aside.end()
            self._aside = None

    def __del__(self) -> None:
        self.close()


__all__ = ["Refuse", "Rule"]

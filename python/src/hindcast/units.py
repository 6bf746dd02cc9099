"""Times are whole nanoseconds from the run's origin, as everywhere in Hindcast."""

US = 1_000
MS = 1_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 3600 * SECOND
DAY = 86400 * SECOND


def seconds(time: int | None) -> float | None:
    """Nanoseconds as seconds.

    >>> seconds(1_500_000_000)
    1.5
    """
    return None if time is None else time / SECOND

"""Re-run a cluster's history under any scheduler, and see what would have happened.

    >>> import hindcast
    >>> easy = hindcast.run({"source": {"use": "lublin", "tasks": 200}, "policy": "easy", "seed": 7})
    >>> easy.verify().holds
    True
    >>> round(easy.figures["wait_mean"])
    3132

`run` carries a configuration out and gives its `Result`: figures, tables that pandas, polars, DuckDB and
pyarrow take without a copy, checks, charts. `Run` is the same as a value: advanced, saved, forked. `Policy`,
`Order`, `Placement`, `Accept`, `Metric`, `Source` and `Transform` are components that are classes of yours.
"""

from ._native import Error, Refused, version as __version__
from .components import Accept, Figure, Metric, Order, Param, Placement, Policy, Source, Transform, Why
from .configs import components, describe
from .results import Result, Table, Verdict, open_result
from .runs import Run, run
from .studies import Study, study
from .tables import from_table
from .units import DAY, HOUR, MINUTE, MS, SECOND, US, seconds

__all__ = [
    "DAY",
    "HOUR",
    "MINUTE",
    "MS",
    "SECOND",
    "US",
    "Accept",
    "Error",
    "Figure",
    "Metric",
    "Order",
    "Param",
    "Placement",
    "Policy",
    "Refused",
    "Result",
    "Run",
    "Source",
    "Study",
    "Table",
    "Transform",
    "Verdict",
    "Why",
    "__version__",
    "components",
    "describe",
    "from_table",
    "open_result",
    "run",
    "seconds",
    "study",
]

"""The page of a report: one HTML file that needs nothing else."""

from importlib.util import find_spec
from itertools import count

from results.report.parts import Chart, Report, ReportError

_TEMPLATE = "page.html"


def check_libraries() -> None:
    """Raises ReportError where one of the extra `report` is not installed."""
    for library in ("altair", "jinja2", "vl_convert"):
        if find_spec(library) is None:
            raise ReportError(
                f"farm report needs the library {library}: pip install 'dealfarm[report]'"
            )


def render(report: Report) -> str:
    """The HTML of a report; its libraries must be installed."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    from results.report.charts import draw

    numbers = count(1)
    environment = Environment(
        loader=PackageLoader("results.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def chart(part: Chart) -> Markup:
        return Markup(draw(part, next(numbers)))

    environment.filters["chart"] = chart
    return environment.get_template(_TEMPLATE).render(report=report) + "\n"

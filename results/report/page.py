"""The page of a report: one HTML file that needs nothing else."""

from itertools import count

from results.report.parts import Chart, Report, ReportError

_TEMPLATE = "page.html"


def render(report: Report) -> str:
    """The HTML of a report; raises ReportError where its libraries are missing."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup

        from results.report.charts import draw
    except ImportError as error:
        raise ReportError(
            f"farm report needs the library {error.name}: pip install 'dealfarm[report]'"
        ) from None
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

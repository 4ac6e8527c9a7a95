"""The report: one HTML file that shows a kernel, its Ascend C, its graph, its memory and its time."""

from .document import report_html

__all__ = ["report_html"]

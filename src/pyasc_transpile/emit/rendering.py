"""Jinja set-up: where templates are found and how they are rendered."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import jinja2


def template_folder() -> Path:
    """The folder of the templates: inside of the installed package, or at the top of a source tree.

    Raises:
        FileNotFoundError: neither exists.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "templates", package.parent.parent / "templates"):
        if (folder / "kernel.cpp.j2").is_file():
            return folder
    raise FileNotFoundError("the templates of pyasc_transpile are missing; reinstall the package")


@functools.lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(template_folder())),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        auto_reload=False,
    )


def render(template: str, **context: Any) -> str:
    """Render a template of the package."""
    return _environment().get_template(template).render(**context)

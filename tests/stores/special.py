"""Lists every special store by name, for tests that run over all of them: a new function, a new store."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType

from tests.stores import damage, formats, journals, strangers
from tests.stores.construct import Contents

Make = Callable[[Path], Contents]


def makers(*modules: ModuleType) -> dict[str, Make]:
    """The functions of `modules` (all by default) that need a path only and give its contents."""
    return {
        name: f
        for module in modules or (damage, formats, journals, strangers)
        for name, f in vars(module).items()
        if getattr(f, "__module__", "") == module.__name__ and not name.startswith("_") and _needs_path_only(f)
    }


def _needs_path_only(f: object) -> bool:
    if not callable(f) or isinstance(f, type):
        return False
    needed = [n for n, p in signature(f).parameters.items() if p.default is Parameter.empty]
    return needed == ["path"] and signature(f).return_annotation == "Contents"

"""The plan of a probe: how a release of the producer is run, as data beside the descriptor (``probe.toml``).

Hands on ``Plan`` values; nothing here knows a producer.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import Any

from validator.descriptor import Descriptor, DescriptorError


@dataclass(frozen=True)
class Reply:
    """What the scripted model answers once."""

    content: str | None
    reasoning: str | None
    calls: tuple[dict[str, Any], ...]
    prompt: int
    completion: int
    cached: int


@dataclass(frozen=True)
class Line:
    """A line that is typed: how many replies it asks of the model, and whether the input must be cleared before."""

    text: str
    replies: int
    clear: bool


@dataclass(frozen=True)
class Step:
    """One run of the program; with lines it is talked to in a terminal."""

    run: tuple[str, ...]
    talk: tuple[Line, ...]


@dataclass(frozen=True)
class Scenario:
    """What is done in one fresh home."""

    name: str
    about: str
    replies: tuple[Reply, ...]
    steps: tuple[Step, ...]
    project: dict[str, str]
    """Files of the project that the agent works in."""
    settings: dict[str, str]


@dataclass(frozen=True)
class Plan:
    """How the releases of a package are run."""

    package: str
    program: str
    through: str
    scope: str
    limitations: str
    prompt: str
    """What the program shows when it takes input."""
    leave: tuple[str, ...]
    environment: dict[str, str]
    files: dict[str, str]
    """Files of the home."""
    auxiliary: tuple[tuple[str, str], ...]
    """Words of a request that offers no tools, and the answer to it."""
    scenarios: tuple[Scenario, ...] = field(default=())

    def scenario(self, name: str) -> Scenario | None:
        """Return the scenario of that name, or None."""
        return next((scenario for scenario in self.scenarios if scenario.name == name), None)


def load_plan(descriptor: Descriptor) -> Plan:
    """Load the plan of a descriptor; ``DescriptorError`` where it has none, or a broken one."""
    path = descriptor.folder / "probe.toml"
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        return _plan(document)
    except FileNotFoundError:
        raise DescriptorError(f"{descriptor.name} has no probe.toml: nobody wrote down how it is run") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DescriptorError(f"probe.toml: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DescriptorError(f"probe.toml: {type(error).__name__}: {error}; see the plans that ship") from None


def _plan(document: dict[str, Any]) -> Plan:
    settings = {str(name): str(value) for name, value in document.get("settings", {}).items()}
    return Plan(
        package=str(document["package"]),
        program=str(document["program"]),
        through=str(document["through"]),
        scope=str(document["scope"]),
        limitations=str(document["limitations"]),
        prompt=str(document["prompt"]),
        leave=tuple(map(str, document["leave"])),
        environment={str(name): str(value) for name, value in document["environment"].items()},
        files={str(name): str(text) for name, text in document["files"].items()},
        auxiliary=tuple((str(item["words"]), str(item["content"])) for item in document["auxiliary"]),
        scenarios=tuple(_scenario(item, settings) for item in document["scenario"]),
    )


def _scenario(item: dict[str, Any], settings: dict[str, str]) -> Scenario:
    project = {str(name): str(text) for name, text in item.get("project", {}).items()}
    for page in range(1, item.get("pages", 0) + 1):
        lines = (f"Page {page:02d}, line {line:03d}: nothing that matters, {page * line}.\n" for line in range(110))
        project[f"pages/{page}.txt"] = "".join(lines)
    return Scenario(
        name=str(item["name"]),
        about=str(item["about"]),
        replies=tuple(reply for entry in item["replies"] for reply in _replies(entry)),
        steps=tuple(
            Step(
                tuple(map(str, step["run"])),
                tuple(
                    Line(str(line["line"]), int(line.get("replies", 0)), bool(line.get("clear", False)))
                    for line in step.get("talk", ())
                ),
            )
            for step in item["steps"]
        ),
        project=project,
        settings={**settings, **{str(name): str(value) for name, value in item.get("settings", {}).items()}},
    )


def _replies(item: dict[str, Any]) -> list[Reply]:
    """Return a reply, or the same one several times with a page number and a growing context."""
    return [
        Reply(
            content=filled(item.get("content"), page=str(page)),
            reasoning=item.get("reasoning"),
            calls=tuple(filled(call, page=str(page)) for call in item.get("calls", ())),
            prompt=int(item.get("prompt", 1200)) + page * int(item.get("grows", 0)),
            completion=int(item.get("completion", 10)),
            cached=int(item.get("cached", 0)),
        )
        for page in range(1, int(item.get("times", 1)) + 1)
    ]


def filled(value: Any, **words: str) -> Any:
    """Return a value with ``{word}`` replaced in every text of it."""
    if isinstance(value, str):
        for name, text in words.items():
            value = value.replace("{" + name + "}", text)
        return value
    if isinstance(value, list | tuple):
        return [filled(item, **words) for item in value]
    if isinstance(value, dict):
        return {name: filled(item, **words) for name, item in value.items()}
    return value

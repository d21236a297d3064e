"""The parts of a probe: its plan, the scripted model, the talk in a terminal, and the refusal to run unisolated."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run
from validator.descriptor import DescriptorError, load
from validator.probe import isolation
from validator.probe.model import Model
from validator.probe.plan import Line, Plan, Scenario, load_plan
from validator.probe.terminal import Talk

SCENARIOS = ["text", "edit-review", "branch", "undo", "compression"]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(load())


def test_the_plan_that_ships_has_the_five_scenarios(plan: Plan) -> None:
    assert [scenario.name for scenario in plan.scenarios] == SCENARIOS


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_reply_of_a_scenario_is_asked_for(plan: Plan, name: str) -> None:
    scenario = plan.scenario(name)
    assert scenario is not None
    talked = sum(line.replies for step in scenario.steps for line in step.talk)
    # A run that is not talked to takes replies until one of them calls no tool.
    ends = sum(not reply.calls for reply in scenario.replies)
    assert talked == len(scenario.replies) if talked else ends == len(scenario.steps)


@pytest.mark.parametrize(
    ("text", "message"),
    [("x", "probe.toml: "), ("probe = '0.1'", "probe.toml: KeyError: 'package'"), (None, "has no probe.toml")],
)
def test_a_broken_plan_is_named(tmp_path: Path, text: str | None, message: str) -> None:
    shutil.copytree(load().folder, tmp_path / "producer")
    (tmp_path / "producer" / "probe.toml").unlink()
    if text is not None:
        (tmp_path / "producer" / "probe.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DescriptorError) as raised:
        load_plan(load(str(tmp_path / "producer")))
    assert message in str(raised.value)


@pytest.fixture
def model(plan: Plan) -> Iterator[Model]:
    scenario = plan.scenario("edit-review")
    assert isinstance(scenario, Scenario)
    server = Model(plan, scenario, {"home": "/h", "project": "/p"})
    yield server
    server.shutdown()
    server.server_close()


def ask(model: Model, path: str = "/v1/chat/completions", **request: Any) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", model.port, timeout=20)
    connection.request("POST", path, json.dumps(request))
    answer = connection.getresponse()
    text = answer.read().decode("utf-8")
    connection.close()
    return answer.status, text


def test_requests_with_tools_get_the_replies_in_order(model: Model) -> None:
    answers = [json.loads(ask(model, messages=[], tools=[{}])[1]) for _ in range(2)]
    calls = answers[0]["choices"][0]["message"]["tool_calls"]
    assert [json.loads(call["function"]["arguments"]) for call in calls] == [
        {"path": "/p/sum.py"},
        {"path": "/p/README.md"},
    ]
    usage = answers[1]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (2500, 70, 2570)
    assert usage["prompt_tokens_details"] == {"cached_tokens": 2000}
    assert model.served == 2


def test_requests_without_tools_are_answered_by_their_words_and_take_no_reply(model: Model) -> None:
    _, text = ask(model, messages=[{"role": "system", "content": "You name chat sessions."}])
    assert json.loads(text)["choices"][0]["message"]["content"] == '{"title": "A probed session"}'
    assert model.served == 0


def test_a_streamed_answer_is_the_same_in_pieces(model: Model) -> None:
    _, text = ask(model, messages=[], tools=[{}], stream=True, stream_options={"include_usage": True})
    lines = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
    assert lines.pop() == "[DONE]"
    events = [json.loads(line) for line in lines]
    deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
    assert "".join(delta.get("content", "") for delta in deltas) == "I read both files first."
    assert [call["id"] for delta in deltas for call in delta.get("tool_calls", ())] == ["call_a", "call_b"]
    assert events[-1]["usage"]["total_tokens"] == 2160


@pytest.mark.parametrize(("path", "body"), [("/v1/embeddings", "{}"), ("/v1/chat/completions", "["), ("/x", "[]")])
def test_what_is_no_chat_is_refused(model: Model, path: str, body: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", model.port, timeout=20)
    connection.request("POST", path, body)
    assert connection.getresponse().status in (400, 404)
    connection.close()


PROGRAM = """
import sys
print('> ', end='', flush=True)
for line in sys.stdin:
    if line.strip() == 'leave':
        sys.exit(7)
    print('heard ' + line.strip()[::-1], flush=True)
    print('> ', end='', flush=True)
"""


def test_a_program_is_talked_to_like_by_a_person(tmp_path: Path) -> None:
    talk = Talk([sys.executable, "-c", PROGRAM], tmp_path, {"PATH": os.environ["PATH"]})
    assert talk.wait(lambda: "> " in talk.seen(), 20)
    assert talk.type(Line("a question", 1, clear=True))
    assert talk.rest(lambda: "noitseuq a" in talk.seen(), 20)
    assert talk.end(["leave"]) == 7


def test_a_program_that_does_not_leave_is_ended(tmp_path: Path) -> None:
    endless = (
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('> ', flush=True)\ntime.sleep(600)"
    )
    talk = Talk([sys.executable, "-c", endless], tmp_path, {})
    assert talk.wait(lambda: ">" in talk.seen(), 20)
    talk.wait = lambda done, seconds: False  # type: ignore[method-assign]
    assert talk.end([]) == -9


def test_without_isolation_nothing_is_fetched_or_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run("probe", "hermes-agent==0.19.0", "--captures", str(tmp_path / "made"))
    assert done.code == 3
    assert (
        done.err
        == "validator: unshare is missing, so the release cannot be isolated; install util-linux and iproute2\n"
    )
    assert not (tmp_path / "made").exists()


def test_isolation_that_fails_is_said_with_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("unshare", "mount", "ip"):
        (tmp_path / name).write_text(
            "#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2\nexit 1\n", encoding="utf-8"
        )
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(isolation.IsolationError, match=r"Operation not permitted\); nothing was run"):
        isolation.check()


def test_a_private_network_that_is_not_private_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "unshare").write_text("#!/bin/sh\necho 2\n", encoding="utf-8")
    (tmp_path / "unshare").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}:/usr/sbin:/sbin")
    with pytest.raises(isolation.IsolationError, match="has more than loopback"):
        isolation.check()


def test_a_scenario_refuses_to_run_outside_isolation(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "validator.probe.inside", "hermes", "text", str(tmp_path), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "not in namespaces of its own; nothing was run\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hermes-agent"], "hermes-agent: no release; name one such as PACKAGE==VERSION"),
        (["hermes-agent==0.19.0", "--scenario", "dance"], "no scenario 'dance'; there are: text, edit-review"),
        (["hermes-agent==0.19.0", "--captures", "."], "--captures .: is there already"),
        (["--index-url=x==1"], "No such option"),
    ],
)
def test_wrong_usage_is_said(arguments: list[str], message: str) -> None:
    done = run("probe", *arguments)
    assert (done.code, message in done.err) == (2, True), done.err

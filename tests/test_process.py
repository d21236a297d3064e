"""The runner of external converters: limits hold, nothing hangs, nothing stays behind, nothing leaks."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from validator.converter import Request
from validator.stream.outcome import Limits, Outcome
from validator.stream.process import Run, request_arguments, start
from validator.stream.protocol import ProtocolError

REPOSITORY = Path(__file__).resolve().parents[1]


def converter(code: str) -> list[str]:
    """A converter that is this Python code."""
    return [sys.executable, "-c", textwrap.dedent(code)]


def run(code: str, workdir: Path, limits: Limits | None = None) -> tuple[list[bytes], Outcome]:
    with start(converter(code), [], workdir, limits) as started:
        return list(started), started.wait()


def processes_that_mention(word: str) -> list[int]:
    """Processes other than this one whose command line or environment holds the word."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        if int(entry.name) == os.getpid():
            continue
        try:
            text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if word.encode() in text:
            found.append(int(entry.name))
    return found


@pytest.fixture
def workdir(tmp_path: Path) -> Iterator[Path]:
    """A directory for runs; afterwards no process that knows it lives, and only spools lie in it."""
    folder = tmp_path / "runs"
    folder.mkdir()
    yield folder
    patience = time.monotonic() + 1  # what was killed needs a moment to be gone
    while processes_that_mention(str(folder)) and time.monotonic() < patience:
        time.sleep(0.01)
    assert processes_that_mention(str(folder)) == []
    assert {path.suffix for path in folder.iterdir()} <= {".jsonl"}


# Lines


def test_the_lines_of_a_converter_arrive_with_their_line_feeds(workdir: Path) -> None:
    lines, outcome = run("print('one'); print(); print('three\\r')", workdir)
    assert lines == [b"one\n", b"\n", b"three\r\n"]
    assert outcome.failure is None
    assert (outcome.exit_code, outcome.output) == (0, 12)


def test_a_line_arrives_while_the_converter_still_runs(workdir: Path) -> None:
    with start(converter("import time; print('now', flush=True); time.sleep(30)"), [], workdir) as started:
        begun = time.monotonic()
        assert next(iter(started)) == b"now\n"
        assert time.monotonic() - begun < 10


def test_lines_can_be_read_again_from_any_offset(workdir: Path) -> None:
    with start(converter("print('one'); print('two'); print('three')"), [], workdir) as started:
        first = list(started)
    assert list(started.lines()) == first
    assert list(started.lines(len(first[0]))) == first[1:]
    assert started.spool.read_bytes() == b"".join(first)


def test_a_last_line_without_line_feed_is_a_protocol_violation(workdir: Path) -> None:
    with start(converter("import sys; sys.stdout.write('one\\ntw')"), [], workdir) as started:
        lines = iter(started)
        assert next(lines) == b"one\n"
        with pytest.raises(ProtocolError, match=r"^line 2: .*line feed"):
            next(lines)


def test_half_a_line_of_a_crashed_converter_is_left_out_and_the_crash_is_told(workdir: Path) -> None:
    lines, outcome = run("import sys; sys.stdout.write('one\\ntw'); sys.stdout.flush(); sys.exit(3)", workdir)
    assert lines == [b"one\n"]
    assert outcome.failure == "exited with status 3"


def test_a_line_at_the_limit_passes_and_one_byte_more_does_not(workdir: Path) -> None:
    code = "print('x' * 2_999_999)"
    assert [len(line) for line in run(code, workdir, Limits(line=3_000_000))[0]] == [3_000_000]
    with (
        pytest.raises(ProtocolError, match=r"^line 1: longer than 2999999 bytes"),
        start(converter(code), [], workdir, Limits(line=2_999_999)) as started,
    ):
        list(started)


def test_an_endless_line_ends_the_run_at_the_bound(workdir: Path) -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    begun = time.monotonic()
    with (
        pytest.raises(ProtocolError),
        start(converter(code), [], workdir, Limits(line=4 << 20)) as started,
    ):
        list(started)
    assert time.monotonic() - begun < 20


def test_many_lines_of_all_lengths_arrive_unchanged(workdir: Path) -> None:
    code = "for n in range(3000): print('é' * (n * 7 % 3001) + str(n))"
    lines, _ = run(code, workdir)
    assert lines == ["é".encode() * (n * 7 % 3001) + f"{n}\n".encode() for n in range(3000)]


# Limits


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(600)",
        "while True: pass",
        "import time; print('{\"line\":', end='', flush=True); time.sleep(600)",
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        "import os, time; os.close(1); os.close(2); time.sleep(600)",
    ],
    ids=["sleeps", "spins", "half a line", "ignores SIGTERM", "stops itself", "closes its pipes"],
)
def test_no_run_exceeds_its_limit_by_more_than_two_seconds(code: str, workdir: Path) -> None:
    begun = time.monotonic()
    lines, outcome = run(code, workdir, Limits(seconds=1))
    assert time.monotonic() - begun < 3
    assert lines == []
    assert outcome.failure == "was ended after its limit of 1 seconds"


def test_the_time_limit_holds_while_nobody_reads(workdir: Path) -> None:
    with start(converter("import time; time.sleep(600)"), [], workdir, Limits(seconds=0.5)) as started:
        time.sleep(2)
        assert started.wait().timed_out
        assert started.wait().seconds < 2.5


def test_output_beyond_the_limit_ends_the_run_and_keeps_what_fits(workdir: Path) -> None:
    lines, outcome = run("while True: print('flood')", workdir, Limits(output=100_000))
    assert outcome.output == 100_000
    assert outcome.failure == "was ended at its limit of 100000 bytes of output"
    assert lines == [b"flood\n"] * 16_666


def test_a_file_beyond_the_output_limit_cannot_be_written(workdir: Path) -> None:
    _, outcome = run("open('big', 'wb').write(bytes(200_000))", workdir, Limits(output=100_000))
    assert outcome.exit_code == 1
    assert "File too large" in outcome.stderr


def test_memory_beyond_the_limit_cannot_be_had_and_the_failure_tells_the_peak(workdir: Path) -> None:
    code = "held = []\nwhile True: held.append(bytearray(8 << 20))"
    _, outcome = run(code, workdir, Limits(memory=256 << 20))
    assert outcome.exit_code == 1
    assert outcome.failure is not None
    assert outcome.failure.endswith("of the 256 MiB that it may")


def test_a_core_is_never_written(workdir: Path) -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))"
    assert run(code, workdir)[0] == [b"(0, 0)\n"]


# Pipes and descendants


def test_both_pipes_are_drained_at_once(workdir: Path) -> None:
    code = """
        import sys
        for n in range(200):
            sys.stderr.write(f"warning {n} " + "e" * 5000 + "\\n")
            sys.stdout.write("o" * 5000 + "\\n")
    """
    lines, outcome = run(code, workdir)
    assert len(lines) == 200
    assert outcome.failure is None


@pytest.mark.parametrize("session", [False, True], ids=["its session", "a session of its own"])
def test_a_grandchild_that_keeps_the_pipe_neither_hangs_the_run_nor_survives_it(session: bool, workdir: Path) -> None:
    code = f"""
        import subprocess
        print("line", flush=True)
        subprocess.Popen(["sleep", "600"], start_new_session={session})
    """
    begun = time.monotonic()
    lines, outcome = run(code, workdir)
    assert time.monotonic() - begun < 10
    assert lines == [b"line\n"]
    assert (outcome.failure, outcome.left) == (None, 0)


def test_a_daemon_that_forgot_its_origin_is_ended_too(workdir: Path) -> None:
    code = """
        import os, sys
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.chdir("/")
                for descriptor in (0, 1, 2):
                    os.close(descriptor)
                os.write(writer, b"%d" % os.getpid())
                os.close(writer)
                os.execve("/bin/sleep", ["sleep", "600"], {})
            os._exit(0)
        os.close(writer)
        print(os.read(reader, 20).decode())
    """
    lines, _ = run(code, workdir)
    assert not Path(f"/proc/{int(lines[0])}").exists()


def test_what_still_writes_after_the_end_is_not_waited_for(workdir: Path) -> None:
    code = """
        import os, sys
        print("line", flush=True)
        if os.fork() == 0:
            os.setsid()
            while True:
                os.write(2, b"noise" * 1000)
    """
    begun = time.monotonic()
    lines, outcome = run(code, workdir)
    assert time.monotonic() - begun < 10
    assert (lines, outcome.failure) == ([b"line\n"], None)


def test_a_copy_of_the_pipes_in_a_process_forked_meanwhile_hangs_nothing(workdir: Path) -> None:
    started = start(converter("import time; time.sleep(600)"), [], workdir, Limits(seconds=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads, as a process pool makes it
        copy = os.fork()
    if copy == 0:
        time.sleep(60)
        os._exit(0)
    try:
        with started:
            assert list(started) == []
            assert started.wait().seconds < 3
    finally:
        os.kill(copy, signal.SIGKILL)
        os.waitpid(copy, 0)


def test_a_reader_that_leaves_early_ends_the_run(workdir: Path) -> None:
    with start(converter("import time\nwhile True: print(1, flush=True); time.sleep(.01)"), [], workdir) as started:
        next(iter(started))
    assert started.wait().cut_short


def test_the_converter_ends_when_the_validator_is_killed(workdir: Path) -> None:
    code = f"""
        import sys, time
        from pathlib import Path
        from validator.stream.process import start
        endless = "import time; print(1, flush=True); time.sleep(600)"
        run = start([sys.executable, "-c", endless], [], Path({str(workdir)!r}))
        next(iter(run))
        print("running", flush=True)
        time.sleep(600)
    """
    validator = subprocess.Popen(
        converter(code), stdout=subprocess.PIPE, cwd=REPOSITORY, env={"PYTHONPATH": str(REPOSITORY)}
    )
    assert validator.stdout is not None
    assert validator.stdout.readline() == b"running\n"
    assert len(processes_that_mention(str(workdir))) >= 2
    validator.kill()
    validator.wait()
    validator.stdout.close()
    patience = time.monotonic() + 5
    while processes_that_mention(str(workdir)) and time.monotonic() < patience:
        time.sleep(0.02)
    assert processes_that_mention(str(workdir)) == []
    for left in workdir.glob("converter-*"):  # what only the killed validator could have removed
        left.rmdir()


def test_a_converter_that_kills_its_supervisor_has_failed(workdir: Path) -> None:
    code = "import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)"
    begun = time.monotonic()
    _, outcome = run(code, workdir)
    assert time.monotonic() - begun < 10
    assert outcome.failure == "was ended by signal SIGKILL"


# Surroundings


def test_the_environment_holds_four_names_and_nothing_of_the_caller(
    workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", "/secret/place")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("LC_ALL", "de_DE.ISO-8859-1")
    lines, _ = run("import json, os; print(json.dumps(dict(os.environ)))", workdir)
    environment = json.loads(lines[0])
    assert set(environment) == {"PATH", "LANG", "HOME", "TMPDIR"}
    assert environment["LANG"] == "C.UTF-8"
    assert environment["HOME"] == environment["TMPDIR"]
    assert Path(environment["HOME"]).parent == workdir


def test_relative_entries_of_path_mean_the_same_places_as_for_the_caller(
    workdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"bin:{os.environ['PATH']}")
    lines, _ = run("import os; print(os.environ['PATH'].split(':')[0])", workdir)
    assert lines == [f"{tmp_path}/bin\n".encode()]


def test_the_working_directory_is_empty_and_private_and_gone_afterwards(workdir: Path) -> None:
    lines, _ = run("import os; print(os.listdir()); print(os.getcwd() == os.environ['HOME'], os.getcwd())", workdir)
    assert lines[0] == b"[]\n"
    same, place = lines[1].decode().split()
    assert same == "True"
    assert not Path(place).exists()


def test_standard_input_is_empty_and_no_other_descriptor_is_open(workdir: Path) -> None:
    lines, _ = run("import os, sys; print(repr(sys.stdin.read()), sorted(os.listdir('/proc/self/fd')))", workdir)
    # The fourth is the one that lists the directory.
    assert lines == [b"'' ['0', '1', '2', '3']\n"]


def test_the_converter_leads_a_session_of_its_own(workdir: Path) -> None:
    lines, _ = run("import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())", workdir)
    assert lines == [b"True\n"]


def test_no_signal_is_ignored_on_the_converters_behalf(workdir: Path) -> None:
    # Python ignores SIGPIPE and SIGXFSZ for itself; a program that inherits that never ends at a closed pipe.
    with start(["/bin/cat"], ["/proc/self/status"], workdir) as started:
        ignored = next(line for line in started if line.startswith(b"SigIgn"))
    # The first 31: those behind them are the C library's own, which ignores one when make starts a program.
    assert int(ignored.split()[1], 16) & 0x7FFFFFFF == 0


def test_the_request_is_the_protocols_command_line() -> None:
    asked = Request("f", Path("/x/state.db"), "sha256:0")
    assert request_arguments(asked) == (
        "--format", "f", "--source", "/x/state.db", "--snapshot", "sha256:0",
    )  # fmt: skip
    asked = Request("f", Path("/x/state.db"), "sha256:0", "n", "14")
    assert request_arguments(asked)[-4:] == ("--namespace", "n", "--after", "14")


def test_arguments_arrive_as_they_are(workdir: Path) -> None:
    words = ["--namespace", "a b'\"$HOME é \udcff\n", ""]
    with start(converter("import sys; print(ascii(sys.argv[1:]))"), words, workdir) as started:
        assert list(started) == [f"{words!a}\n".encode()]


# How it ended


def test_a_crash_is_told_with_its_signal(workdir: Path) -> None:
    _, outcome = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", workdir)
    assert (outcome.exit_code, outcome.signal) == (None, 11)
    assert outcome.failure == "was ended by signal SIGSEGV"


def test_a_command_that_the_system_refuses_is_told_with_the_reason(workdir: Path) -> None:
    script = workdir.parent / "script"
    script.write_text("no interpreter is named here", encoding="utf-8")
    script.chmod(0o755)
    with start([str(script)], [], workdir) as started:
        assert list(started) == []
    assert started.wait().failure == "could not be started: Exec format error"


def test_standard_error_is_kept_at_both_ends_and_never_decides(workdir: Path) -> None:
    code = "import sys\nfor n in range(100_000): print(f'warning {n}', file=sys.stderr)"
    _, outcome = run(code, workdir)
    assert outcome.failure is None
    assert outcome.stderr.startswith("warning 0\nwarning 1\n")
    assert outcome.stderr.endswith("warning 99998\nwarning 99999\n")
    assert " bytes left out]\n" in outcome.stderr
    assert len(outcome.stderr) < 20_000


def test_paths_of_the_machine_do_not_stand_in_the_excerpt(workdir: Path, tmp_path: Path) -> None:
    code = "import os, sys; print(os.getcwd(), sys.argv[1], os.path.expanduser('~'), file=sys.stderr)"
    source = tmp_path / "state.db"
    with start(converter(code), [str(source)], workdir, names={str(source): "state.db"}) as started:
        assert started.wait().stderr == "<private> state.db <private>\n"


def test_a_spool_that_cannot_be_written_is_told_to_the_reader(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(run: Run, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Run, "_take_output", full)
    with (
        pytest.raises(OSError, match="No space left"),
        start(converter("print(1)"), [], workdir) as started,
    ):
        list(started)


def test_runs_side_by_side_do_not_mix(workdir: Path) -> None:
    started = [start(converter(f"for n in range(1000): print({k})"), [], workdir) for k in range(6)]
    for k, one in enumerate(started):
        with one:
            assert list(one) == [f"{k}\n".encode()] * 1000

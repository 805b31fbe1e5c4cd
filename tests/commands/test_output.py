"""What several processes print is shown line by line."""

import io
import os
import subprocess
import sys
import time

import pytest

from tfgrad_jax.commands import launch
from tfgrad_jax.commands.output import Follower, Lines
from tfgrad_jax.lib.data.nodes.ordering import cores

TRACEBACK = b"""Traceback (most recent call last):
  File "x.py", line 1, in <module>
ValueError: no
"""


def followed(written, prefix=b"[worker 1] ", terminal=False):
    """What a process' output becomes, and who followed it."""
    stream = io.BytesIO()
    follower = Follower(io.BufferedReader(io.BytesIO(written)), Lines(stream, terminal), prefix)
    follower.join()
    return stream.getvalue(), follower


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"a\nb\n\nc", b"> a\n> b\n> \n> c\n"),
        (b"1/2\r2/2\ndone\n", b"> 2/2\n> done\n"),
        (b"\r10%\r20%\r30%\r\nx", b"> 30%\n> x\n"),
        (b"1/2 \x08\x08\x08\x08\r2/2 \n", b"> 2/2 \n"),  # as Keras goes back
        (b"\xff\xfe\n", b"> \xff\xfe\n"),
        (b"", b""),
    ],
)
def test_lines(written, shown):
    assert followed(written, b"> ")[0] == shown


def test_one_line_grows_on_a_terminal():
    stream = io.BytesIO()
    lines = Lines(stream, terminal=True)
    lines.grow("a", b"a 1")
    lines.grow("b", b"b 1")  # no place for it
    lines.grow("a", b"a 2")
    lines.end("b", b"b says")
    lines.grow("b", b"b 2")
    lines.end("b", b"b 3")
    assert stream.getvalue() == b"a 1\r\x1b[Ka 2\nb says\nb 2\r\x1b[Kb 3\n"


def test_the_last_traceback():
    assert followed(b"a\n" + TRACEBACK)[1].traceback() == TRACEBACK.splitlines()
    assert followed(TRACEBACK.replace(b"no", b"handled") + TRACEBACK + b"end\n")[1].traceback() == [
        *TRACEBACK.splitlines(),
        b"end",
    ]
    assert followed(b"a\nb\n")[1].traceback() == []
    assert followed(TRACEBACK + b"it went on\n" * 1000)[1].traceback() == []


def test_lines_of_processes_are_not_mixed():
    code = "import sys\nfor i in range(3000): sys.stdout.write(sys.argv[1] * 50); sys.stdout.write('\\n')"
    stream = io.BytesIO()
    lines = Lines(stream, terminal=False)
    processes = [
        subprocess.Popen([sys.executable, "-S", "-u", "-c", code, name], stdout=subprocess.PIPE) for name in "ab"
    ]
    for follower in [Follower(p.stdout, lines, b"> ") for p in processes]:
        follower.join()
    assert [p.wait() for p in processes] == [0, 0]
    assert sorted(stream.getvalue().splitlines()) == [b"> " + b"a" * 50] * 3000 + [b"> " + b"b" * 50] * 3000


def test_the_first_that_failed_is_told(run_python, tmp_path):
    """The other one fails because of it, and ends before it."""
    script = tmp_path / "program.py"
    script.write_text("""
import json, os, sys, time

if json.loads(os.environ["TF_CONFIG"])["task"]["index"] == 0:
    sys.excepthook = lambda *error: (sys.__excepthook__(*error), open(sys.argv[1], "w").close(), time.sleep(0.3))
    raise ValueError("the first")
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
raise RuntimeError("UnavailableError: worker 0 is gone")
""")
    done = run_python("-m", "tfgrad_jax", "launch", "--workers", "2", str(script), str(tmp_path / "failed"))
    assert done.returncode == 1
    assert done.stderr.endswith(
        "\nValueError: the first\nlaunch: worker 0 ended with status 1, so all others are ended\n"
    )
    assert "[worker 0] ValueError: the first\n" in done.stderr
    assert "[worker 1] RuntimeError: " in done.stderr


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the system does not tell of threads")
@pytest.mark.parametrize(("workers", "given", "threads"), [(2 * cores(), None, 1), (2, "3", 3)])
def test_workers_share_the_cores(run_python, tmp_path, monkeypatch, workers, given, threads):
    monkeypatch.delenv("NPROC", raising=False)
    if given:
        monkeypatch.setenv("NPROC", given)
    found = launch._environments(workers)
    assert {environment["NPROC"] for environment in found} == {str(threads)}
    monkeypatch.setenv("NPROC", found[0]["NPROC"])
    script = tmp_path / "program.py"
    script.write_text("""
import os
import tensorflow as tf

tf.function(lambda x: x @ x, jit_compile=True)(tf.ones([600, 600])).numpy()
names = [open(f"/proc/self/task/{task}/comm").read() for task in os.listdir("/proc/self/task")]
print(sum("XLAEigen" in name for name in names))
""")
    done = run_python("-m", "tfgrad_jax", str(script))
    assert (done.stdout, done.returncode) == (f"{threads}\n", 0)


def test_what_ends_it_ends_its_workers(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import os, sys, time\nopen(sys.argv[1] + str(os.getpid()), 'w').close()\ntime.sleep(100)\n")
    (tmp_path / "ids").mkdir()
    command = ["launch", "--workers", "2", "--no-prefix", str(script), f"{tmp_path}/ids/"]
    started = subprocess.Popen([sys.executable, "-m", "tfgrad_jax", *command], stderr=subprocess.DEVNULL)
    while len(os.listdir(tmp_path / "ids")) < 2:
        assert started.poll() is None
        time.sleep(0.02)
    started.terminate()
    assert started.wait() == 143
    for number in os.listdir(tmp_path / "ids"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(number), 0)

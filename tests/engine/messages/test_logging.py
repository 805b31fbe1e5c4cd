import logging
import subprocess
import sys

from tfgrad_jax.engine.messages.logging import get_logger, warn, warn_once
from tfgrad_jax.engine.names.export import registry


def run(*lines):
    program = "\n".join(
        ("import logging, sys", *lines, "import tfgrad_jax.engine.messages.logging as log", "log.warn('at %s', 3)")
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)


def test_warnings_reach_stderr():
    done = run()
    assert done.stderr == "WARNING:tensorflow:at 3\n"
    assert done.stdout == ""


def test_a_program_that_set_up_logging_is_heard_once():
    assert run("logging.basicConfig(format='mine %(message)s')").stderr == "mine at 3\n"


def test_a_prompt_gets_them_on_stdout():
    done = run("sys.ps1 = '>>> '")
    assert done.stdout == "WARNING:tensorflow:at 3\n"
    assert done.stderr == ""


def test_the_logger_is_the_one_named_tensorflow():
    assert get_logger() is registry["get_logger"]() is logging.getLogger("tensorflow")


def test_warn_says_where_it_was_called(caplog):
    warn("hello %s", 1)
    (record,) = caplog.records
    assert (record.name, record.levelname, record.getMessage()) == ("tensorflow", "WARNING", "hello 1")
    assert record.filename == "test_logging.py"


def test_warn_once(caplog):
    for value in (1, 2):
        warn_once("only once, %s", value)
    assert [record.getMessage() for record in caplog.records] == ["only once, 1"]

"""The command `lostkeys`: finds the subcommand, and turns errors into one line."""

import atexit
import os
import signal
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from types import FrameType

import click

from tui.cli.terminal_text import print_error

COMMANDS = {
    "demo": ("tui.cli.commands.demo", "Profile the embedded model on bundled facts."),
    "import": (
        "tui.cli.commands.import_files",
        "Import facts, responses, labels and more from files.",
    ),
    "export": ("tui.cli.commands.export", "Write facts, responses, labels or profiles."),
    "publish": ("tui.cli.commands.publish", "Publish a copy for others to explore in Datasette."),
    "merge": ("tui.cli.commands.merge", "Merge several databases into a new one."),
    "build": ("tui.cli.commands.build", "Build facts from documents; only what is missing."),
    "sample": ("tui.cli.commands.sample", "Sample responses from a model; only what is missing."),
    "requests": (
        "tui.cli.commands.request_files",
        "Write request files for engines elsewhere.",
    ),
    "answer": ("tui.cli.commands.answer", "Send request files to a server."),
    "collect": (
        "tui.cli.commands.collect",
        "Collect responses to request files.",
    ),
    "grade": ("tui.cli.commands.grade", "Grade responses; only what is missing."),
    "run": ("tui.cli.commands.sample", "Sample responses and grade them."),
    "jobs": ("tui.cli.commands.jobs", "List, pause, resume or cancel jobs."),
    "discard": ("tui.cli.commands.discard", "Discard responses so that they are sampled again."),
    "remove": (
        "tui.cli.commands.remove",
        "Remove a set, relation, model, grader or imported file.",
    ),
    "profiles": ("tui.cli.commands.profiles", "Show each model's knowledge profiles."),
    "compare": ("tui.cli.commands.compare", "Compare two models on the same facts."),
    "policies": ("tui.cli.commands.policies", "List, save or remove named policies."),
    "confusion": ("tui.cli.commands.confusion", "Compare the labels of two graders."),
    "audit": (
        "tui.cli.commands.audit",
        "Audit a random sample, for a precise estimate.",
    ),
    "align": (
        "tui.cli.commands.align",
        "Make a grader agree with you, and measure how far it does.",
    ),
    "tags": ("tui.cli.commands.tags", "Count tags on answers, questions and facts; rename them."),
    "analyze": ("tui.cli.commands.analyze", "Run one of the analyses."),
    "zp-lke": ("tui.cli.commands.zp_lke", "Measure what a model knows without asking it."),
    "fact-bench": (
        "tui.cli.commands.fact_bench",
        "Measure which facts of a table a model states.",
    ),
    "report": (
        "tui.cli.commands.report",
        "Write a report in one file.",
    ),
    "graders": ("tui.cli.commands.graders", "List graders, or measure one against people."),
    "models": ("tui.cli.commands.models", "List models, check them, or get the embedded one."),
    "prompts": ("tui.cli.commands.prompts", "Show the prompts, and use your own."),
    "explain": ("tui.cli.commands.explain", "Explain a word or mark of the screens."),
    "doctor": ("tui.cli.commands.doctor", "Check this machine and the database."),
}
"""Where each command is and what its line in the overview says, so that none is imported."""


class CommandGroup(click.Group):
    """A group whose commands are imported only when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=CommandGroup,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--db", "database", metavar="FILE", help="The database file.")
@click.option("--fresh", is_flag=True, help="Open the database without what was remembered of it.")
@click.option("--reader", is_flag=True, help="Draw the screens for a screen reader.")
@click.option("--debug", is_flag=True, help="Show a traceback for errors.")
@click.version_option(package_name="lostkeys")
@click.pass_context
def cli(ctx: click.Context, database: str | None, fresh: bool, reader: bool, debug: bool) -> None:
    """Does this model know that fact, and if so, why did it not say it?

    Without a command, the screens open on the database as you left it. The database is FILE, else
    $LOSTKEYS_DB, else ./lostkeys.db.
    """
    ctx.obj = {"database": database, "debug": debug}
    if ctx.invoked_subcommand is None:
        _show(ctx, database, fresh, reader)


def _show(ctx: click.Context, database: str | None, fresh: bool, reader: bool) -> None:
    from tui.cli.app_launch import missing_terminals, open_screen

    if missing := missing_terminals():
        raise click.UsageError(
            f"no command is given, and the screens need a terminal: {' and '.join(missing)} "
            f"{'are' if len(missing) > 1 else 'is'} none",
            ctx,
        )
    from core.settings import paths

    open_screen(paths.database(database), fresh=fresh, reader=reader)


PATIENCE = 4
"""Seconds in which a program that was told to end does so by itself."""


def main() -> None:
    """Run the command line; the exit code is 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    _prepare()
    try:
        # Commands return nothing; what comes back is the code of an `Exit` that one of them raised.
        sys.exit(cli.main(prog_name="lostkeys", standalone_mode=False) or 0)
    except click.ClickException as error:
        print_error(_usage(error))
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        signal.signal(signal.SIGINT, _leave)
        print_error("stopped; what was done is kept")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if "--debug" in sys.argv:
            _trace()
        sys.exit(_report(error))


def _prepare() -> None:
    """Let signals that ask to end do what ctrl-c does, and print what the terminal cannot as `?`.

    A closed terminal is among them, unless `nohup` has said that it does not matter.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)
    signal.signal(signal.SIGALRM, _leave)
    atexit.register(_stop_alarm)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _interrupt(number: int, frame: FrameType | None) -> None:
    """What ctrl-c does just now (an event loop has its own way), even where ctrl-c is ignored.

    What takes longer is left, above all a terminal that takes in what is printed slowly.
    """
    signal.alarm(PATIENCE)
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(number, frame)


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: for who presses ctrl-c once more while the program ends."""
    os._exit(130)


def _stop_alarm() -> None:
    """Print what is left, then let Python end in peace: it forgets what an alarm is to do."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    signal.alarm(0)


def _trace() -> None:
    from tui.cli.terminal_text import mark_unseen

    lines = traceback.format_exc().splitlines()
    click.echo("\n".join(mark_unseen(line) for line in lines), err=True)


def _usage(error: click.ClickException) -> str:
    """What is wrong with the words of the command, and where the right ones stand."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "lostkeys"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message} (`{command} --help` shows what it takes)"


def _report(error: Exception) -> int:
    from core.errors import ProgramError
    from core.project import explain

    known = explain(error)
    if known is None:
        fault = ProgramError(error)
        print_error(f"{fault}; run it again with --debug and report what it prints")
        return 1
    print_error(str(known))
    return known.exit_code

"""The command `lostkeys`: finds the subcommand, and turns errors into one line."""

import sys
from importlib import import_module

import click

COMMANDS = {
    "demo": ("tui.cli.commands.demo", "Profile the embedded model on bundled facts."),
    "import": ("tui.cli.commands.transfer", "Import facts, responses or labels from files."),
    "export": ("tui.cli.commands.transfer", "Write facts, responses, labels or profiles."),
    "sample": ("tui.cli.commands.sample", "Draw responses from a model; only what is missing."),
    "grade": ("tui.cli.commands.grade", "Grade responses; only what is missing."),
    "run": ("tui.cli.commands.sample", "Draw responses and grade them."),
    "discard": ("tui.cli.commands.discard", "Set responses aside and reopen their slots."),
    "profiles": ("tui.cli.commands.profiles", "Show each model's knowledge profiles."),
    "confusion": ("tui.cli.commands.confusion", "Compare the labels of two graders."),
    "graders": ("tui.cli.commands.graders", "List graders, or measure one against people."),
    "models": ("tui.cli.commands.models", "List models, check them, or get the embedded one."),
    "doctor": ("tui.cli.commands.doctor", "Check this machine and the database."),
}
"""Where each command is and what its line in the overview says, so that none is imported."""


class Commands(click.Group):
    """A group whose commands are imported only when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--db", "database", metavar="FILE", help="The project's database.")
@click.option("--debug", is_flag=True, help="Show a traceback for errors.")
@click.version_option(package_name="lostkeys")
@click.pass_context
def cli(ctx: click.Context, database: str | None, debug: bool) -> None:
    """Does this model know that fact, and if so, why did it not say it?

    The database is FILE, else $LOSTKEYS_DB, else ./lostkeys.db.
    """
    ctx.obj = {"database": database, "debug": debug}


def main() -> None:
    """Run the command line; the exit code is 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    debug = "--debug" in sys.argv
    try:
        cli.main(prog_name="lostkeys", standalone_mode=False)
        sys.exit(0)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        click.echo(f"lostkeys: {_usage(error)}", err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("lostkeys: stopped; what was done is kept", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        sys.exit(_report(error))


def _usage(error: click.ClickException) -> str:
    """What is wrong with the words of the command, and where the right ones stand."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "lostkeys"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message} (`{command} --help` shows what it takes)"


def _report(error: Exception) -> int:
    from core.project import explain
    from tui.cli.text import one_line

    known = explain(error)
    if known is None:
        name = type(error).__name__
        click.echo(
            f"lostkeys: a fault of the program ({name}: {one_line(str(error))}); "
            "run it again with --debug and report what it prints",
            err=True,
        )
        return 1
    click.echo(f"lostkeys: {one_line(str(known))}", err=True)
    return known.exit_code

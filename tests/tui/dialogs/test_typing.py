"""In every field of every dialog what is typed stands instead of what the field holds."""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

import tui
from core.dataset.fact_filters import Filters
from core.jobs.start_options import StartOptions
from core.settings.preferences import Settings
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.session import Session
from tests.tui.sample import sample_project
from tests.tui.seeing import send, settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.choice_dialog import Choose, Option, SubsetChoice
from tui.dialogs.columns_dialog import ColumnsDialog
from tui.dialogs.confirm_dialog import Confirm, ErrorDialog
from tui.dialogs.dialog import Dialog
from tui.dialogs.filter_dialog import FilterForm
from tui.dialogs.graders_dialog import GradersDialog
from tui.dialogs.help_dialog import Help
from tui.dialogs.import_dialog import ImportFile
from tui.dialogs.import_report_dialog import ReportDialog
from tui.dialogs.input_dialog import AskLine, AskNumber
from tui.dialogs.map_dialog import Map
from tui.dialogs.note_dialog import NoteDialog, NoteSubject
from tui.dialogs.palette import PaletteCommands
from tui.dialogs.question_edit_dialog import EditQuestion
from tui.dialogs.quit_dialog import Quit
from tui.dialogs.reject_dialog import RejectDialog
from tui.dialogs.save_view_dialog import SaveView
from tui.dialogs.search_dialog import SearchDialog
from tui.dialogs.start.form import Form, FormContext, groups
from tui.dialogs.start.form_controller import FormController
from tui.dialogs.start.form_fields import TYPED, Do, Field
from tui.dialogs.start.pickers import PickModel, PickModes, PickTarget, PickTasks
from tui.dialogs.start.start_dialog import Start
from tui.dialogs.tag_dialog import ChooseTag
from tui.dialogs.undo_history_dialog import ActsDialog
from tui.dialogs.views_dialog import ViewsDialog
from tui.screens.confusion.calibration_dialog import Calibration
from tui.screens.confusion.queue_filter_dialog import QueueFilterChoice
from tui.screens.jobs.job_dialogs import LostUnits, PlanItems
from tui.screens.jobs.stage_items import Items
from tui.screens.profiles.subset_dialog import SubsetForm
from tui.widgets.text_field import TextField

TURNS = 1000
Make = Callable[[LostkeysApp, Any], Dialog[Any]]

MAKES: dict[type[Dialog[Any]], Make] = {
    AskLine: lambda app, snapshot: AskLine("name", "Name:", "root"),
    AskNumber: lambda app, snapshot: AskNumber("sample", "How many?", "200"),
    NoteDialog: lambda app, snapshot: NoteDialog(
        [NoteSubject("on 5", "root"), NoteSubject("on 6")]
    ),
    Choose: lambda app, snapshot: Choose("model", [Option("a", "a"), Option("b", "b")]),
    ChooseTag: lambda app, snapshot: ChooseTag("answer", ["a", "b"], ["a"]),
    GradersDialog: lambda app, snapshot: GradersDialog(
        snapshot.lens, snapshot.graders, len(snapshot.index), None
    ),
    QueueFilterChoice: lambda app, snapshot: QueueFilterChoice(
        DisagreementFilter(), snapshot, ("topic",)
    ),
    FilterForm: lambda app, snapshot: FilterForm(Filters(), choices(app.path)),
    ImportFile: lambda app, snapshot: ImportFile(app.path),
    PickModel: lambda app, snapshot: PickModel([], ["openai:m"], None),
    PickTasks: lambda app, snapshot: PickTasks(frozenset()),
    PickModes: lambda app, snapshot: PickModes(("zero-shot",)),
    PickTarget: lambda app, snapshot: PickTarget(Path("out.jsonl")),
    Help: lambda app, snapshot: Help(app.screen),
    PaletteCommands: lambda app, snapshot: PaletteCommands(app),
    SubsetForm: lambda app, snapshot: SubsetForm(Filters(), choices(app.path)),
    SubsetChoice: lambda app, snapshot: SubsetChoice("models", snapshot.models, snapshot.models),
    SaveView: lambda app, snapshot: SaveView("rare", snapshot.lens, ()),
}
"""Every dialog with a text field."""

OTHERS = {
    ActsDialog, Calibration, ColumnsDialog, Confirm, Dialog, ErrorDialog, FormController, Map,
    Items, LostUnits, PlanItems, Quit, RejectDialog, ReportDialog, SearchDialog, Start, ViewsDialog,
}  # fmt: skip
"""Those without one; `Start` has numbers, which are typed where they stand."""

EDITORS = {EditQuestion}
"""Those in which a text that there is already is gone on with."""


def choices(path: Path) -> Any:
    session = Session(path)
    session.open()
    found = session.choices()
    session.close()
    return found


def test_every_dialog_is_known() -> None:
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        import_module(module.name)
    found, left = set[type](), list[type]([Dialog])
    while left:
        found.add(one := left.pop())
        left += one.__subclasses__()
    assert {one for one in found if one.__module__.startswith("tui.")} == {
        *MAKES, *OTHERS, *EDITORS
    }  # fmt: skip


async def until(pilot: Pilot[None], come: Callable[[], bool]) -> None:
    for _ in range(TURNS):
        await pilot.pause()
        if come():
            return
    raise AssertionError("it did not come true")


@pytest.mark.slow
async def test_typing_replaces_what_a_field_holds_when_it_is_entered(tmp_path: Path) -> None:
    app = LostkeysApp(sample_project(tmp_path / "sample.db"), Settings(name="mira"))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        for make in MAKES.values():
            dialog = make(app, app.snapshot)
            app.push_screen(dialog)
            await until(pilot, lambda: dialog.takes_keys)  # noqa: B023
            for field in dialog.query(TextField):
                await type_over(app, pilot, field)
            dialog.dismiss()
            await until(pilot, lambda: app.screen is not dialog)  # noqa: B023


async def type_over(app: LostkeysApp, pilot: Pilot[None], field: TextField) -> None:
    """Enter, type, read back; the arrows keep what is there."""
    held = field.value
    send(app, "z")
    await until(pilot, lambda: field.value == "z")
    send(app, "y")
    await until(pilot, lambda: field.value == "zy")
    for keys, wanted in ((("2", "5"), "25"), (("right", "5"), "205"), (("backspace", "7"), "7")):
        field.value = "20"
        app.screen.set_focus(None)
        field.focus()
        await until(pilot, lambda: app.focused is field)
        send(app, *keys)
        await until(pilot, lambda: field.value == wanted)  # noqa: B023
    field.value = held


@pytest.mark.slow
@pytest.mark.parametrize("do", [Do.RUN, Do.BUILD])
async def test_a_number_typed_again_stands_instead(do: Do, tmp_path: Path) -> None:
    app = LostkeysApp(tmp_path / "none.db", Settings(name="mira"))
    form = Form(do=do)
    typed = [one for group in groups(form) for one in group if one in TYPED]
    assert typed
    async with app.run_test(size=(100, 30)) as pilot:
        dialog = Start(form, FormContext(StartOptions(facts=30_000)), set())
        app.push_screen(dialog)
        await until(pilot, lambda: dialog.takes_keys)
        for which in typed:
            for digits, wanted in (("20", "20"), ("35", "35"), ("4", "4")):
                await enter(pilot, dialog, which)
                send(app, *digits)
                await until(pilot, lambda: value(dialog, which) == wanted)  # noqa: B023
                await enter(pilot, dialog, Field.DO)
        await settled(pilot)
        assert "20,020" not in text(app)


async def enter(pilot: Pilot[None], dialog: Start, which: Field) -> None:
    """Go to a field."""
    fields = [one for group in dialog.seen.groups for one in group]
    while (now := dialog.view.field) is not which:
        assert now is not None
        await pilot.press("tab" if fields.index(now) < fields.index(which) else "shift+tab")


def value(dialog: Start, which: Field) -> str:
    return str(getattr(dialog.form, TYPED[which]))

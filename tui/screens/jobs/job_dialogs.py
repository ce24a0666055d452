"""What is done with a job, after asking where need be; and what is behind its numbers."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.dataset.fact_filters import Filters
from core.jobs.job_progress import State
from core.jobs.job_view import JobStage, JobView
from core.providers.model_names import parse
from core.settings.known_addresses import known_addresses
from core.specs.answer_specs import AnsweringSpec, DemoSpec
from core.specs.file_specs import FilesSpec
from core.specs.job_kinds import asked_models
from core.stats.number_format import format_amount
from core.vocabulary import TASKS, Task
from tui.dialogs.confirm_dialog import Confirm
from tui.screens.jobs import sentences
from tui.screens.jobs.lost_units import LostUnits
from tui.screens.jobs.plan_items import PlanItems
from tui.screens.jobs.render_card import begins_again
from tui.screens.jobs.stage_items import Items, ItemTarget

if TYPE_CHECKING:
    from core.jobs.job_list import ErrorGroup
    from core.jobs.stage_losses import LostUnit
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp

REASON = "discarded on the Jobs screen"
RUNS = (State.RUNNING, State.PAUSED, State.WAITING)

INCOMPLETE = "··"
"""The code of facts whose answers or labels are missing."""


def pause(app: "LostkeysApp", view: JobView) -> None:
    """Pause a job that runs; let one that does not go on."""
    if view.state in sentences.OVER:
        how = "cancelled: r begins it again" if begins_again(view) else "over: r starts another"
        app.say(f"{sentences.title(view)} is {how}")
    elif view.state is State.WAITING:
        app.say(f"{sentences.title(view)} has not begun yet")
    elif view.state is State.OUT:
        app.say(f"{sentences.title(view)} is out in files: enter shows how answers come back")
    elif view.state is State.RUNNING and not view.lost:
        app.jobs.pause(view)
    elif view.state is State.PAUSED and not view.lost:
        app.jobs.resume(view)
    else:
        with_address(app, view, lambda: app.jobs.resume(view))


def retry(app: "LostkeysApp", view: JobView) -> None:
    """Ask again what has failed in a job."""
    if not any(one.failed for one in view.stages):
        app.say(f"nothing of {sentences.title(view)} has failed")
    else:
        with_address(app, view, lambda: app.jobs.retry(view))


def cancel(app: "LostkeysApp", view: JobView) -> None:
    """Cancel a job if that is meant."""
    if view.state in sentences.OVER:
        app.say(f"{sentences.title(view)} is over already")
        return

    def cancel_if_yes(yes: bool | None) -> None:
        if yes:
            app.jobs.cancel(view)

    name = sentences.title(view)
    app.push_screen(
        Confirm("cancel", f"Cancel {name}? {sentences.describe_kept(view)}.", "cancels"),
        cancel_if_yes,
    )


def with_address(app: "LostkeysApp", view: JobView, then: Callable[[], object]) -> None:
    """Go on once a person agrees to each model that is asked at an address out of the file."""
    strangers = [] if view.here or view.spec is None else _strangers(app, asked_models(view.spec))
    if not strangers:
        then()
        return
    model = strangers[0]

    def trust_if_yes(yes: bool | None) -> None:
        if yes:
            app.jobs.trusted.add(model)
            with_address(app, view, then)

    question = f"The address of {model} came out of this file. Ask it?"
    app.push_screen(Confirm("address", question, "asks it", "sends nothing"), trust_if_yes)


def _strangers(app: "LostkeysApp", models: Sequence[str]) -> list[str]:
    """Models at addresses that nobody has agreed to yet."""
    known = known_addresses()
    return [one for one in models if one not in app.jobs.trusted and parse(one).is_stranger(known)]


def confirm_discard(app: "LostkeysApp", view: JobView, views: Sequence[JobView]) -> None:
    """Set aside what a job's model has answered, if that is meant: its slots are open again.

    Not while one of these jobs draws answers of the model: it would count what is set aside.
    """
    spec = find_answering_spec(view)
    if spec is None:
        app.say(f"{sentences.title(view)} asks no model: there is nothing to discard")
        return
    busy = next((one for one in (view, *views) if _is_drawing(one, spec.label)), None)
    if busy is not None:
        app.say(f"{sentences.title(busy)} is not over: X cancels it first")
        return
    label, thinking, tasks = spec.label, spec.thinking, spec.tasks or TASKS

    def discard_if_yes(yes: bool | None) -> None:
        if yes:
            app.write(lambda one: one.jobs.discard(label, thinking, tasks, REASON), show_discarded)

    def show_discarded(done: "tuple[int, Snapshot]") -> None:
        app.snapshot_changed(done[1])
        app.say(f"{done[0]:,} answers are set aside: r asks for them again")

    def confirm_count(count: int) -> None:
        if not count:
            app.say(f"there are no answers of {label}")
            return
        how = "off+on" if len(thinking) > 1 else "on" if thinking[0] else "off"
        question = (
            f"Set aside {format_amount(count, 'answer')} of {label}, thinking {how}, "
            "with their grades? They are asked for again by the next run."
        )
        app.push_screen(
            Confirm("discard", question, "sets them aside", "keeps them"), discard_if_yes
        )

    def count_answers(session: "Session") -> int:
        return session.jobs.discardable(label, thinking, tasks)

    app.ask_dialog("discardable", count_answers, confirm_count)


def _is_drawing(view: JobView, label: str) -> bool:
    """Whether a job that is not over draws answers of a model."""
    spec = find_answering_spec(view)
    return view.state in RUNS and not view.lost and spec is not None and spec.label == label


def find_answering_spec(view: JobView) -> AnsweringSpec | None:
    """What a job asks a model for; None where it asks none."""
    if isinstance(view.spec, DemoSpec):
        from core.sampling.model_list import EMBEDDED

        return AnsweringSpec(EMBEDDED, EMBEDDED)
    return view.spec if isinstance(view.spec, AnsweringSpec) else None


def open_items(app: "LostkeysApp", view: JobView, stage: JobStage | None) -> None:
    """Show what is behind the numbers of a stage: what is missing, why something has failed."""

    def show(errors: "list[ErrorGroup]") -> None:
        app.push_screen(Items(view, stage, errors), partial(_go, app, view))

    def read_errors(session: "Session") -> "list[ErrorGroup]":
        return session.jobs.errors(view.id)

    if isinstance(view.spec, FilesSpec) and view.state is State.OUT:
        app.push_screen(PlanItems(view, view.spec))
    elif stage is not None and view.kind == "build" and (stage.dropped or stage.failed):
        _open_lost(app, view, stage)
    elif stage is not None and stage.name.startswith("answer,") and stage.failed:
        app.ask_dialog("items", read_errors, show)
    else:
        show([])


def _open_lost(app: "LostkeysApp", view: JobView, stage: JobStage) -> None:
    """Show the units that a stage of a build has dropped or failed with."""

    def show(lost: "list[LostUnit]") -> None:
        app.push_screen(LostUnits(view, stage, lost))

    app.ask_dialog("items", lambda one: one.jobs.list_losses(view.id, stage.name), show)


def _go(app: "LostkeysApp", view: JobView, target: ItemTarget | None) -> None:
    """Where a line of the dialog leads: to a question, or to the facts that are incomplete."""
    if target is None:
        return
    spec = find_answering_spec(view)
    if spec is not None and app.snapshot is not None and spec.label in app.snapshot.answerers:
        app.look_at(spec.label)
    if target.fact_id is None:
        app.places.jump("facts", Filters(verdicts=frozenset({INCOMPLETE})))
        return
    index = app.snapshot.index if app.snapshot is not None else None
    if index is None or target.fact_id not in index.fact_ids or target.task is None:
        app.say(f"{target.fact_id} is not among the facts any more")
        return
    place = index.fact_ids.index(target.fact_id)
    app.places.jump("task", int(index.ids[place]), Task(target.task))

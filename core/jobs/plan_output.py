"""What jobs that write plans have in common: what a plan may cost, and how it goes out."""

from dataclasses import replace

import db.job_rows
from core.errors import UsageError
from core.jobs.job_progress import State
from core.jobs.job_run import JobRun
from core.pricing import OverBudgetError, Price, price_of
from core.pricing.budget import dollars
from core.scale.plan_manifest import hide_address
from core.specs.file_specs import FilesSpec
from core.specs.stored_specs import as_json
from core.transfer.anonymous_copy import name_everything
from db.connection import write_transaction

NOTHING = "there is nothing to ask: no file was written"


def price_within(work: JobRun, model: str) -> Price | None:
    """What requests to a model cost, where that is bounded. Raises `UsageError` if none knows."""
    if work.holder.max_cost is None:
        return None
    price = price_of(model)
    if price is None:
        raise UsageError(
            f"nobody knows what {model} costs, so that --max-cost cannot be kept: "
            "put its price into prices.toml, or leave --max-cost out"
        )
    return price


def check_cost(work: JobRun, cost: float, less: str) -> None:
    """Raise `OverBudgetError` where a plan can cost more than it may.

    `less`: what makes it cheaper.
    """
    most = work.holder.max_cost
    if most is not None and cost > most:
        raise OverBudgetError(
            f"the plan can cost more than {dollars(most)}, and nobody can stop it once it "
            f"is out: {less}, or give more"
        )


def name_outside(work: JobRun, spec: FilesSpec, name: str) -> str:
    """What a label or a grader is called in files that go out: without an address."""
    bare = hide_address(name)
    return name_everything(work.project).name(bare) if spec.anonymous else bare


def send_out(work: JobRun, spec: FilesSpec, plan: str) -> None:
    """Note that a plan is out, before its folder is to be seen: so nothing is asked twice."""
    connection, job = work.project.connection, work.holder.job
    with write_transaction(connection):
        db.job_rows.set_spec(connection, job, as_json(replace(spec, plan=plan)))
        db.job_rows.set_state(connection, job, State.OUT)

"""Audits at full size: how often their intervals hold the truth, and how long a report takes.

Coverage: states of facts are drawn from what people would say, graders get some of them wrong, a
second grader errs on its own or alike, and 60 audits a row go on until recall failure is known to
within x. Errors of graders are those of golds: where an alias is missing, all answers that give it
are lost, thinking off and on; a lenient grader takes all answers for it. The gold of encoding and
direct questions is the object, that of reverse ones the subject.

Run it: `uv run python -m tests.bench.audits [--audits 60]`, and for the time of a report, a plan
and a settled fact `uv run python -m tests.bench.audits --speed [--facts 1600]`.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

import db.grades
import db.model_rows
from core.certainty.audit_draw import draw_frame, keep_frame, make_plan
from core.certainty.audit_estimates import place_number
from core.certainty.audit_evidence import read_evidence
from core.certainty.audit_frame import AuditFrame, find_audit, read_frame
from core.certainty.audit_order import order_facts
from core.certainty.audit_report import report_audit
from core.certainty.confidence_sequence import ConfidenceSequence, NumberSpan
from core.certainty.state_numbers import States, find_number
from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS
from core.stats.intervals import wilson
from core.views.audits.audit_board import WITHIN, AuditRequest
from core.views.session import Session
from core.vocabulary import CODE_ORDER, TASKS, Label, Outcome
from db.connection import write_transaction
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows
from tui.screens.confusion.audit_loader import write_label

KIND = np.array([0.33, 0.09, 0.01, 0.27, 0.26, 0, 0, 0, 0, 0.03, 0.01, 0])
"""Shares of the states among all facts of the kind, in the order of `CODE_ORDER`."""

GOLDS = ("", "D", "R", "DR")
FAILS = GOLDS[1:]
FAIL_SHARES = (0.1, 0.3, 0.6)
"""In which directions a fact fails that is not known: both, then reverse, as with small models
(Calderon et al., figure 13)."""

GOLD_SHARES = {False: (0.8, 1.0), True: (1.0, 0.6)}
"""How often a grader errs on objects and on subjects, in proportion, by whether it is lenient.

A strict one misses other names of subjects, a lenient one lets years and terms pass.
"""


@dataclass(frozen=True)
class CoverageCase:
    """Facts, the half width asked for, and how often graders get a state wrong.

    `wrong`: the share of states. `lenient`: they take any answer for some golds, where others miss
    an alias. `alike`: the second grader shares their errors.
    """

    name: str
    facts: int
    within: float
    wrong: float
    lenient: bool = False
    alike: bool = False


CASES = (
    CoverageCase("light", 300, 0.04, 0.085),
    CoverageCase("none", 1600, 0.03, 0.0),
    CoverageCase("light", 1600, 0.03, 0.087),
    CoverageCase("heavy", 1600, 0.03, 0.23),
    CoverageCase("lenient", 1600, 0.03, 0.15, lenient=True),
    CoverageCase("heavy, alike", 1600, 0.03, 0.23, alike=True),
)


@dataclass(frozen=True)
class CoverageRow:
    """States that graders got wrong, shares of audits that held the truth, and facts needed."""

    case: CoverageCase
    wrong: float
    always: float
    at_stop: float
    kind: float
    graded_here: float
    graded_kind: float
    p50: float
    p90: float


def read_state(code: str, fails: str, wrong: str, lenient: bool) -> str:
    """The state by graders of a fact that fails so, `wrong` being the golds that they err on.

    D is the object, gold of encoding and direct questions; R the subject, gold of reverse ones.
    """
    if code not in ("DR", "RT", "IE", "RF", "EF", "DI"):
        return code

    def answers(known: bool, gold: str) -> bool:
        return lenient if gold in wrong else known

    encodes = answers(code in ("DR", "RT", "RF"), "D")
    knows, thinking = (
        all(answers(code in known or gold not in fails, gold) for gold in "DR")
        for known in (("DR", "DI"), ("DR", "DI", "RT", "IE"))
    )
    if knows:
        return "DR" if encodes else "DI"
    if thinking:
        return "RT" if encodes else "IE"
    return "RF" if encodes else "EF"


def error_table(lenient: bool) -> States:
    """States by graders, shape (states, fails, golds erred on: none, D, R, both)."""
    return np.array(
        [
            [
                [CODE_ORDER.index(read_state(code, fails, wrong, lenient)) for wrong in GOLDS]
                for fails in FAILS
            ]
            for code in CODE_ORDER
        ],
        np.uint8,
    )


def error_chances(table: States, case: CoverageCase) -> tuple[float, float]:
    """How often objects and subjects are erred on, so that as many states are wrong as asked."""
    own = np.arange(len(CODE_ORDER))[:, None, None]
    worth = KIND[:, None] * np.array(FAIL_SHARES)
    _, by_object, by_subject, both = ((table != own) * worth[..., None]).sum(axis=(0, 1))
    objects, subjects = GOLD_SHARES[case.lenient]
    square = objects * subjects * (both - by_object - by_subject)
    linear = objects * by_object + subjects * by_subject
    chance = (np.sqrt(linear**2 + 4 * square * case.wrong) - linear) / (2 * square)
    return float(objects * chance), float(subjects * chance)


def err(
    states: States,
    fails: States,
    table: States,
    chances: tuple[float, float],
    rng: np.random.Generator,
) -> States:
    """The states by a grader that errs on objects and on subjects with these chances."""
    by_object, by_subject = (rng.random(states.shape) < chance for chance in chances)
    found: States = table[states, fails, by_object + 2 * by_subject]
    return found


def cover(case: CoverageCase, audits: int, most: int = 400) -> CoverageRow:
    """Play the audits of a case, at most so many facts of each."""
    rng = np.random.default_rng([case.facts, int(case.wrong * 1000), case.lenient, case.alike])
    shape = audits, case.facts
    person = rng.choice(12, shape, p=KIND).astype(np.uint8)
    fails = rng.choice(3, shape, p=FAIL_SHARES).astype(np.uint8)
    table = error_table(case.lenient)
    chances = error_chances(table, case)
    graded = err(person, fails, table, chances, rng)
    alone = graded if case.alike else err(person, fails, table, chances, rng)
    other = err(person, fails, table, (0.5, 0.5), rng)
    second = np.where(rng.random(shape) < 0.02, other, alone)
    wrong = float((graded != person).mean())
    weights = np.where(graded != second, 3, 1)
    ids = [str(one) for one in range(case.facts)]
    for run in range(audits):
        order = order_facts(ids, weights[run].tolist(), run)
        for part in (person, graded, weights):
            part[run] = part[run][order]
    number = find_number("recall_failure", True)
    assert number is not None
    own, truth = number.parts(graded), number.parts(person)
    totals = own[0].sum(axis=1), own[1].sum(axis=1)
    spans = [NumberSpan()] * audits
    bets = ConfidenceSequence(spans, totals, case.facts, weights.sum(axis=1))
    shares = truth[0].sum(axis=1) / truth[1].sum(axis=1)
    held, stop = np.ones(audits, bool), np.full(audits, most)
    low, high = bets.low[0].copy(), bets.high[0].copy()
    running = np.ones(audits, bool)
    for at in range(min(most, case.facts)):
        bets.add((truth[0][:, at], truth[1][:, at]), (own[0][:, at], own[1][:, at]), weights[:, at])
        low[running], high[running] = bets.low[0][running], bets.high[0][running]
        held &= ~running | ((low <= shares) & (shares <= high))
        narrow = running & ((high - low) / 2 <= case.within)
        stop[narrow], running = at + 1, running & ~narrow
    kind = KIND[CODE_ORDER.index("RF")] / KIND[:5].sum()
    inside = []
    for run in range(audits):
        parts = (own[0][run], own[1][run]), (truth[0][run][: stop[run]], truth[1][run][: stop[run]])
        one = place_number(*parts, weights[run].astype(float), spans[run], (low[run], high[run]))
        assert one.kind_interval is not None
        inside.append(one.kind_interval[0] <= kind <= one.kind_interval[1])
    limits = [wilson(a, b) or (0, 1) for a, b in zip(*totals, strict=True)]
    return CoverageRow(
        case,
        wrong,
        float(held.mean()),
        float(((low <= shares) & (shares <= high)).mean()),
        float(np.mean(inside)),
        float(np.mean([a <= one <= b for (a, b), one in zip(limits, shares, strict=True)])),
        float(np.mean([a <= kind <= b for a, b in limits])),
        float(np.quantile(stop, 0.5)),
        float(np.quantile(stop, 0.9)),
    )


def fill(project: OpenProject, facts: int, audited: int) -> AuditFrame:
    """Answers of one model to so many facts, the first `audited` of an audit all labelled."""
    rng = np.random.default_rng(1)
    put_facts(project, [a_fact(f"{one}__0", TASKS[:6]) for one in range(facts)])
    rows: list[Row] = []
    truth: list[Outcome] = []
    for fact in range(facts):
        share = rng.choice([0.9, 0.1], (len(CELLS),), p=[0.6, 0.4])
        for cell, (task, thinking) in enumerate(CELLS):
            for sample in range(8):
                right = bool(rng.random() < share[cell])
                truth.append(Outcome.CORRECT if right else Outcome.INCORRECT)
                said = Outcome.INCORRECT if rng.random() < 0.05 else truth[-1]
                text = f"{truth[-1].name} {sample}"
                rows.append(Row(f"{fact}__0", task, "m", thinking, sample, {"judge": said}, text))
    slots = put_rows(project, rows)
    frame = draw_frame(project, make_plan(project, Policy(graders=("judge",)), "human:ann"))
    first = set(frame.fact_ids[:audited])
    with write_transaction(project.connection):
        ann = db.grades.ensure_grader(project.connection, "human:ann", "1")
        db.grades.insert(
            project.connection,
            ann,
            [
                (key, int(label), 1)
                for key, label, row in zip(slots, truth, rows, strict=True)
                if row.fact_id in first
            ],
        )
    project.refresh()
    return frame


@dataclass(frozen=True)
class AuditTimes:
    """Seconds, of the processor and by the clock, that steps of an audit take.

    `settle` are what a label that settles a fact takes, with all that the screen shows after it;
    its baseline is `read` and `report`, which carry nothing forward.
    """

    read: tuple[float, float]
    report: tuple[float, float]
    plan: tuple[float, float]
    settle: list[tuple[float, float]]

    def lines(self) -> Iterator[str]:
        """What was measured, a line each."""
        middle, worst = (
            tuple(float(np.quantile([one[at] for one in self.settle], q)) for at in (0, 1))
            for q in (0.5, 0.95)
        )
        yield f"frame and evidence read from nothing: {_milliseconds(self.read)}"
        yield f"report of it: {_milliseconds(self.report)}"
        yield f"a plan from nothing: {_milliseconds(self.plan)}"
        yield f"a label that settles a fact, median: {_milliseconds(middle)}"
        yield f"the same, p95 of {len(self.settle)}: {_milliseconds(worst)}"
        ratio = (self.read[0] + self.report[0]) / middle[0]
        yield f"a settled fact is {ratio:.1f} times as fast as reading and report from nothing"


def _milliseconds(taken: tuple[float, ...]) -> str:
    return f"{1000 * taken[0]:.1f} ms of the processor, {1000 * taken[1]:.1f} by the clock"


T = TypeVar("T")


def timed(run: Callable[[], T]) -> tuple[T, tuple[float, float]]:
    """What a call gives, and its seconds of the processor and by the clock."""
    start = time.process_time(), time.perf_counter()
    done = run()
    return done, (time.process_time() - start[0], time.perf_counter() - start[1])


def time_audit(facts: int, audited: int, settled: int = 40) -> AuditTimes:
    """Times of an audit after `audited` facts, of which the last `settled` are timed one by one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        with new_project(path) as project:
            keep_frame(project, "june", fill(project, facts, audited - settled))
        times = settle_facts(path, settled)
        with OpenProject(path, "read") as project:
            evidence, read = timed(
                lambda: read_evidence(project, read_frame(project, find_audit(project, "june")))
            )
            assert evidence.audited == audited
            _, report = timed(lambda: report_audit(project, "june", evidence))
            _, planned = timed(lambda: plan_audit(project))
    return AuditTimes(read, report, planned, times)


def plan_audit(project: OpenProject) -> None:
    """What `audit plan` does for a person who has labelled nothing."""
    frame = draw_frame(project, make_plan(project, Policy(graders=("judge",)), "human:bob"))
    report = report_audit(project, "", read_evidence(project, frame), WITHIN)
    assert report.left is not None
    assert report.audited == 0


def settle_facts(path: Path, many: int) -> list[tuple[float, float]]:
    """Label facts until so many are settled; the time of each label that settles one.

    It is what the Confusion screen has its worker do at a key, and what is read for the next one.
    """
    request, found = AuditRequest("june"), list[tuple[float, float]]()
    with closing(Session(path)) as session:
        session.name = "ann"
        session.open()
        board = session.audits.board(request)
        while len(found) < many and board is not None and board.card is not None:
            card, before = board.card, board.report.audited
            label = Label(card.text.partition(" ")[0])
            step, taken = timed(
                partial(write_label, "ann", request, card.slot, label, None, session)
            )
            board = step.page.board
            if board is not None and board.report.audited > before:
                found.append(taken)
    return found


def main() -> None:
    """Print the table, or how long a report takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=60)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--facts", type=int, default=1600)
    given = parser.parse_args()
    if given.speed:
        print("\n".join(time_audit(given.facts, given.facts // 4).lines()))
        return
    print("facts  +-x   graders        wrong  always  stop  kind  graded: here  kind  p50 (p90)")
    for case in CASES:
        row = cover(case, given.audits)
        print(
            f"{case.facts:5}  {case.within:.2f}  {case.name:13}  {row.wrong:.3f}  "
            f"{row.always:.2f}    {row.at_stop:.2f}  {row.kind:.2f}  "
            f"{row.graded_here:.2f}          "
            f"{row.graded_kind:.2f}  {row.p50:.0f} ({row.p90:.0f})"
        )


if __name__ == "__main__":
    main()

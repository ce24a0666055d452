"""Lists of Latent and Bench as rows of a file: as they stand on screen, or as words ask for."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.dataset.fact_index import FactIndex
from core.errors import UsageError
from core.fact_bench.arm_results import ArmFigures
from core.views.bench.bench_service import BenchLists, BenchRequest
from core.views.board_query import (
    LatentQuery,
    format_bench,
    format_latent,
    parse_bench,
    parse_latent,
)
from core.views.latent.latent_relations import NO_CODE, LatentBoard, RelationFacts
from core.views.latent.latent_service import LatentLists, LatentRequest
from core.views.list_file import ListTable
from core.views.list_words import LATENT, ListWords
from core.views.saved_views import SavedView
from core.views.session import Session
from core.vocabulary import CODE_ORDER, Outcome

FACTS: dict[str, type] = {
    "fact_id": str,
    "profile": str,
    "subject": str,
    "object": str,
    "failed": bool,
    "correct": bool,
    "rank": int,
    "p_gold": float,
    "differs": bool,
    "contradicts": bool,
}
"""Columns of the facts of a relation; without a score what follows from one is empty."""

RELATIONS: dict[str, type] = {
    "relation": str,
    "set": str,
    "facts": int,
    "examples": int,
    "objects": int,
    "left_out": str,
}
"""Columns of relations; `n`, `correct` and `accuracy` of each model follow."""

FIGURES: dict[str, type] = {
    "n": int,
    "missing": int,
    "em": float,
    "em_low": float,
    "em_high": float,
    "f1": float,
    "judge": float,
}
"""Columns of figures of arms and groups."""

ARMS: dict[str, type] = {
    "model": str,
    "mode": str,
    **FIGURES,
    "drop": float,
    "p_adjusted": float,
    "significant": bool,
}
GROUPS: dict[str, type] = {"group": str, **FIGURES}
QUESTIONS: dict[str, type] = {
    "fact_id": str,
    "subject": str,
    "gold": str,
    "answer": str,
    "em": bool,
    "f1": float,
    "judge": str,
}
"""Columns of an arm's questions; `judge` is its label, scores are empty without an answer."""


# As they stand on screen


def latent_facts(facts: RelationFacts, model: str | None, index: FactIndex) -> ListTable:
    """Facts of a relation with the scores of a model."""
    names = dict(zip(index.ids.tolist(), index.fact_ids, strict=True))
    row = facts.models.index(model) if model in facts.models else None
    rows: list[dict[str, object]] = []
    differs = facts.differs
    for at, fact in enumerate(facts.ids.tolist()):
        found: dict[str, object] = {
            "fact_id": names[fact],
            "subject": facts.subjects[at],
            "object": facts.objects[at],
            "differs": bool(differs[at]),
        }
        rows.append(found if row is None else found | _scores(facts, row, at))
    if row is not None:
        for one, contradicts in zip(rows, facts.contradicts(row).tolist(), strict=True):
            one["contradicts"] = contradicts
    return _table(FACTS, rows)


def _scores(facts: RelationFacts, row: int, at: int) -> dict[str, object]:
    code = int(facts.codes[row, at])
    found: dict[str, object] = {"profile": None if code == NO_CODE else CODE_ORDER[code]}
    if not facts.asked[row, at]:
        return found
    found["failed"] = not facts.usable[row, at]
    if found["failed"]:
        return found
    return found | {
        "correct": bool(facts.correct[row, at]),
        "rank": int(facts.ranks[row, at]),
        "p_gold": float(facts.p_gold[row, at]),
    }


def latent_relations(board: LatentBoard) -> ListTable:
    """Relations with what each model knows of them."""
    columns = dict(RELATIONS)
    for model in board.models:
        columns |= {f"n:{model}": int, f"correct:{model}": int, f"accuracy:{model}": float}
    rows = [
        {
            "relation": row.name,
            "set": row.set_name,
            "facts": row.facts,
            "examples": row.training,
            "objects": row.objects,
            "left_out": row.why or None,
        }
        | {
            f"{name}:{model}": value
            for model, count in zip(board.models, row.counts, strict=True)
            for name, value in (
                *(("n", count.n), ("correct", count.correct)),
                ("accuracy", count.share),
            )
        }
        for row in board.rows
    ]
    return _table(columns, rows)


def bench_arms(lists: BenchLists) -> ListTable:
    """The arms."""
    return _table(
        ARMS,
        (
            {
                "model": row.model,
                "mode": row.mode,
                **_figures(row.figures),
                "drop": row.drop,
                "p_adjusted": row.p_adjusted,
                "significant": row.significant,
            }
            for row in lists.arms
        ),
    )


def bench_groups(lists: BenchLists) -> ListTable:
    """The groups of the arm."""
    return _table(GROUPS, ({"group": row.name, **_figures(row.figures)} for row in lists.groups))


def bench_questions(lists: BenchLists) -> ListTable:
    """The questions of the group."""

    def scores(em: bool, f1: float, judge: Outcome | None) -> dict[str, object]:
        return {"em": em, "f1": f1, "judge": None if judge is None else judge.name}

    return _table(
        QUESTIONS,
        (
            {"fact_id": row.fact_id, "subject": row.subject, "gold": row.gold, "answer": row.answer}
            | ({} if row.answer is None else scores(row.em, row.f1, row.judge))
            for row in lists.questions
        ),
    )


def _figures(figures: ArmFigures) -> dict[str, object]:
    found = figures.as_json()
    return {name: found[name] for name in FIGURES}


def _table(columns: Mapping[str, type], rows: Iterable[Mapping[str, object]]) -> ListTable:
    return ListTable(columns, [dict.fromkeys(columns) | dict(row) for row in rows])


# As words ask for


def read_board_list(words: ListWords, session: Session) -> tuple[ListTable, ListWords]:
    """The rows of a list of Latent or Bench, and its words in full.

    Raises `UsageError` for what is not there.
    """
    if words.name == LATENT:
        query = parse_latent(words.where, words.sort)
        lists = _read_latent(query, session)
        board = lists.board
        _check_there("model", query.model, board.models)
        if query.relation is None or lists.facts is None:
            where, sort = format_latent(replace(query, setup=board.setup, model=lists.model))
            return latent_relations(board), replace(words, where=where, sort=sort)
        row = next(one for one in board.rows if one.key == lists.facts.relation)
        found = LatentQuery(board.setup, lists.model, row.name, row.set_name, query.order)
        where, sort = format_latent(found)
        table = latent_facts(lists.facts, lists.model, session.snapshot.index)
        return table, replace(words, where=where, sort=sort)
    request = parse_bench(words.where, words.sort)
    read = _read_bench(request, session)
    full = replace(request, set_name=read.set_name, split=read.split)
    where, sort = format_bench(full)
    if request.arm is None:
        table = bench_arms(read)
    else:
        table = bench_groups(read) if request.group is None else bench_questions(read)
    return table, replace(words, where=where, sort=sort)


def _read_latent(query: LatentQuery, session: Session) -> LatentLists:
    key = None
    if query.relation is not None:
        key = session.latent.relation_called(query.relation, query.set_name)
        if key is None:
            raise UsageError(
                f"no relation {query.relation}: `lostkeys zp-lke relations` lists them"
            )
    return session.latent.lists(LatentRequest(query.setup, query.model, key, query.order))


def _read_bench(request: BenchRequest, session: Session) -> BenchLists:
    found = session.bench.lists(request)
    if found is None:
        raise UsageError("no set of triples here: `lostkeys import FILE --format triples`")
    _check_there("set", request.set_name, found.sets)
    _check_there("arm", request.arm, [row.label for row in found.arms])
    if request.group is not None:
        _check_there("group", request.group, [row.name for row in found.groups])
    return found


def _check_there(what: str, name: str | None, there: Iterable[str]) -> None:
    known = list(there)
    if name is not None and name not in known:
        raise UsageError(f"no {what} {name}: there are {', '.join(known) or 'none'}")


def count_board_rows(view: SavedView, session: Session) -> int:
    """How many rows a view of Latent or Bench shows; none where what it names is not there."""
    try:
        table, _ = read_board_list(ListWords(view.list, view.where, view.sort), session)
    except UsageError:
        return 0
    return len(table.rows)

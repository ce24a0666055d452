"""A published copy, against the bare statements that fill such tables, index and search them.

Run it: `uv run python -m tests.bench.publishing [--facts N]` (2,150 is the paper's size).
"""

import argparse
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from core.project import OpenProject
from core.scoring.policy import Policy
from core.transfer.exports import Subset
from core.transfer.publication import publish
from tests.bench.generator import GRADERS, Scale, build
from tests.bench.timing import Measured, compare

BARE = """
PRAGMA share.journal_mode = OFF;
PRAGMA share.synchronous = OFF;
CREATE TABLE share.facts (id INTEGER PRIMARY KEY, fact_id TEXT, subject TEXT, object TEXT);
CREATE TABLE share.questions (id INTEGER PRIMARY KEY, fact INTEGER REFERENCES facts (id),
    task TEXT, question TEXT);
CREATE TABLE share.settings (id INTEGER PRIMARY KEY, model TEXT, thinking INTEGER);
CREATE TABLE share.graders (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE share.answers (id INTEGER PRIMARY KEY, question INTEGER REFERENCES questions (id),
    setting INTEGER REFERENCES settings (id), sample INTEGER, response TEXT);
CREATE TABLE share.labels (id INTEGER PRIMARY KEY, answer INTEGER REFERENCES answers (id),
    grader INTEGER REFERENCES graders (id), label TEXT, rationale TEXT);
INSERT INTO share.facts SELECT id, fact_id, subject, object FROM main.fact;
INSERT INTO share.questions SELECT id, fact, task, text FROM main.question WHERE current;
INSERT INTO share.settings SELECT setting.id, label, thinking FROM main.setting
    JOIN main.model ON model.id = setting.model;
INSERT INTO share.graders SELECT id, name FROM main.grader;
INSERT INTO share.answers SELECT r.id, r.question, r.setting, r.sample, r.text
    FROM main.response AS r JOIN main.question ON question.id = r.question AND question.current;
INSERT INTO share.labels (answer, grader, label, rationale)
    SELECT grade.response, grade.grader, outcome.name, remark.rationale FROM main.grade
    JOIN main.outcome ON outcome.id = grade.outcome
    LEFT JOIN main.remark ON remark.response = grade.response AND remark.grader = grade.grader
    WHERE grade.outcome <= 4;
CREATE INDEX share.questions_fact ON questions (fact);
CREATE INDEX share.answers_question ON answers (question);
CREATE INDEX share.answers_setting ON answers (setting);
CREATE INDEX share.labels_answer ON labels (answer);
CREATE INDEX share.labels_grader_label ON labels (grader, label);
CREATE VIRTUAL TABLE share.facts_fts USING fts5(subject, object, content="facts",
    content_rowid="id");
CREATE VIRTUAL TABLE share.questions_fts USING fts5(question, content="questions",
    content_rowid="id");
CREATE VIRTUAL TABLE share.answers_fts USING fts5(response, content="answers",
    content_rowid="id");
INSERT INTO share.facts_fts (facts_fts) VALUES ('rebuild');
INSERT INTO share.questions_fts (questions_fts) VALUES ('rebuild');
INSERT INTO share.answers_fts (answers_fts) VALUES ('rebuild');
"""


def copy_bare(source: Path, target: Path) -> None:
    """Nothing but the statements."""
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS share", (str(target),))
        connection.executescript(BARE)


def copy_ours(source: Path, target: Path) -> None:
    """The real command's work."""
    with OpenProject(source) as project:
        publish(project, target, Subset(policy=Policy(graders=GRADERS[:1])))


def measure(source: Path, runs: int) -> Measured:
    """Both in turn, on a database that is there."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        return compare(
            "publish",
            lambda: copy_ours(source, Path(folder) / "ours.db"),
            "bare INSERT ... SELECT, indices and full text",
            lambda: copy_bare(source, Path(folder) / "bare.db"),
            runs,
        )


def main() -> None:
    """Measure at a given size, in a passing folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=200)
    parser.add_argument("--file", type=Path, help="A database that the generator has made.")
    parser.add_argument("--runs", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source: Path = asked.file or Path(folder) / "made.db"
        if asked.file is None:
            build(source, Scale(facts=asked.facts))
        print(measure(source, asked.runs))


if __name__ == "__main__":
    main()

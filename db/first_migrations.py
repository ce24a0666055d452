"""The statements of the first five migrations (`db.schema` runs them)."""

FIRST = """
CREATE TABLE project (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (
    id INTEGER PRIMARY KEY,
    fact_id TEXT NOT NULL UNIQUE,
    page_title TEXT NOT NULL DEFAULT '',
    item_id TEXT NOT NULL DEFAULT '',
    views INTEGER,
    category TEXT NOT NULL DEFAULT '',
    subject TEXT NOT NULL DEFAULT '',
    object TEXT NOT NULL DEFAULT '',
    subject_type TEXT NOT NULL DEFAULT '',
    object_type TEXT NOT NULL DEFAULT '',
    flagged INTEGER NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
    rejected INTEGER NOT NULL DEFAULT 0 CHECK (rejected IN (0, 1))
) STRICT;

CREATE TABLE gold (
    id INTEGER PRIMARY KEY,
    fact INTEGER NOT NULL REFERENCES fact (id),
    side TEXT NOT NULL CHECK (side IN ('object', 'subject')),
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    aliases TEXT NOT NULL DEFAULT '[]',
    current INTEGER NOT NULL CHECK (current IN (0, 1)),
    UNIQUE (fact, side, version)
) STRICT;
CREATE UNIQUE INDEX gold_in_use ON gold (fact, side) WHERE current;

CREATE TABLE question (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 4398046511103),
    fact INTEGER NOT NULL REFERENCES fact (id),
    task TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    choices TEXT,
    seed INTEGER,
    current INTEGER NOT NULL CHECK (current IN (0, 1)),
    UNIQUE (fact, task, version),
    CHECK ((choices IS NULL) = (seed IS NULL))
) STRICT;
CREATE UNIQUE INDEX question_in_use ON question (fact, task) WHERE current;

CREATE TABLE recipe (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE model (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    recipe INTEGER REFERENCES recipe (id)
) STRICT;

CREATE TABLE setting (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 1023),
    model INTEGER NOT NULL REFERENCES model (id),
    thinking INTEGER NOT NULL CHECK (thinking IN (0, 1)),
    UNIQUE (model, thinking)
) STRICT;

CREATE TABLE response (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    shown INTEGER CHECK (shown BETWEEN 0 AND 23),
    question INTEGER NOT NULL GENERATED ALWAYS AS (id >> 20) VIRTUAL REFERENCES question (id),
    setting INTEGER NOT NULL
        GENERATED ALWAYS AS ((id >> 10) & 1023) VIRTUAL REFERENCES setting (id),
    sample INTEGER NOT NULL GENERATED ALWAYS AS (id & 1023) VIRTUAL
) STRICT;

CREATE TABLE draw (
    response INTEGER PRIMARY KEY REFERENCES response (id),
    run INTEGER REFERENCES run (id),
    finish TEXT,
    reasoning TEXT,
    reasoning_tokens INTEGER
) STRICT;

CREATE TABLE failure (
    slot INTEGER PRIMARY KEY,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE aside (
    id INTEGER PRIMARY KEY,
    slot INTEGER NOT NULL,
    text TEXT NOT NULL,
    shown INTEGER,
    recipe INTEGER REFERENCES recipe (id),
    draw TEXT,
    grades TEXT NOT NULL,
    reason TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    setting INTEGER NOT NULL REFERENCES setting (id),
    tasks TEXT NOT NULL,
    facts TEXT,
    samples INTEGER NOT NULL,
    done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE grader (
    id INTEGER PRIMARY KEY CHECK (id > 0),
    name TEXT NOT NULL CHECK (name <> ''),
    version TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;

CREATE TABLE outcome (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;
INSERT INTO outcome VALUES
    (1, 'CORRECT'), (2, 'INCORRECT'), (3, 'PARTIALLY'), (4, 'OTHER'),
    (5, 'unparsed'), (6, 'refused'), (7, 'error');

CREATE TABLE grade (
    response INTEGER NOT NULL REFERENCES response (id),
    grader INTEGER NOT NULL REFERENCES grader (id),
    outcome INTEGER NOT NULL CHECK (outcome BETWEEN 1 AND 7),
    PRIMARY KEY (response, grader)
) STRICT, WITHOUT ROWID;

CREATE TABLE remark (
    response INTEGER NOT NULL,
    grader INTEGER NOT NULL,
    rationale TEXT,
    at INTEGER,
    PRIMARY KEY (response, grader),
    FOREIGN KEY (response, grader) REFERENCES grade (response, grader)
) STRICT, WITHOUT ROWID;

CREATE TABLE grid (
    plane INTEGER NOT NULL,
    setting INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    cells BLOB NOT NULL,
    PRIMARY KEY (plane, setting)
) STRICT;

CREATE TABLE grid_change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    plane INTEGER NOT NULL,
    slots BLOB NOT NULL,
    outcomes BLOB NOT NULL
) STRICT;

CREATE TABLE saved_policy (
    name TEXT PRIMARY KEY,
    policy TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT, WITHOUT ROWID;

CREATE TABLE saved_profile (
    policy TEXT NOT NULL REFERENCES saved_policy (name),
    model INTEGER NOT NULL REFERENCES model (id),
    fact INTEGER NOT NULL REFERENCES fact (id),
    profile TEXT,
    e INTEGER,
    k0 INTEGER,
    kt INTEGER,
    PRIMARY KEY (policy, model, fact)
) STRICT, WITHOUT ROWID;

CREATE VIEW v_responses AS
SELECT fact.fact_id, question.task, model.label AS model, setting.thinking, response.sample,
    response.text AS response, response.id AS id
FROM response
JOIN question ON question.id = response.question AND question.current
JOIN fact ON fact.id = question.fact
JOIN setting ON setting.id = response.setting
JOIN model ON model.id = setting.model;

CREATE VIEW v_labels AS
SELECT fact.fact_id, question.task, model.label AS model, setting.thinking, response.sample,
    grader.name AS grader, grader.version, outcome.name AS label,
    remark.rationale, response.id AS id
FROM grade
JOIN response ON response.id = grade.response
JOIN question ON question.id = response.question AND question.current
JOIN fact ON fact.id = question.fact
JOIN setting ON setting.id = response.setting
JOIN model ON model.id = setting.model
JOIN grader ON grader.id = grade.grader
JOIN outcome ON outcome.id = grade.outcome
LEFT JOIN remark ON remark.response = grade.response AND remark.grader = grade.grader
WHERE grade.outcome <= 4;

CREATE VIEW v_disagreements AS
SELECT r.*, ga.name AS grader_a, oa.name AS label_a, gb.name AS grader_b, ob.name AS label_b
FROM v_responses AS r
JOIN grade AS a ON a.response = r.id AND a.outcome <= 4
JOIN grade AS b ON b.response = r.id AND b.outcome <= 4
    AND b.grader > a.grader AND b.outcome <> a.outcome
JOIN grader AS ga ON ga.id = a.grader
JOIN grader AS gb ON gb.id = b.grader AND gb.name <> ga.name
JOIN outcome AS oa ON oa.id = a.outcome
JOIN outcome AS ob ON ob.id = b.outcome
WHERE NOT EXISTS (
    SELECT 1 FROM grade JOIN grader ON grader.id = grade.grader
    WHERE grade.response = r.id AND grade.outcome <= 4
        AND (grader.name = ga.name AND grader.id > ga.id
            OR grader.name = gb.name AND grader.id > gb.id)
);
"""

SECOND = """
CREATE TABLE action (
    id INTEGER PRIMARY KEY,
    author TEXT NOT NULL,
    kind TEXT NOT NULL,
    target INTEGER NOT NULL,
    grader INTEGER REFERENCES grader (id),
    before TEXT,
    after TEXT,
    at INTEGER NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1))
) STRICT;
CREATE INDEX action_to_undo ON action (author, id) WHERE NOT undone;
CREATE INDEX remark_of_a_person ON remark (response)
    WHERE at IS NOT NULL AND rationale IS NOT NULL;

CREATE TABLE searchable (
    key INTEGER PRIMARY KEY,
    state INTEGER NOT NULL,
    generation INTEGER NOT NULL
) STRICT;
CREATE VIRTUAL TABLE fact_text USING fts5(
    title, subject, object, asked, source, other,
    content='', tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE answer_text USING fts5(
    text,
    content='', detail=none, tokenize='unicode61 remove_diacritics 2'
);
"""

THIRD = """
CREATE TABLE lease (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    beat INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE claim (
    stage TEXT NOT NULL,
    item INTEGER NOT NULL,
    lease INTEGER REFERENCES lease (id) ON DELETE CASCADE,
    batch INTEGER REFERENCES batch (id) ON DELETE CASCADE,
    PRIMARY KEY (stage, item),
    CHECK ((lease IS NULL) <> (batch IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_of_lease ON claim (lease) WHERE lease IS NOT NULL;
CREATE INDEX claim_of_batch ON claim (batch) WHERE batch IS NOT NULL;

CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    spec TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('waiting', 'running', 'paused', 'stopped', 'failed', 'finished', 'cancelled')),
    reason TEXT NOT NULL DEFAULT '',
    wish TEXT CHECK (wish IN ('pause', 'resume', 'cancel')),
    lease INTEGER REFERENCES lease (id) ON DELETE SET NULL,
    max_cost REAL,
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    started TEXT,
    ended TEXT
) STRICT;

CREATE TABLE stage (
    job INTEGER NOT NULL REFERENCES job (id),
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    waiting INTEGER NOT NULL DEFAULT 0,
    running INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE spend (
    job INTEGER NOT NULL REFERENCES job (id),
    stage TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost REAL,
    seconds REAL NOT NULL,
    PRIMARY KEY (job, stage, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    job INTEGER NOT NULL REFERENCES job (id),
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX event_of_job ON event (job, id);

CREATE TABLE batch (
    id INTEGER PRIMARY KEY,
    job INTEGER NOT NULL REFERENCES job (id),
    token TEXT NOT NULL UNIQUE,
    name TEXT,
    lane TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('prepared', 'submitted', 'collected', 'failed', 'cancelled')),
    items TEXT NOT NULL,
    taken INTEGER NOT NULL DEFAULT 0,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;
CREATE INDEX batch_of_job ON batch (job);

ALTER TABLE run ADD COLUMN job INTEGER REFERENCES job (id);
ALTER TABLE run ADD COLUMN curtailed TEXT;
"""

FOURTH = """
ALTER TABLE action ADD COLUMN decision INTEGER REFERENCES action (id);
ALTER TABLE action ADD COLUMN between_graders TEXT;
CREATE INDEX action_of_decision ON action (decision) WHERE decision IS NOT NULL;
"""

FIFTH = """
CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    views INTEGER,
    item_id TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES document (id),
    place INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (document, place)
) STRICT;
CREATE VIRTUAL TABLE passage_text USING fts5(
    title, text,
    content='', tokenize='porter unicode61 remove_diacritics 2'
);

CREATE TABLE candidate (
    id INTEGER PRIMARY KEY,
    passage INTEGER REFERENCES passage (id),
    start INTEGER,
    object TEXT NOT NULL,
    object_type TEXT NOT NULL,
    rank INTEGER NOT NULL,
    fact INTEGER UNIQUE REFERENCES fact (id),
    aside INTEGER NOT NULL DEFAULT 0 CHECK (aside IN (0, 1)),
    CHECK ((passage IS NULL) = (start IS NULL)),
    CHECK (passage IS NOT NULL OR fact IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX candidate_in_use ON candidate (passage, start) WHERE NOT aside;

CREATE TABLE step (
    id INTEGER PRIMARY KEY,
    stage TEXT NOT NULL,
    unit INTEGER NOT NULL,
    version TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('kept', 'dropped', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    value TEXT NOT NULL DEFAULT '{}',
    raw TEXT,
    sources TEXT NOT NULL DEFAULT '[]',
    job INTEGER REFERENCES job (id),
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    aside INTEGER NOT NULL DEFAULT 0 CHECK (aside IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX step_in_use ON step (stage, unit) WHERE NOT aside;
CREATE INDEX step_of_unit ON step (unit, stage);

CREATE TABLE stale_grade (
    response INTEGER NOT NULL,
    grader INTEGER NOT NULL REFERENCES grader (id),
    gold INTEGER NOT NULL REFERENCES gold (id),
    outcome INTEGER NOT NULL CHECK (outcome BETWEEN 1 AND 7),
    rationale TEXT,
    at INTEGER,
    PRIMARY KEY (response, grader, gold)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    seed INTEGER NOT NULL,
    spec TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE sampled (
    sample INTEGER NOT NULL REFERENCES sample (id),
    place INTEGER NOT NULL,
    question INTEGER NOT NULL REFERENCES question (id),
    stratum TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (sample, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX sampled_question ON sampled (question);

CREATE TABLE review (
    question INTEGER NOT NULL REFERENCES question (id),
    author TEXT NOT NULL,
    verdict TEXT CHECK (verdict IN ('accepted', 'rejected', 'edited', 'skipped')),
    reason TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL,
    PRIMARY KEY (question, author)
) STRICT, WITHOUT ROWID;
"""

"""Large scripts of later migrations: triples and scores, arms, reference sets and tags."""

SEVENTH = """
CREATE TABLE triple_set (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE relation (
    id INTEGER PRIMARY KEY,
    triple_set INTEGER NOT NULL REFERENCES triple_set (id),
    name TEXT NOT NULL,
    UNIQUE (triple_set, name)
) STRICT;

CREATE TABLE triple (
    fact INTEGER PRIMARY KEY REFERENCES fact (id),
    relation INTEGER NOT NULL REFERENCES relation (id),
    subject_id TEXT NOT NULL DEFAULT '',
    property_id TEXT NOT NULL DEFAULT '',
    object_id TEXT NOT NULL DEFAULT '',
    answer_type TEXT NOT NULL CHECK (answer_type IN ('entity', 'date', 'number')),
    unit TEXT NOT NULL DEFAULT '',
    tier TEXT NOT NULL DEFAULT '',
    recitation TEXT NOT NULL DEFAULT '',
    choices TEXT,
    split TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX triple_of_relation ON triple (relation);

CREATE TABLE model_trait (
    model INTEGER PRIMARY KEY REFERENCES model (id),
    family TEXT,
    parameters INTEGER,
    base TEXT
) STRICT;

CREATE TABLE input_form (
    id INTEGER PRIMARY KEY,
    relation TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    template TEXT NOT NULL,
    inner_gap TEXT NOT NULL,
    outer_gap TEXT NOT NULL,
    UNIQUE (relation, name)
) STRICT;

CREATE TABLE option_text (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE option_list (
    id INTEGER PRIMARY KEY,
    fact INTEGER NOT NULL REFERENCES fact (id),
    length INTEGER NOT NULL CHECK (length > 0),
    texts BLOB,
    chosen INTEGER NOT NULL DEFAULT 0 CHECK (chosen IN (0, 1))
) STRICT;
CREATE INDEX option_list_of_fact ON option_list (fact, length);

CREATE TABLE score_series (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 8388607),
    model INTEGER NOT NULL REFERENCES model (id),
    form TEXT NOT NULL,
    examples INTEGER NOT NULL CHECK (examples >= 0),
    seed INTEGER NOT NULL,
    example_order INTEGER NOT NULL,
    inject TEXT NOT NULL DEFAULT '',
    options INTEGER NOT NULL CHECK (options >= 0),
    UNIQUE (model, form, examples, seed, example_order, inject, options)
) STRICT;

CREATE TABLE option_score (
    id INTEGER PRIMARY KEY,
    option_list INTEGER REFERENCES option_list (id),
    logprobs BLOB,
    response TEXT,
    series INTEGER NOT NULL
        GENERATED ALWAYS AS (id >> 40) VIRTUAL REFERENCES score_series (id),
    fact INTEGER NOT NULL
        GENERATED ALWAYS AS (id & 1099511627775) VIRTUAL REFERENCES fact (id),
    CHECK ((option_list IS NULL) = (logprobs IS NULL)),
    CHECK (logprobs IS NOT NULL OR response IS NOT NULL)
) STRICT;

CREATE TABLE score_grid (
    series INTEGER NOT NULL REFERENCES score_series (id),
    part TEXT NOT NULL,
    cells BLOB NOT NULL,
    PRIMARY KEY (series, part)
) STRICT;

CREATE TABLE score_change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    series INTEGER NOT NULL REFERENCES score_series (id),
    cells BLOB NOT NULL
) STRICT;

CREATE TABLE long_input (
    id INTEGER PRIMARY KEY,
    model INTEGER NOT NULL REFERENCES model (id),
    relation INTEGER NOT NULL REFERENCES relation (id),
    examples INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    inject TEXT NOT NULL DEFAULT '',
    places TEXT NOT NULL,
    logprobs BLOB NOT NULL,
    UNIQUE (model, relation, examples, seed, inject)
) STRICT;
"""

EIGHTH = """
CREATE TABLE preparation (
    triple_set INTEGER PRIMARY KEY REFERENCES triple_set (id),
    seed INTEGER NOT NULL,
    filters TEXT NOT NULL,
    properties TEXT,
    tier REAL NOT NULL,
    per_domain INTEGER,
    train REAL NOT NULL,
    subset INTEGER,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE prepared_triple (
    triple INTEGER PRIMARY KEY REFERENCES triple (fact),
    reason TEXT NOT NULL,
    tier TEXT NOT NULL,
    split TEXT NOT NULL CHECK (split IN ('', 'train', 'eval')),
    subset INTEGER NOT NULL CHECK (subset IN (0, 1))
) STRICT;

CREATE TABLE arm (
    id INTEGER PRIMARY KEY,
    model INTEGER NOT NULL REFERENCES model (id),
    triple_set INTEGER NOT NULL REFERENCES triple_set (id),
    base TEXT NOT NULL,
    mode TEXT NOT NULL,
    seed INTEGER NOT NULL,
    known_by TEXT NOT NULL,
    prompt TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (model, triple_set)
) STRICT;

CREATE TABLE exemplar (
    arm INTEGER NOT NULL REFERENCES arm (id),
    place INTEGER NOT NULL CHECK (place > 0),
    fact INTEGER NOT NULL REFERENCES fact (id),
    question TEXT NOT NULL,
    gold TEXT NOT NULL,
    answer TEXT NOT NULL,
    answer_of INTEGER NOT NULL REFERENCES fact (id),
    known INTEGER CHECK (known IN (0, 1)),
    PRIMARY KEY (arm, place)
) STRICT;

CREATE TABLE answer_score (
    setting INTEGER PRIMARY KEY REFERENCES setting (id),
    cells BLOB NOT NULL
) STRICT;
"""

SEVENTEENTH = """
CREATE TABLE reference_set (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    plan TEXT NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)),
    at INTEGER NOT NULL
) STRICT;

CREATE TABLE reference_answer (
    reference_set INTEGER NOT NULL REFERENCES reference_set (id),
    response INTEGER NOT NULL REFERENCES response (id),
    stratum TEXT NOT NULL,
    PRIMARY KEY (reference_set, response)
) STRICT, WITHOUT ROWID;
CREATE INDEX reference_answer_of_response ON reference_answer (response);

CREATE TABLE rubric (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (name <> ''),
    version TEXT NOT NULL,
    rules TEXT NOT NULL CHECK (rules <> ''),
    examples TEXT NOT NULL DEFAULT '[]',
    parent INTEGER REFERENCES rubric (id),
    author TEXT NOT NULL,
    why TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL,
    UNIQUE (name, version)
) STRICT;
CREATE INDEX rubric_of_parent ON rubric (parent);

CREATE TABLE trial (
    reference_set INTEGER NOT NULL REFERENCES reference_set (id),
    grader INTEGER NOT NULL REFERENCES grader (id),
    rubric INTEGER REFERENCES rubric (id),
    answers INTEGER NOT NULL DEFAULT 0,
    cost REAL,
    at INTEGER NOT NULL,
    PRIMARY KEY (reference_set, grader)
) STRICT, WITHOUT ROWID;

CREATE TABLE opening (
    reference_set INTEGER NOT NULL REFERENCES reference_set (id),
    grader INTEGER NOT NULL REFERENCES grader (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (reference_set, grader)
) STRICT, WITHOUT ROWID;

CREATE TABLE tag (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;

CREATE TABLE tagged (
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'question', 'fact')),
    target INTEGER NOT NULL,
    tag INTEGER NOT NULL REFERENCES tag (id),
    author TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, target, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tagged_by_tag ON tagged (tag);

CREATE TABLE note (
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'question', 'fact')),
    target INTEGER NOT NULL,
    author TEXT NOT NULL,
    text TEXT NOT NULL CHECK (text <> ''),
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, target, author)
) STRICT, WITHOUT ROWID;
"""

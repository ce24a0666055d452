"""Facts, their questions and answers."""

from core.glossary.glossary_entry import EVERYWHERE, GlossaryEntry

_TASKS = "facts task confusion review figures"

FACTS = (
    GlossaryEntry(
        "fact", "fact", "a statement about two entities, subject and object",
        "A proposition of the source text with an ordered pair of entities. The subject comes "
        "first in the text.",
        EVERYWHERE, ("facts",), see=("subject", "object", "task"),
    ),
    GlossaryEntry(
        "subject", "subject", "the entity of the fact that comes first in the text",
        "The gold answer of all reverse questions.",
        "facts task review", ("subject → object",), see=("object", "gold"),
    ),
    GlossaryEntry(
        "object", "object", "the other entity of the fact",
        "The gold answer of completion, contextual and all direct questions.",
        "facts task review", see=("subject", "gold"),
    ),
    GlossaryEntry(
        "→", "leads to", "from subject to object; from what is to what would be",
        "Between entities: subject and object. Between codes or grades: what is now, and what it "
        "would be with another label.",
        EVERYWHERE, ("stays", "becomes"), "arrow",
    ),
    GlossaryEntry(
        "text", "source text", "the text that the fact was taken from",
        "Up to the place where the object stands; subject and object are marked in it. Where there "
        "is room it is said whether the open answer stands there, too.",
        "facts task confusion review", ("in the text", "the text before it"), see=("fact",),
    ),
    GlossaryEntry(
        "alike", "alike, over all models", "the same answers to the question, by any model",
        "With how often they were given and the labels that count under the lens.",
        "task confusion review", ("alike over all models",), see=("same answer elsewhere", "label"),
    ),
    GlossaryEntry(
        "all models on this question", "all models on this question",
        "the answers of every model as marks, thinking off and on",
        "With the profile of each on the fact; the model that is looked at is underlined.",
        "task confusion review", see=("model", "profile"),
    ),
    GlossaryEntry(
        "the other questions of the fact", "the other questions of the fact",
        "what else was asked about the fact, with the grades of the model",
        "Thinking off at the left, on at the right.", "task confusion",
        ("other questions",), see=("task", "g"),
    ),
    GlossaryEntry(
        "where else this matters", "where else this matters",
        "the same answer elsewhere, and what follows if it is right",
        "How many other answers to the question have the same text. Where the answer is not "
        "CORRECT: how many it would make right as an alias of the gold, once they are graded "
        "again, and for how many models the profile of the fact would be another.",
        "task", ("elsewhere",), see=("alike", "profile", "gold"),
    ),
    GlossaryEntry(
        "notes and history", "notes and history", "what people have said of the answers",
        "Labels with their notes, the newest first.", "task", see=("†", "your label"),
    ),
    GlossaryEntry(
        "title", "title", "the title of the page that the fact was taken from",
        "A document without one is called by the subject.", "facts", see=("views",),
    ),
    GlossaryEntry(
        "topic", "topic", "the field of knowledge that the fact belongs to",
        "As the data or the stage `classify` of a build has it.",
        "facts profiles review", ("category", "by category", "type of object"),
    ),
    GlossaryEntry(
        "columns", "columns of a list", "what a list shows of each row; `|` chooses them",
        "A list always has the column that it is sorted by. `--columns` of a command names the "
        "same ones, and a file that `W` writes has them.",
        "facts", ("column", "Columns"), see=("g3", "marks", "no."),
    ),
    GlossaryEntry(
        "view", "view of a list", "a list by its name: filter, search, order, columns; `V`",
        "It may hold parts of the lens too. `*` after its name: it has been altered since. "
        "`views.toml` beside the settings keeps views, `--view` of a command shows one. Queues are "
        "lists too; their rows are cards without columns.",
        "facts confusion review",
        ("views", "Views", "views of a list", "ready-made", "none saved yet"),
        see=("columns", "lens"),
    ),
    GlossaryEntry(
        "marks", "marks of a fact", "graders differ, edited, flagged, noted, Z: one cell each",
        "In a file they are words: `differs`, `differs:profile`, `edited`, `flagged`, `noted`, "
        "`zp:contradicts`.",
        "facts", see=("≠", "±", "Δ", "*", "†", "Z"),
    ),
    GlossaryEntry(
        "g3", "grade of one task", "a column of the list: g of the task with this digit",
        "`g3+T` is the grade with thinking. `--columns` calls them `g.direct` and `g.direct.on`.",
        "facts", tuple(f"g{digit}{more}" for digit in "1234567890" for more in ("", "+T")),
        see=("g", "columns"),
    ),
    GlossaryEntry(
        "no.", "number of a fact", "the number of a fact in this database, as imported",
        "`number:7` of a filter asks for it. A database into which facts are imported again gives "
        "others; the id of a fact stays.",
        "facts", ("number", "id", "type", "note"), see=("columns",),
    ),
    GlossaryEntry(
        "views", "page views", "how often the page was read: how popular the fact is",
        "A count of the source page. Without one the popularity is unknown.",
        "facts review figures", ("page views", "no views", "views unknown"), see=("tier",),
    ),
    GlossaryEntry(
        "tier", "popularity tier", "bottom fifth, middle or top fifth of facts by page views",
        "Facts with a view count in the whole database are ranked by views: the lowest 20 percent "
        "are the bottom, the highest 20 percent the top, all others the middle.",
        "facts profiles review figures",
        ("bottom 20%", "top 20%", "bottom 20% of views", "middle 60% of views", "top 20% of views",
         "bottom 20% by page views",
         "tiers", "by popularity", "no views"),
        see=("views",),
    ),
    GlossaryEntry(
        "filter", "filter", "which facts, questions or disagreements are listed",
        "Conditions of one kind are joined by or, those of several kinds by and.",
        "facts profiles confusion review", ("filters",),
    ),
)  # fmt: skip

TASKS = (
    GlossaryEntry(
        "task", "task", "one of ten ways to ask for the same fact",
        "Two tasks show whether the fact is encoded, four whether it is known, four offer options. "
        "Digits 1 to 9 and 0 choose them.",
        _TASKS, ("tasks", "1-0"), see=("encoding", "knowledge", "verification"),
    ),
    GlossaryEntry(
        "encoding", "encoding tasks", "completion and contextual: is the fact stored at all?",
        "Only answers with thinking off decide whether a fact is encoded.",
        "facts", see=("E", "completion", "contextual"),
    ),
    GlossaryEntry(
        "knowledge", "knowledge tasks", "direct and reverse, in both phrasings: is it known?",
        "Four open questions. All that are gradable must pass for K0 or KT.",
        "facts", see=("K0", "KT", "direct", "reverse"),
    ),
    GlossaryEntry(
        "verification", "verification tasks", "the four multiple choice tasks",
        "They change no profile; analyses use them.", "facts", see=("mc",),
    ),
    GlossaryEntry(
        "completion", "completion", "the source text up to the object; the model goes on",
        "The gold answer is the object.", _TASKS, ("compl",), see=("encoding",),
    ),
    GlossaryEntry(
        "contextual", "contextual", "a question with the source text before the object",
        "The gold answer is the object.", _TASKS, ("context", "cntxt"), see=("encoding",),
    ),
    GlossaryEntry(
        "direct", "direct", "asks for the object in words close to the text",
        "The gold answer is the object.", _TASKS, ("dir",), see=("direct natural", "reverse"),
    ),
    GlossaryEntry(
        "direct natural", "direct natural", "asks for the object as a person would",
        "The gold answer is the object.", _TASKS, ("direct nat", "dir nat", "dir n"),
        see=("direct", "high-verbatim"),
    ),
    GlossaryEntry(
        "reverse", "reverse", "asks for the subject in words close to the text",
        "The gold answer is the subject.", _TASKS, ("rev",), see=("reverse natural", "direct"),
    ),
    GlossaryEntry(
        "reverse natural", "reverse natural", "asks for the subject as a person would",
        "The gold answer is the subject.", _TASKS, ("reverse nat", "rev nat", "rev n"),
        see=("reverse", "high-verbatim"),
    ),
    GlossaryEntry(
        "mc", "multiple choice", "the question of an open task with four options",
        "Each position of the gold option comes equally often. The grader `choice` labels the "
        "answers.",
        _TASKS,
        ("mc direct", "mc direct natural", "mc reverse", "mc reverse natural", "mc dir nat",
         "mc rev nat", "mc dir", "mc d n", "mc rev", "mc r n", "mc d", "mc dn", "mc r", "mc rn",
         "options", "answered openly"),
        see=("verification", "choice"),
    ),
    GlossaryEntry(
        "high-verbatim", "high-verbatim", "a question in words close to the source text",
        "Direct and reverse are high-verbatim; their natural twins are not.",
        "figures", ("natural", "in natural words", "phrasing"), see=("direct natural",),
    ),
    GlossaryEntry(
        "pair of questions", "pair of questions", "a question and its natural twin",
        "The pairs are encoding (completion and contextual), direct, reverse, and those of "
        "multiple choice. A fact needs a question in each of the first three.",
        "figures", see=("pair",),
    ),
    GlossaryEntry(
        "cell", "cell", "one question of a fact in one setting",
        "A fact has up to ten cells that decide: its encoding questions with thinking off, its "
        "knowledge questions with thinking off and on.",
        "facts task", ("not used",), see=("··", "…"),
    ),
    GlossaryEntry(
        "question", "question", "one task of one fact, as it is asked",
        "Editing its text discards its answers; editing its gold makes its labels out of date.",
        "facts task confusion review figures", ("questions", "the question"), see=("version",),
    ),
    GlossaryEntry(
        "gold", "gold answer", "what a right answer names: object or subject of the fact",
        "After `or` come its aliases, which are right, too.",
        "facts task confusion review", ("or", "alias", "aliases", "accept as alias"),
        see=("subject", "object", "before the alias"),
    ),
    GlossaryEntry(
        "version", "version", "a question or its gold as edited; only the newest counts",
        "Graders have versions as well: a grader's label is that of its newest version.",
        "task review", ("versions", "version 1"), see=("Δ",),
    ),
    GlossaryEntry(
        "answer", "answer", "what a model said to a question: one of several samples",
        "Answers of a setting are numbered: `off 2` is the second with thinking off.",
        "facts task confusion jobs", ("off 1", "on 1", "answers", "sample", "response"),
        see=("setting",),
    ),
    GlossaryEntry(
        "setting", "setting", "a model with thinking off or on",
        "Every answer belongs to one setting. The model's name is a label for one recipe.",
        "task", ("thinking off", "thinking on"), see=("thinking", "recipe"),
    ),
    GlossaryEntry(
        "recipe", "recipe", "how a model is asked: id, endpoint, sampling, prompts",
        "A run with another recipe under the same name stops and asks for another name.",
        "task", see=("setting",),
    ),
    GlossaryEntry(
        "prompt as sent", "prompt as sent", "the text that the model got for this answer",
        "The view `call` of an answer shows it with the recipe and what is known of the answer.",
        "task", ("call", "this answer", "recipe"), see=("recipe",),
    ),
    GlossaryEntry(
        "judgement", "judgement", "the labels of an answer, and what other labels would do",
        "The views of an open answer are judgement, answer, call and, for multiple choice, "
        "options.",
        "task", ("view",), see=("your label",),
    ),
    GlossaryEntry(
        "as written", "as written", "the whole text of the answer, as the model wrote it",
        "Above it stands the answer that graders see: of step-by-step text the part behind the "
        "last marker `answer:`.",
        "task", ("reasoning", "answer"), see=("answer",),
    ),
    GlossaryEntry(
        "source", "source of an answer", "the file, and the place in it, that it was imported from",
        "Of a log of another tool: the file's name, the log's id, the sample's id, epoch and uuid. "
        "`source:FILE` of a filter finds facts by it.",
        "task", ("source:FILE",), see=("epoch", "imported scorer"),
    ),
    GlossaryEntry(
        "epoch", "epoch", "which time a log asked the same sample, counted from 1",
        "Each epoch of Inspect is an answer of its own: the first is sample 0.",
        "task", (), see=("source",),
    ),
)  # fmt: skip

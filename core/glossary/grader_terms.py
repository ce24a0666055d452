"""Two graders compared, and questions that people look over."""

from core.glossary.glossary_entry import GlossaryEntry

CONFUSION = (
    GlossaryEntry(
        "agreement", "agreement", "share of answers that both graders label the same",
        "Over all answers that both have labelled, multiple choice included.",
        "confusion figures", ("Agreement", "agree", "answers labelled by both"),
        see=("kappa", "alpha"),
    ),
    GlossaryEntry(
        "kappa", "Cohen's kappa", "agreement beyond what chance would give; 1 is full",
        "Chance is taken from how often each grader gives each label. There is none where chance "
        "agreement is 1.",
        "confusion figures", ("κ",), see=("agreement", "alpha"),
    ),
    GlossaryEntry(
        "alpha", "Krippendorff's alpha", "1 less observed over expected disagreement",
        "For named labels, over pairs of labels whoever gave them. There is none where no "
        "disagreement is expected.",
        "confusion figures", ("α",), see=("agreement", "kappa"),
    ),
    GlossaryEntry(
        "both", "labelled by both", "answers that A and B have both labelled",
        "Only they can agree or differ.", "confusion", see=("agreement",),
    ),
    GlossaryEntry(
        "differ", "disagreements", "answers that A and B label differently",
        "The list below the matrix has them, those that matter most first.",
        "confusion", ("Disagreements", "differs", "disagreement"), see=("g", "prof"),
    ),
    GlossaryEntry(
        "prof", "profile-changing", "disagreements where B's label alone changes the profile",
        "Taking B's label for that answer, all else by A, changes the fact's profile, or whether "
        "it has one.",
        "confusion",
        ("would change a profile", "would change a question, not the profile",
         "would change neither", "that change a profile", "that change a question"),
        see=("≠", "g"),
    ),
    GlossaryEntry(
        "blind", "blind", "labels of both graders are hidden until you have decided",
        "`B` turns it on and off. Hidden labels show as dots.", "confusion",
    ),
    GlossaryEntry(
        "unsure", "unsure", "answers that a grader was not sure enough of to label",
        "`grade --sure` leaves them, as a state and no label. `v` on Confusion lists them; your "
        "label decides one.",
        "confusion", ("Unsure", "queue:unsure", "a grader is not sure of these", "not sure"),
    ),
    GlossaryEntry(
        "stale", "stale grades", "labels given before a gold was edited",
        "They count no more, people's included, and `grade` makes new ones. A card says how many "
        "an edit would make so. An alias makes none stale.",
        "task confusion review", ("grades stale",), see=("version", "gold", "before the alias"),
    ),
    GlossaryEntry(
        "before the alias", "before the alias", "a label from before an alias was accepted",
        "It still counts. Labels CORRECT stay as they are, local graders label the others again at "
        "once. Those of models say `out of date` until `grade` asks the model again; those of "
        "people and imported ones stay.",
        "task confusion", ("out of date", "labelled again", "kept"), see=("stale", "gold"),
    ),
    GlossaryEntry(
        "so far", "so far", "how often each grader was wrong among what you decided",
        "A grader is wrong where your label is another one. Disagreements that matter come first, "
        "so these are counts and no sample of all: an audit gives a rate.",
        "confusion", ("decided", "A wrong", "B wrong"),
    ),
    GlossaryEntry(
        "same answer elsewhere", "the same answer elsewhere", "equal answers to this question",
        '`"` gives your label to all of them. Beside each stand the labels of A and B.',
        "confusion", ("the same answer elsewhere",),
    ),
    GlossaryEntry(
        "the text before it", "left context", "the source text before the object",
        "What the model had to continue in completion, and the text before a contextual question.",
        "confusion review", ("left context", "the text above, up to its object"),
        see=("completion", "contextual"),
    ),
)  # fmt: skip

REVIEW = (
    GlossaryEntry(
        "suspicious", "suspicious", "questions that all strong models fail: may be faulty",
        "A strong model fails where at most half of its graded answers are right, whatever the "
        "threshold is.",
        "review", ("Questions to review", "fails"), see=("strong",),
    ),
    GlossaryEntry(
        "strong", "strong models", "the models that know most; what they all fail is suspicious",
        "`m` chooses them.", "review",
        ("strong models", "strong models answer", "what the model answers", "what 2 models answer"),
        see=("suspicious", "kn+T"),
    ),
    GlossaryEntry(
        "fails", "models failing", "how many strong models fail the question, of how many",
        "Models without labels for the question do not count.", "review",
        ("share failing", "the fact's other questions", "2 of 2"), see=("strong", "pass"),
    ),
    GlossaryEntry(
        "random", "random sample", "questions drawn at random with a seed, to estimate errors",
        "`+` draws a sample or lets it grow.", "review", ("random sample", "sample"),
        see=("error rate", "stratified"),
    ),
    GlossaryEntry(
        "stratified", "stratified sample", "drawn so that each group has its part",
        "The error rate weighs each group by its size.", "review",
        ("each by its size", "by category", "stratified sample"), see=("error rate",),
    ),
    GlossaryEntry(
        "by a stage", "changed by a stage", "questions that a stage of the build has changed",
        "`f` chooses the stage.", "review", ("changed by a stage",), see=("stage",),
    ),
    GlossaryEntry(
        "accept", "accepted", "a person has found the question good",
        "Accepted, edited and rejected questions count as decided.", "review",
        ("accepted", "✓", "skip"), "done", ("reject",),
    ),
    GlossaryEntry(
        "reject", "rejected", "the question is bad; its fact leaves all totals",
        "A reason stands beside it: gold is wrong, not unique, answer leaks, not stable, unclear, "
        "or one that is typed.",
        "review confusion task",
        ("rejected", "reason", "or the question is at fault", "gold is wrong", "not unique",
         "answer leaks", "not stable", "unclear"),
        see=("accept", "error rate"),
    ),
    GlossaryEntry(
        "error rate", "error rate", "share of rejected among decided questions of a sample",
        "Only a random or stratified sample gives one; suspicious questions were picked.",
        "review", ("Error rate of all questions", "faulty", "looked at"),
        see=("Wilson", "random", "stratified"),
    ),
    GlossaryEntry(
        "Wilson", "Wilson interval", "95 percent interval of a share of few questions",
        "It stays within 0 and 100 and holds for small samples.", "review confusion",
        ("95 %, Wilson",), see=("interval",),
    ),
    GlossaryEntry(
        "how it was made", "how it was made", "the stages of a build that made the question",
        "Below it stand its versions and what reviewers have said so far.", "review",
        ("versions", "said so far", "source"), see=("stage", "version"),
    ),
)  # fmt: skip

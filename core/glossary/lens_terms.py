"""The lens: what all numbers are seen through."""

from core.glossary.glossary_entry import EVERYWHERE, GlossaryEntry

LENS = (
    GlossaryEntry(
        "lens", "lens", "model, thinking, graders, threshold and strategy of all numbers",
        "It stands at the right of the top bar and is the same on every screen. `=` gives the "
        "start values back.",
        EVERYWHERE, see=("model", "thinking", "graders", "tau", "strategy"),
    ),
    GlossaryEntry(
        "model", "model", "whose answers are looked at",
        "The name stands for one recipe: model id, endpoint, sampling and prompts.",
        EVERYWHERE, ("models", "all models", "the only model", "no model yet"),
        see=("recipe", "setting"),
    ),
    GlossaryEntry(
        "thinking", "thinking", "whether the model may reason before it answers",
        "The model's own reasoning mode where it has one, otherwise step-by-step prompting.",
        EVERYWHERE, ("reasoning", "off or on", "by thinking"), see=("off", "on", "off+on"),
    ),
    GlossaryEntry(
        "off", "thinking off", "answers given without reasoning",
        "E and K0 go by them.", EVERYWHERE, ("thinking off",), see=("on", "thinking"),
    ),
    GlossaryEntry(
        "on", "thinking on", "answers given after reasoning",
        "KT goes by them.", EVERYWHERE, ("thinking on",), see=("off", "thinking"),
    ),
    GlossaryEntry(
        "off+on", "thinking off and on", "both settings are shown; profiles need both anyway",
        "`t` steps through off, on and both. Profiles stay the same: they always use both.",
        EVERYWHERE, see=("thinking",),
    ),
    GlossaryEntry(
        "graders", "graders in their order", "the first of them that labelled an answer counts",
        "People stand first unless they are moved; `choice` stands last for multiple choice unless "
        "it is named. you›A+2 is people, grader A and two more. `g` sets the list.",
        EVERYWHERE,
        ("you›A", "you›A+2", "human › A", "then", "›", "labels here", "not in the list"),
        "then", ("you", "A", "choice"),
    ),
    GlossaryEntry(
        "grader", "grader", "a person or program that labels answers, with a version",
        "`lexical`, `exact` and `em` compare texts, `choice` reads options, `llm:MODEL` asks a "
        "model, `human:NAME` is a person; any other name was imported.",
        EVERYWHERE, ("lexical", "exact", "em", "human:*", "human"), see=("graders", "label"),
    ),
    GlossaryEntry(
        "imported scorer", "imported scorer", "a grader of another tool: its scores became labels",
        "`TOOL:SCORER`, as `inspect:match` or `lm-eval:exact_match`. 1 and C are CORRECT, 0 and I "
        "INCORRECT, what is between PARTIALLY. What it said of an answer is kept as rationale.",
        EVERYWHERE, ("scorer",), see=("grader", "source"),
    ),
    GlossaryEntry(
        "you", "your labels", "count before those of every program, unless moved",
        "All labels of people do, the newest first, where people stand in the list of graders. On "
        "Task the label of another person stands in brackets.",
        EVERYWHERE, ("human", "human:*", "people"), see=("graders", "your label"),
    ),
    GlossaryEntry(
        "A", "grader A", "the first of the graders that are compared",
        "Its labels count where it stands in the list of graders and none before it has labelled. "
        "In a comparison of models, A is the first side.",
        EVERYWHERE, ("A right",), see=("B", "graders"),
    ),
    GlossaryEntry(
        "B", "grader B", "the grader that A is compared with",
        "≠ and ± go by it. Its labels count only where it stands in the list of graders. Further "
        "ones are C and D. In a comparison of models, B is the second side.",
        EVERYWHERE, ("B right", "C", "D"), see=("A", "≠"),
    ),
    GlossaryEntry(
        "choice", "choice", "the grader of multiple choice; it needs no model",
        "It reads which option an answer names and stands last unless named earlier.",
        "facts task confusion", see=("mc", "graders"),
    ),
    GlossaryEntry(
        "tau", "threshold", "a question passes where more than this share of answers is right",
        "From 0 to below 1, at the start .50. `[` and `]` step through 0, .25, .50, .75, .90 and "
        ".99.",
        EVERYWHERE, ("τ", "threshold"), "tau", ("g", "pass"),
    ),
    GlossaryEntry(
        "strategy", "strategy for what is not gradable", "pair, fact or partial: which facts go",
        "Questions without a CORRECT or INCORRECT answer have no grade. The strategy says when "
        "that excludes a fact.",
        EVERYWHERE, ("not gradable",), see=("pair", "fact strategy", "partial", "NA"),
    ),
    GlossaryEntry(
        "pair", "strategy pair",
        "not gradable where all questions of a pair have no graded answer",
        "A fact is excluded if, for encoding off, direct off, reverse off, direct on or reverse "
        "on, all questions that it has in the pair are not gradable. The usual strategy.",
        EVERYWHERE, see=("strategy", "NA"),
    ),
    GlossaryEntry(
        "fact strategy", "strategy fact", "not gradable where one cell has no graded answer",
        "Stricter than `pair`: any cell of the fact without a CORRECT or INCORRECT answer excludes "
        "it.",
        EVERYWHERE, ("fact",), see=("strategy", "cell"),
    ),
    GlossaryEntry(
        "partial", "strategy partial", "as pair, and PARTIALLY counts in the grade by its weight",
        "The grade is (c + w p) / (c + i + p), with w the weight.",
        EVERYWHERE, see=("weight", "PARTIALLY"),
    ),
    GlossaryEntry(
        "weight", "partial weight", "what one PARTIALLY adds to a grade under `partial`",
        "At the start .51: a question with PARTIALLY answers alone passes at a threshold of .50.",
        EVERYWHERE, ("partial weight",), see=("partial",),
    ),
    GlossaryEntry(
        "policy", "policy", "threshold, strategy, weight and graders together",
        "A policy can be saved under a name and used on the command line with `--policy`.",
        "profiles", ("save policy",), see=("tau", "strategy", "graders"),
    ),
    GlossaryEntry(
        "start values", "start values", "the lens as it was when the database was opened",
        "`=` gives them back.", EVERYWHERE, ("= start values", "was", "as at the start"),
    ),
)  # fmt: skip

BAR = (
    GlossaryEntry(
        "▌", "cursor", "the row that keys act on",
        "It is strong in the pane that has the focus.", EVERYWHERE, ("cursor", ">"), "cursor",
    ),
    GlossaryEntry(
        "━", "share of a bar", "done, or that much of the whole; the rest is thin",
        "On an axis the heavy part is an interval or a gap.", EVERYWHERE, ("━", "─", "0", "1"),
        "bar",
    ),
    GlossaryEntry(
        "│", "grid line", "stands at 0, 25, 50, 75 and 100 percent of an axis",
        "Between parts of a bar it keeps them apart where colours do not.", "figures profiles",
        ("grid",), "grid",
    ),
    GlossaryEntry(
        "knob", "knob", "where the threshold stands between 0 and 1",
        "The notch beside it is where it was at the start.", "profiles", ("┼", "notch"), "knob",
        ("tau",),
    ),
    GlossaryEntry(
        "map", "map of the screens", "all screens by what one goes to them for; `ctrl+o`",
        "Those to read, those to judge on, the one that runs jobs; what waits on each, and the way "
        "that one came. A letter or digit goes there.",
        EVERYWHERE, ("Go to", "read", "judge", "run", "came from"), see=("commands",),
    ),
    GlossaryEntry(
        "commands", "commands", "all that keys do here, and more, found by typing; `ctrl+p`",
        "In the groups of help. Facts are found too, by title and id.", EVERYWHERE,
        ("palette", "Lists", "Lens, everywhere", "Place", "Everywhere"), see=("map",),
    ),
    GlossaryEntry(
        "nothing runs", "nothing runs", "no job runs in this program or another one",
        "The right end of the status line says what runs.", EVERYWHERE, see=("job",),
    ),
)  # fmt: skip

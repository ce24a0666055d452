"""Jobs: what is asked, graded and built, and how far it is."""

from core.glossary.glossary_entry import GlossaryEntry

COUNTS_OF_A_LAKE = "counts of a lake"
"""What is said where no answers are here, but numbers of those in a lake."""

JOBS = (
    GlossaryEntry(
        "job", "job", "something long: asking a model, grading, building, import, export",
        "Jobs are rows of the database: what was done is kept, and another program can go on.",
        "jobs", ("jobs", "profile", "import", "export"), see=("stage",),
    ),
    GlossaryEntry(
        "stage", "stage", "one step of a job, with its own counts",
        "Asking a model has a stage a setting, grading one a grader, a build one a step.",
        "jobs review", ("stages", "Stages"), see=("wait", "run", "done", "dropped", "failed"),
    ),
    GlossaryEntry(
        "wait", "waiting", "not begun yet", "Requests that a stage has still to make.",
        "jobs", ("waiting",), "waiting", ("run",),
    ),
    GlossaryEntry(
        "run", "running", "under way now", "Requests that wait for their answer.",
        "jobs", ("running", "begins"), "running", ("late",),
    ),
    GlossaryEntry(
        "done", "done", "done and stored", "What is done stays, whatever happens to the job.",
        "jobs", ("finished",), "done",
    ),
    GlossaryEntry(
        "plan", "plan", "what a model is to be asked, in files for engines elsewhere",
        "`requests` writes a folder of batch files; `collect` takes their answers in. Until then "
        "`sample` leaves its slots.",
        "jobs", ("request files", "requests", "manifest"), see=("out",),
    ),
    GlossaryEntry(
        "out", "out in files", "a plan is out: its answers are to come from engines elsewhere",
        "`enter` on Jobs shows the commands that answer it. Of its answers some are here, some "
        "missing (an engine lost them, the retry files ask again), some refused.",
        "jobs", ("Out", "here", "missing", "refused"), see=("plan",),
    ),
    GlossaryEntry(
        "paused", "paused", "begins nothing new until it is let go on",
        "`space` pauses a job and lets it go on.", "jobs", ("Paused", "stopped"), "paused",
    ),
    GlossaryEntry(
        "failed", "failed", "given up after all tries; R asks again",
        "A failed request is no answer. Its error is recorded.", "jobs", ("fail", "why"), "failed",
        ("dropped",),
    ),
    GlossaryEntry(
        "dropped", "dropped", "left out: filtered by a stage, or decided without it",
        "A build drops candidates that do not pass a stage; a curtailed run drops answers.",
        "jobs", see=("curtailed", "not asked"),
    ),
    GlossaryEntry(
        "rate", "rate", "how many a second, or a minute, get done",
        "The little columns show the rate of the last minutes.", "jobs", ("/s", "/min", "▁▃▅█"),
        "level-4",
    ),
    GlossaryEntry(
        "left", "time left", "how long the stage still takes at this rate",
        "Beside it stands when that is.", "jobs", ("ends about", "then it is graded"),
        see=("rate",),
    ),
    GlossaryEntry(
        "late", "late requests", "under way for over ten times the usual time",
        "The usual time is the median of the stage.", "jobs", ("10 x the median",), see=("run",),
    ),
    GlossaryEntry(
        "tokens", "tokens", "pieces of text read (in) and written (out), as the service counts",
        "Prices go by tokens.", "jobs", see=("cost",),
    ),
    GlossaryEntry(
        "cost", "cost", "what was spent so far, by the price list",
        "`at end` is what it will be at this rate.", "jobs", ("at end", "price not known"),
        see=("budget", "tokens"),
    ),
    GlossaryEntry(
        "budget", "budget", "what the job may cost; it stops before it would cost more",
        "Answers that come are kept.", "jobs", ("Stopped at",), see=("cost",),
    ),
    GlossaryEntry(
        "served", "served model", "the name that the service itself gives its model",
        "It is marked where it changes within a run.", "jobs", see=("recipe",),
    ),
    GlossaryEntry(
        "trouble", "trouble", "what went wrong in the job so far",
        "Errors by kind, requests that are slow, and the names by which its model was served.",
        "jobs", ("Trouble", "errors by kind", "slow requests", "models served"),
        see=("served", "late", "asked again"),
    ),
    GlossaryEntry(
        "asked again", "asked again", "requests in vain that are made again, by reason",
        "`waiting` says for how long a server has asked to be left alone. What stays in vain after "
        "all tries has failed.",
        "jobs", see=("failed", "trouble"),
    ),
    GlossaryEntry(
        "calls saved", "grading calls saved", "equal answers to a question share one call",
        "Each answer still gets its own label.", "jobs", ("equal answers share a call", "only"),
    ),
    GlossaryEntry(
        "just answered", "just answered", "the newest answers, with what they are about",
        "Their marks are the labels that they have got already.", "jobs",
    ),
    GlossaryEntry(
        "log", "log", "what happened, newest last; f chooses which lines",
        "`following` says that new lines come into sight by themselves. `warn` and `fail` stand "
        "before lines that matter.",
        "jobs", ("Log", "following", "warn", "diary", "since"),
    ),
    GlossaryEntry(
        "build", "build", "facts and questions made from documents, step by step",
        "Pages, entities, candidates, questions; then they are refined, filtered and checked.",
        "jobs", ("build questions",), see=("stage",),
    ),
    GlossaryEntry(
        "lake", "lake", "facts, answers and labels as folders of Parquet files",
        "For what one file cannot hold. `export lake` writes one, `collect --lake` fills one, "
        "`profiles --from LAKE` counts one.",
        "jobs", ("lakes", "Parquet"), see=("job", COUNTS_OF_A_LAKE),
    ),
    GlossaryEntry(
        COUNTS_OF_A_LAKE, COUNTS_OF_A_LAKE, "numbers of answers that lie in a lake, not here",
        "`import LAKE --format lake --counts-only` takes them in, under one list of graders. Only "
        "answers that fit a `--keep` are here, and can be read and labelled.",
        "facts task", ("counts", "kept answers"), "counted", ("lake",),
    ),
)  # fmt: skip

"""Audits: what a person decides fact by fact, and which doubts an interval carries."""

from core.glossary.glossary_entry import EVERYWHERE, GlossaryEntry

ALIGNED = (
    GlossaryEntry(
        "reference set", "reference set", "a random sample of answers that a person labels blind",
        "`lostkeys align draw` draws one. A fact's answers are all in one of three parts: on "
        "`tune` you look at misses and take examples, on `check` you choose among versions, and "
        "`final` is opened once.",
        EVERYWHERE, ("align", "tune", "check", "final", "stratum", "strata"),
        see=("rubric", "kappa", "audit"),
    ),
    GlossaryEntry(
        "rubric", "rubric", "rules and examples that a person adds to a grader's prompt",
        "`lostkeys align rubric` writes one, and every change of it is a version with its parent. "
        "With another rubric a model is another version of its grader.",
        EVERYWHERE, ("rubrics", "proposal", "draft"), see=("reference set",),
    ),
    GlossaryEntry(
        "misses", "misses", "answers that a grader labels otherwise than the person",
        "`lostkeys align misses` lists them, with the person's note and the grader's reason.",
        EVERYWHERE, ("miss", "discordant"), see=("reference set",),
    ),
    GlossaryEntry(
        "probe", "probe", "asks again where nothing that matters is different",
        "Once more alike, in reversed order, each answer alone, and with \"I think\" before it: "
        "the share of labels that change.",
        EVERYWHERE, ("probes", "hedged"), see=("reference set",),
    ),
    GlossaryEntry(
        "tag", "tag", "a person's short word on an answer, a question or a fact",
        "`lostkeys tags` counts them; `tag:NAME` of a filter finds facts by them. Only among the "
        "answers of a reference set is their share known.",
        EVERYWHERE, ("tags", "tagged", "tag:*"), see=("reference set",),
    ),
)  # fmt: skip

AUDITS = (
    GlossaryEntry(
        "audit", "audit", "whole facts, drawn at random, that a person labels blind",
        "Facts come in a seeded order; those on which two graders differ are three times as "
        "likely. What you decide tells what you would say of all facts. `v` on Confusion leads to "
        "it, `+` draws one, `lostkeys audit` does both in a shell.",
        "confusion profiles figures", ("person", "audits"),
        see=("settled", "as labelled", "kind"),
    ),
    GlossaryEntry(
        "settled", "settled", "no labels of its other answers could change the fact's state",
        "Then who answered, what graders say and the profile are shown, and the next fact comes. "
        "`audited` are the settled facts before the first that is not.",
        "confusion", ("audited", "enough", "left", "decided", "this fact",
                      "what was decided you, graders", "hidden until the fact is settled",
                      "facts", "this one"),
        see=("audit", "put off"),
    ),
    GlossaryEntry(
        "put off", "put off", "a fact that others go before; it stays the next of its audit",
        "`N` puts the fact off. Facts settled after it count once it is settled, too.",
        "confusion", see=("settled",),
    ),
    GlossaryEntry(
        "as graded", "as graded", "the number as the graders label these answers",
        "People's labels are left out. Its interval knows nothing of the graders' errors: scope "
        "`graded`.",
        "confusion profiles figures", ("graded", "o as graded", "scope graded"),
        see=("as labelled", "kind"),
    ),
    GlossaryEntry(
        "as labelled", "as a person labels", "the number as the person would label these answers",
        "Estimated from an audit. The heavy line is its interval, scope `here`: it holds with 95 % "
        "at every look, so one may stop as soon as it is narrow enough.",
        "confusion profiles figures",
        ("as labelled here", "as ada labels", "95 % at every look", "here", "wanted"),
        see=("as graded", "kind"),
    ),
    GlossaryEntry(
        "kind", "other facts", "where the number would lie for other facts of the kind",
        "Asked as often and labelled by the person: it carries the doubts of grading, of draws and "
        "of facts. The light line with ends is its interval, scope `kind`.",
        "confusion profiles figures", ("other facts", "new draws"),
        see=("as graded", "as labelled"),
    ),
    GlossaryEntry(
        "to ±", "to the width that is wanted", "how much an audit has left until a number stands",
        "In half of 40 futures, and in nine of ten, drawn from what was audited so far; decisions "
        "and minutes at your pace. `f` chooses the number and the width.",
        "confusion", ("points", "your pace", "nine times in ten", "to ± 3.0 on recall failure",
                      "±", "more weight"),
        see=("audit", "settled"),
    ),
    GlossaryEntry(
        "the text it was made from", "the text a fact was made from", "the source text of the fact",
        "Subject and object are marked in it.", "confusion", ("the text",),
    ),
)  # fmt: skip

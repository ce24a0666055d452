"""Figures: what each shows, and how it is read."""

from core.glossary.glossary_entry import GlossaryEntry

FIGURES = (
    GlossaryEntry(
        "figure", "figure", "a picture of an analysis, with the paper's number before its name",
        "`as in 15` names another figure of the paper that is drawn alike. `w` saves it.",
        "figures", ("Figures", "as in", "figures"), see=("panel",),
    ),
    GlossaryEntry(
        "panel", "panel", "one part of a figure with its own axis",
        "Its title stands above its column.", "figures", ("row", "series", "value", "note"),
    ),
    GlossaryEntry(
        "n", "facts counted", "how many facts or questions a number is over",
        "With two numbers, one for each of the two series.", "figures", see=("included",),
    ),
    GlossaryEntry(
        "k", "k of n answers", "at least k right answers of those drawn; or k answers drawn",
        "In availability: questions with at least k CORRECT answers. In bootstrap: how many "
        "answers are drawn a question.",
        "figures", ("at least k right", "k 1", "k 8"), "level-7",
        see=("availability", "bootstrap"),
    ),
    GlossaryEntry(
        "stored", "stored", "encoded: E holds", "Figures about recall count encoded facts.",
        "figures", ("not stored", "stored facts", "stored, but not known"), see=("E",),
    ),
    GlossaryEntry(
        "recalled, if stored", "recall rate", "of encoded facts, those known without thinking",
        "The mean of K0 over facts with E.", "figures",
        ("stored facts that are known", "known", "recalled"), see=("stored", "K0"),
    ),
    GlossaryEntry(
        "profiles figure", "profiles", "figure 4: shares of the five profiles, a bar a model",
        "Over included facts.", "figures", ("profiles",), see=("profile",),
    ),
    GlossaryEntry(
        "hollow bar", "hollow bar", "shares of fewer than 20 facts, drawn as lines",
        "The n stands at its end, or in a column of its own.", "figures", ("hollow",), "from",
        see=("profile",),
    ),
    GlossaryEntry(
        "trends", "trends", "figure 12: each profile, from the model that knows least to most",
        "Models are sorted by DR+RT+IE, which the figure calls known with a profile.", "figures",
        ("models from least to most known with a profile",), see=("DR+RT+IE",),
    ),
    GlossaryEntry(
        "threshold figure", "threshold", "figure 17: profiles under six thresholds",
        "0, .25, .50, .75, .90 and .99, each with its shares of the five profiles.", "figures",
        ("other thresholds",), see=("tau",),
    ),
    GlossaryEntry(
        "popularity", "popularity", "figure 5: rare against popular facts",
        "Encoded and recalled facts of the lowest and the highest fifth by page views.", "figures",
        ("why recall fails",), see=("tier", "stored"),
    ),
    GlossaryEntry(
        "direction", "direction", "figure 6: asked for the object, or back for the subject",
        "Facts known in one direction: every gradable question of the pair passes.", "figures",
        see=("direct", "reverse"),
    ),
    GlossaryEntry(
        "errors", "errors", "figure 13: which direction fails where a fact is not known",
        "D: only direct fails, R: only reverse, B: both. Thinking off.", "figures",
        ("D", "R", "only direct fails", "only reverse fails", "both fail",
         "all facts not known"),
        see=("direction",),
    ),
    GlossaryEntry(
        "phrasing", "phrasing", "appendix B.3: high-verbatim against natural questions",
        "Questions that pass in one phrasing only, with an exact McNemar test.", "figures",
        ("high-verbatim only", "passes in natural words only"),
        see=("high-verbatim", "paired exact test"),
    ),
    GlossaryEntry(
        "thinking figure", "thinking", "figure 7: recall of stored facts, without and with it",
        "The gain is KT without K0, over facts with E.", "figures",
        ("what thinking does", "gain"), see=("K0", "KT"),
    ),
    GlossaryEntry(
        "recovery", "recovery", "figure 8: facts that only thinking finds",
        "Of facts that are not known without thinking, those known with it; stored and not "
        "stored apart.",
        "figures", ("recovered by thinking", "recovers"), see=("KT",),
    ),
    GlossaryEntry(
        "availability", "availability", "figure C.4: questions with at least k right answers",
        "Over questions with the most common number of labels.", "figures", see=("k",),
    ),
    GlossaryEntry(
        "confusion figure", "confusion", "figure 14: labels of two graders, crossed",
        "A down, B across, with agreement, kappa and alpha.", "figures",
        ("down", "across", "method"), see=("agreement", "kappa"),
    ),
    GlossaryEntry(
        "bootstrap", "bootstrap", "figure 18: how the spread shrinks with more answers",
        "k labels a question are drawn again with replacement, a thousand times with a recorded "
        "seed; the width is from the 5th to the 95th percentile.",
        "figures", ("width in points", "answers drawn"), see=("k", "interval"),
    ),
    GlossaryEntry(
        "dataset", "dataset", "figures 9 to 11: what the facts are",
        "The share of the facts with each topic, type of object and year of the page; no answer "
        "is needed.",
        "figures", ("the facts", "page made in", "type of the object"),
    ),
    GlossaryEntry(
        "quality", "quality", "figure A.4: questions that every model fails",
        "A grade of at most .50 in every model and setting with labels, whatever the threshold "
        "is.",
        "figures", ("every model fails", "%"), see=("suspicious",),
    ),
    GlossaryEntry(
        "triples and exemplars", "figures of triples",
        "exact match of arms by groups, and with false exemplars",
        "The numbers before their names are the paper's, after a B. They are of 10-shot arms, "
        "over the split that Bench begins with. No threshold and no grader changes them.",
        "figures", ("counterfactual exemplars", "true exemplars", "drop in points", "regular"),
        see=("Bench", "exemplar"),
    ),
)  # fmt: skip

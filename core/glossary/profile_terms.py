"""Profiles, what they are made of, and the shares that follow."""

from core.glossary.glossary_entry import GlossaryEntry

_CODES = "facts task profiles confusion figures"

CODES = (
    GlossaryEntry(
        "DR", "direct recall", "the key is at hand",
        "The fact is encoded (E) and known without thinking (K0). Whether thinking would know it "
        "too does not matter.",
        _CODES, ("direct_recall",), see=("E", "K0", "RT"), word="direct",
    ),
    GlossaryEntry(
        "RT", "recall with thinking", "found after a search",
        "The fact is encoded (E) and not known without thinking (K0), but it is known with "
        "thinking (KT).",
        _CODES, ("recall_with_thinking",), see=("E", "K0", "KT"),
        brief="with thinking", word="thinking",
    ),
    GlossaryEntry(
        "IE", "inference without encoding", "worked out, not stored",
        "The fact is not encoded (E) and not known without thinking (K0), yet it is known with "
        "thinking (KT).",
        _CODES, ("inference_without_encoding",), see=("E", "KT", "DI"),
        brief="no encoding", word="inferred",
    ),
    GlossaryEntry(
        "RF", "recall failure", "lost key: stored, but out of reach",
        "The fact is encoded (E), but it is known neither without thinking (K0) nor with it (KT).",
        _CODES, ("lost key", "recall_failure"), see=("E", "K0", "KT"), word="recall",
    ),
    GlossaryEntry(
        "EF", "encoding failure", "empty shelf",
        "The fact is neither encoded (E) nor known, without thinking (K0) or with it (KT).",
        _CODES, ("encoding_failure",), see=("E", "K0", "KT"), word="encoding",
    ),
    GlossaryEntry(
        "NA", "not gradable", "no profile: nothing right or wrong was said",
        "The strategy excludes the fact, as questions that it needs have neither a CORRECT nor an "
        "INCORRECT answer. The fact is complete, but stands in no share.",
        _CODES, ("excluded", "excluded_nan", "nan"), see=("strategy", "excl", "g"),
    ),
    GlossaryEntry(
        "DI", "direct inference", "known at once, yet not stored: no profile",
        "The fact is known without thinking (K0) and not encoded (E). It has no profile. It counts "
        "as known in `know` and `kn+T`, but not among the included facts.",
        _CODES, ("direct_inference",), see=("E", "K0", "excl"),
    ),
    GlossaryEntry(
        "··", "incomplete", "questions, answers or labels are missing",
        "A pair of questions is missing, or a cell of the fact has no label yet. Such facts are "
        "counted apart and stand in no share.",
        _CODES, ("missing",), see=("cell", "…"),
    ),
    GlossaryEntry(
        "RJ", "rejected fact", "a question of it was rejected: in no total",
        "A reviewer has rejected one of its questions. The fact is listed only where rejected "
        "facts are asked for.",
        "facts review", ("rejected facts",), see=("reject",),
    ),
    GlossaryEntry(
        "EK", "encoded, known", "thinking not measured",
        "The model has no answer with thinking, so there are no profiles. This fact is encoded (E) "
        "and known (K0).",
        _CODES, see=("E", "K0", "thinking"),
    ),
    GlossaryEntry(
        "E-", "encoded, not known", "thinking not measured",
        "The model has no answer with thinking, so there are no profiles. This fact is encoded (E) "
        "and not known (K0).",
        _CODES, see=("E", "K0", "thinking"),
    ),
    GlossaryEntry(
        "-K", "known, not encoded", "thinking not measured",
        "The model has no answer with thinking, so there are no profiles. This fact is known (K0) "
        "and not encoded (E).",
        _CODES, see=("E", "K0", "thinking"),
    ),
    GlossaryEntry(
        "--", "neither encoded nor known", "thinking not measured",
        "The model has no answer with thinking, so there are no profiles. This fact is neither "
        "encoded (E) nor known (K0).",
        _CODES, see=("E", "K0", "thinking"),
    ),
)  # fmt: skip
"""Codes of facts, from known to unknown, then those without a profile."""

PARTS = (
    GlossaryEntry(
        "E", "encoded", "some completion or contextual question passes, thinking off",
        "The model can finish the source text or answer with the text before the fact in sight: "
        "some gradable question of completion or contextual passes the threshold, thinking off.",
        "facts task profiles confusion", ("encodes",), see=("enc", "tau", "completion"),
    ),
    GlossaryEntry(
        "K0", "known", "every gradable question of knowledge passes, thinking off",
        "Every gradable question of the four open tasks direct, direct natural, reverse and "
        "reverse natural passes the threshold, thinking off.",
        "facts task profiles confusion", ("knows",), see=("know", "KT", "tau"),
    ),
    GlossaryEntry(
        "KT", "known by thinking", "every gradable question of knowledge passes, thinking on",
        "The same as K0 over the answers with thinking on. It is empty for a model that has none.",
        "facts task profiles confusion", ("by thinking",), see=("K0", "kn+T", "thinking"),
    ),
    GlossaryEntry(
        "profile", "knowledge profile", "one of five: what a model has of a fact, and can use",
        "A profile follows from whether the model encodes the fact (E), knows it without thinking "
        "(K0) and knows it with thinking (KT).",
        "facts task profiles confusion figures", ("profiles", "knowledge profiles", "verdict"),
        see=("DR", "RT", "IE", "RF", "EF"),
    ),
)  # fmt: skip

SHARES = (
    GlossaryEntry(
        "enc", "encodes", "of included: RF, DR and RT, what the model has encoded",
        "The share of included facts that the model encodes. For a model without thinking it is "
        "the share of complete, gradable facts with E.",
        "profiles", ("encodes",), see=("E", "included"),
    ),
    GlossaryEntry(
        "know", "knows", "of included: DR and direct inference, known without thinking",
        "The share of included facts that the model knows without thinking. Direct inference "
        "counts above the line and not below it, so the share may exceed 100 in tiny data.",
        "profiles", ("knows",),
        see=("K0", "DI", "included"),
    ),
    GlossaryEntry(
        "mean g", "mean question grade", "the mean grade of one task's gradable questions",
        "Of the lens's model, task by task, with thinking off and on, where there are five models "
        "at most. Questions that are not gradable are left out. It is green where it is above "
        "the threshold.",
        "profiles", ("Tasks", "by task", "mean grade"), see=("g", "tau", "NA"),
    ),
    GlossaryEntry(
        "failing questions", "which questions fail where it is stored",
        "encoded facts that are not known at once, by the pair that fails",
        "Facts with E and without K0, thinking off. A pair fails where a gradable question of it "
        "does not pass. Multiple choice passes where all of its gradable questions do.",
        "profiles",
        (
            *("direct fails, reverse passes", "reverse fails, direct passes", "both fail"),
            "of these multiple choice passes",
        ),
        see=("E", "K0", "pass"),
    ),
    GlossaryEntry(
        "next", "next steps", "what can be done next here, each with its key",
        "They follow from what is chosen and from what is missing: answers, thinking, a second "
        "grader, another model.", "profiles", ("Next",), see=("segment",),
    ),
    GlossaryEntry(
        "kn+T", "knows with thinking",
        "of included: DR, RT, IE, direct inference; known, if it may think",
        "The share of included facts that the model knows without thinking (K0) or with it (KT). "
        "It counts DR, RT, IE and direct inference; what is only stored (RF) or absent (EF) is the "
        "rest. It may exceed 100 in tiny data.",
        "profiles", ("knows +T", "knows_thinking", "+thinking"),
        see=("K0", "KT", "excl", "tau"), brief="knows, or with thinking",
    ),
    GlossaryEntry(
        "DR+RT+IE", "known with a profile", "of included: the three profiles that are known",
        "The share of included facts with one of the three known profiles. The paper calls it "
        "Knows in figures 4, 12 and 17. `kn+T` is more by direct inference.",
        "figures", see=("DR", "RT", "IE", "kn+T"),
    ),
    GlossaryEntry(
        "excl", "excluded", "no profile: not gradable, or known without being encoded",
        "The share of complete facts that have no profile: those that are not gradable (NA) and "
        "direct inference (DI). Incomplete facts are in neither number.",
        "profiles figures", ("excluded", "excluded_share", "without a profile"),
        see=("NA", "DI", "included"),
    ),
    GlossaryEntry(
        "included", "included facts", "complete facts with one of the five profiles",
        "All facts but incomplete ones, those that are not gradable and direct inference. The "
        "five shares and the three rates are over them.",
        "profiles figures", ("facts with a profile",), see=("excl", "··"),
    ),
    GlossaryEntry(
        "facts", "facts in the bar", "how many facts the bar counts",
        "The facts that the parts of a bar count together: the included ones, or, for a model "
        "without thinking, the complete and gradable ones.",
        "profiles", see=("included", "fact"),
    ),
    GlossaryEntry(
        "bar", "bar of shares", "profiles as shares of the included facts, in one order",
        "The parts stand from known to unknown, each with its code and its share in percent where "
        "there is room. The part in brackets is the chosen segment.",
        "profiles figures", see=("segment", "thin line"),
    ),
    GlossaryEntry(
        "segment", "segment", "one part of a bar; its facts open with enter",
        "A profile of one row, or what is excluded from it. The pane below says how many facts it "
        "has and of how many.",
        "profiles", ("[ ]", "with A", "with B", "that are"), see=("bar",),
    ),
    GlossaryEntry(
        "on one answer", "stands on one answer",
        "another label of one of its answers would make its code another",
        "Such a fact is the first to look at: one wrong label is enough. Any label may become any "
        "other; an answer without a label stays so. It is counted of the chosen segment where "
        "there is one model only, most frequent other code first.",
        "profiles",
        ("stand on one answer", "stands on one answer", "another label would make them",
         "another label would make it"),
        see=("segment", "label", "≠"),
    ),
    GlossaryEntry(
        "thin line", "start of the bar", "the thin line under a bar: the shares at the start",
        "While a setting of the lens differs from its start value, the thin line shows where the "
        "bar was, and the row says by how many points its shares differ.",
        "profiles", ("at the start", "top bar now", "was", "thin line at"), "thin",
        ("start values",),
    ),
    GlossaryEntry(
        "not measured", "thinking not measured", "hatched: a model without answers with thinking",
        "The bar of a model without thinking is hatched: encoded and known, encoded only, known "
        "only, neither.",
        "profiles", ("hatched", "▒"), "hatch", ("EK", "E-", "-K", "--"),
    ),
    GlossaryEntry(
        "diff", "difference in points", "now less the start, in points of a hundred",
        "A share now minus the same share at the start, signed, in points: 42.3 after 40.0 is "
        "+2.3.",
        "profiles", ("difference", "points", "−"), see=("thin line", "start values"),
    ),
    GlossaryEntry(
        "moved", "moved facts", "facts with another code than at the start",
        "The facts of a row whose verdict is another one under the present lens than under the "
        "start values.",
        "profiles", ("M lists them",), see=("start values",),
    ),
    GlossaryEntry(
        "interval", "interval", "where the number would lie for other facts of the same kind",
        "It holds that number 95 times in 100, as the graders label: their errors are not in it. "
        "Each fact has draws of its own, so those are.",
        "profiles confusion review figures",
        ("95%", "95 %", "±", "half of the 95% interval", "95% intervals", "low", "high",
         "as graded", "over facts", "intervals"),
        see=("Wilson",),
    ),
    GlossaryEntry(
        "!", "doubtful", "something about this model makes its numbers doubtful",
        "The line below says what: labels of another grader than for the others, answers without "
        "a marker, reasoning in a setting that is off.",
        "profiles", ("doubt",), see=("…",),
    ),
    GlossaryEntry(
        "rows", "rows", "models, or one model's facts by topic, type or popularity tier",
        "What the bars are: all models, or the facts of the lens's model in groups.",
        "profiles", ("by topic", "by type", "by tier", "topics", "types", "tiers", "models"),
        see=("tier", "topic"),
    ),
    GlossaryEntry(
        "▼ ▲", "order of rows", "what the rows are sorted by, highest or lowest first",
        "The arrow points down where the highest, or the last letter, stands first. `s` goes to "
        "the next order.",
        "facts profiles",
        ("▼", "▲", "sort", "by", "coming", "name", "match", "imported", "differs"),
    ),
    GlossaryEntry(
        "none", "none", "in a comparison: facts without a profile on that side",
        "Facts that are not gradable, direct inference or incomplete for one of the two sides.",
        "profiles", see=("NA", "DI", "··"),
    ),
    GlossaryEntry(
        "all A", "all of A, all of B", "totals of a row (A) and of a column (B)",
        "The last column counts a row over all columns, the last row a column over all rows.",
        "profiles confusion", ("all B", "A, B", "A ▼", "B →", "↓", "A ↓"),
    ),
    GlossaryEntry(
        "Numbers", "numbers of a comparison", "eight shares on both sides, and what differs",
        "Shares of the five profiles and the three rates for both sides, over the facts that both "
        "have complete, with the difference in points and its interval.",
        "profiles", ("facts compared", "with another profile", "with another E or K0"),
        see=("B−A", "paired exact test"),
    ),
    GlossaryEntry(
        "B−A", "difference of the sides", "B's share less A's, in points",
        "Positive where B has more. Beside it stands the interval of the difference, at the level "
        "of the test.",
        "profiles", see=("interval",),
    ),
    GlossaryEntry(
        "A only", "on one side only", "facts that count for one side and not for the other",
        "The facts that make the difference; the paired test looks at how uneven they are.",
        "profiles", ("B only", "fact differs", "facts differ"), see=("paired exact test",),
    ),
    GlossaryEntry(
        "paired exact test", "exact McNemar test",
        "whether the split of facts that differ is chance",
        "The exact two-sided binomial test of the facts that differ. p is adjusted over all tests "
        "of the table (Benjamini-Yekutieli); at most .05 is more than chance.",
        "profiles figures",
        ("p", "may be chance", "more than chance", "no fact differs", "uneven", "may be even",
         "all tests adjusted together", "McNemar"),
        see=("A only",),
    ),
)  # fmt: skip

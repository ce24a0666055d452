"""Labels of answers, grades of questions, and the marks that stand for them."""

from core.glossary.glossary_entry import EVERYWHERE, GlossaryEntry

_MARKS = "facts task confusion review"

LABELS = (
    GlossaryEntry(
        "CORRECT", "correct", "the answer names the gold answer",
        "A grader's label of one answer.",
        f"{_MARKS} figures jobs", ("●", "right"), "CORRECT", ("g", "INCORRECT"),
    ),
    GlossaryEntry(
        "INCORRECT", "incorrect", "the answer names something else than the gold",
        "A grader's label of one answer. Any substantive answer that does not match is INCORRECT.",
        f"{_MARKS} figures jobs", ("x", "wrong"), "INCORRECT", ("g", "OTHER"),
    ),
    GlossaryEntry(
        "PARTIALLY", "partially", "right, but coarser than the gold or not quite all of it",
        "A grader's label of one answer. It counts in a grade only with the strategy `partial`, by "
        "its weight.",
        f"{_MARKS} figures jobs", ("≈",), "PARTIALLY", ("weight", "partial"),
    ),
    GlossaryEntry(
        "OTHER", "other", "neither gives the gold nor contradicts it",
        "A grader's label of one answer: no answer, a refusal, a question back. It counts in no "
        "grade.",
        f"{_MARKS} figures jobs", ("o",), "OTHER", ("g", "NA"),
    ),
    GlossaryEntry(
        "label", "label", "a grader's judgement of one answer: one of four",
        "CORRECT, INCORRECT, PARTIALLY or OTHER. Several graders may label the same answer, and "
        "nothing is overwritten.",
        "facts task confusion jobs", ("labels", "grade"),
        see=("CORRECT", "INCORRECT", "PARTIALLY", "OTHER", "grader"),
    ),
    GlossaryEntry(
        "x●", "A, then B", "two marks of one answer: A's label, then B's, as they differ",
        "They are tinted and underlined. Where there is no room for both, A's stands alone, "
        "underlined.",
        "facts task", ("A, then B", "●x"), see=("A", "B"),
    ),
    GlossaryEntry(
        "no label", "no label yet", "drawn, and not labelled by a grader of the lens",
        "Another grader may have labelled it.", f"{_MARKS} jobs", ("no label yet",),
        "unlabelled", ("graders",),
    ),
    GlossaryEntry(
        "no grade", "grader failed", "the grader failed on this answer; it is asked again",
        "The reply could not be parsed, was a refusal, or the request failed. These are states of "
        "the grading, never labels.",
        _MARKS, ("grader failed", "unparsed", "refused"), "ungraded",
    ),
    GlossaryEntry(
        "not asked", "not asked", "the question was decided without this answer",
        "A curtailed run leaves out what cannot change the outcome any more.",
        "facts task review jobs", ("dropped", "cancelled"), "undrawn", ("curtailed",),
    ),
    GlossaryEntry(
        "≠", "graders differ, profile at stake",
        "taking B's label for one answer changes the profile",
        "A and B differ on an answer of this fact, and B's label in place of A's, for that answer "
        "alone, would change its verdict.",
        "facts confusion", ("graders differ", "at stake", "profile at stake"), "at-stake",
        ("±", "prof"),
    ),
    GlossaryEntry(
        "±", "graders differ, profile safe", "A and B differ, and no single label of B changes it",
        "A and B differ on an answer of this fact; the verdict stays with either label.",
        "facts", ("profile safe", "the verdict stays either way"), "differs", ("≠",),
    ),
    GlossaryEntry(
        "Δ", "edited", "a question of this fact was edited",
        "In figures Δ is the gap between two numbers, in points.",
        "facts review figures", ("edited", "gap", "gap in points", "gain in points"), "edited",
        ("version",),
    ),
    GlossaryEntry(
        "*", "flagged", "somebody wants to look at this fact again",
        "`x` flags a fact and takes the flag away.", "facts task confusion", ("flagged", "flag"),
        "flagged",
    ),
    GlossaryEntry(
        "†", "note", "somebody has written a note to a label of this fact",
        "`n` writes one.", "facts task confusion review", ("note", "noted"), "noted",
    ),
)  # fmt: skip

GRADES = (
    GlossaryEntry(
        "g", "question grade", "CORRECT over CORRECT and INCORRECT, 0 to 1",
        "The grade of a question in one setting: the share of CORRECT among its CORRECT and "
        "INCORRECT answers. With neither, the question is not gradable. In the table of agreement, "
        "g counts disagreements that change a question's state.",
        "facts task confusion", ("grade", ".50", "g"), see=("tau", "NA", "weight"),
    ),
    GlossaryEntry(
        "pass", "pass or fail", "a question passes where its grade is above the threshold",
        "A grade equal to the threshold fails. A question that is not gradable does neither.",
        "task confusion review figures", ("passes above", "fails", "fail", "pass"),
        see=("g", "tau"),
    ),
    GlossaryEntry(
        "–", "none", "there is no number: nothing to divide by, or nothing measured",
        "0 of 0 is no share.", EVERYWHERE, ("null",),
    ),
    GlossaryEntry(
        "…", "provisional", "labels or answers that the number needs are still to come",
        "A cell has fewer labels than answers, or is still being drawn. At the end of a word, … "
        "stands for what there is no room for.",
        EVERYWHERE, ("provisional", "labels are still to come"), see=("··", "cell"),
    ),
    GlossaryEntry(
        "your label", "your label", "what you decide about an answer",
        "It counts before the labels of programs, unless the list of graders says otherwise. The "
        "four keys c i p o set it, `backspace` withdraws it. Beside each stands what it would do.",
        "task confusion review",
        ("your decision", "you", "stays", "becomes", "changes nothing"), see=("you", "g"),
    ),
    GlossaryEntry(
        "curtailed", "curtailed run", "draws only answers that can still change the outcome",
        "It holds for one policy. Under another one its open questions are undecided and their "
        "facts incomplete.",
        "facts task jobs", ("skipped", "undecided"), see=("not asked", "policy"),
    ),
)  # fmt: skip

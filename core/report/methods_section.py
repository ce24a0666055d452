"""What the numbers of a report mean, in short sentences.

Source: Calderon et al., sections 4 and 5, appendices A.4, B and C; semantics sections 3 to 7.
"""

from core.scoring.policy import Policy
from core.vocabulary import Strategy

_STRATEGIES = {
    Strategy.PAIR: "A fact is excluded as not gradable if in one of its pairs of questions "
    "(encoding, direct and reverse without thinking, direct and reverse with it) none is gradable.",
    Strategy.FACT: "A fact is excluded as not gradable if any one of its profiling questions is "
    "not gradable.",
    Strategy.PARTIAL: "A fact is excluded as not gradable if in one of its pairs of questions none "
    "is gradable; a PARTIALLY counts {weight} of a right answer.",
}


def methods(policy: Policy, intervals: bool) -> list[str]:
    """One paragraph each on asking, grading, profiles, exclusion, intervals."""
    strategy = _STRATEGIES[policy.strategy].format(weight=f"{policy.weight:g}")
    found = [
        "Each fact is asked about in up to ten ways: two that continue its source text "
        "(encoding), four open questions (direct and reverse, each in the words of the source and "
        "in natural words), and the same four with options. Each question is asked several times, "
        "with thinking off and, where the model was so asked, on.",
        "Each answer carries a label: CORRECT, INCORRECT, PARTIALLY, or OTHER where it neither "
        "gives nor contradicts the gold answer. Where several graders labelled one answer, the "
        "first in the order of the policy counts. An answer with options is labelled by the option "
        "that it chooses.",
        "A question's grade g is the share of CORRECT among its CORRECT and INCORRECT answers; "
        "without either it is not gradable. A question passes if g is above the threshold, here "
        f"{policy.tau:g}.",
        "A fact is stored (E) if some gradable encoding question passes. It is known (K0) if every "
        "gradable open question passes without thinking, and known with thinking (KT) if every one "
        "does with thinking.",
        "Direct recall: E and K0. Recall with thinking: E and KT, not K0. Inference without "
        "encoding: KT alone. Recall failure: E alone. Encoding failure: none of the three. K0 "
        "without E is direct inference: it has no profile, and is counted apart.",
        strategy + " A fact is incomplete if it lacks a pair of questions, or a question lacks "
        "labels. Facts that a review rejected are in no number.",
        "Shares of profiles, and the rates encodes, knows and knows with thinking, are of the "
        "facts that have a profile. Popularity compares the fifth of the facts with the fewest "
        "page views with the fifth with the most.",
        "Wordings are compared by exact two-sided McNemar tests, adjusted after Benjamini and "
        "Yekutieli. Agreement is the share of equal labels, Cohen's kappa and Krippendorff's alpha "
        "set it against chance; their intervals hold with 95 % confidence, taking facts for "
        "what was drawn.",
    ]
    if intervals:
        found.append(
            "Intervals of shares are of 95 %, Wilson's, and normal ones for gaps and rates. They "
            "are of shares as graded: other facts of the kind, each with draws of its own, would "
            "give other numbers. Errors of the graders are not in them."
        )
    return found

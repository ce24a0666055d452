"""What models know where nobody asks: figures, and words of the Latent screen."""

from core.glossary.entry import GlossaryEntry

LATENT_FIGURES = (
    GlossaryEntry(
        "when nobody asks", "figures of scores",
        "figures of ZP-LKE: how probable the right object is, unasked",
        "The numbers before their names are the paper's, after a Z; ZT is one of its tables. No "
        "threshold and no grader changes them.",
        "figures", see=("figure",),
    ),
    GlossaryEntry(
        "zp-accuracy", "accuracy by relation", "how much each model knows of each relation",
        "The share of facts whose object is the most probable of its options, with chance below.",
        "figures", see=("when nobody asks",),
    ),
    GlossaryEntry(
        "zp-models", "models by accuracy", "which model knows most, over relations",
        "Means over relations; bars are their standard deviation.",
        "figures", see=("zp-accuracy",),
    ),
    GlossaryEntry(
        "zp-relations", "relations by accuracy", "which relation is known best, over models",
        "Means over models; bars are their standard deviation.",
        "figures", see=("zp-accuracy",),
    ),
    GlossaryEntry(
        "zp-at-k", "accuracy at k", "how often a model that is sure is right",
        "Accuracy among facts whose most probable option has at least k.",
        "figures", see=("zp-accuracy",),
    ),
    GlossaryEntry(
        "zp-subsumption", "subsumption", "how much of one model's knowledge another has",
        "Of the facts that the row's model knows, the share that the column's knows too.",
        "figures", see=("zp-accuracy",),
    ),
    GlossaryEntry(
        "zp-correlation", "correlation", "whether two models know the same relations well",
        "Pearson's r of their accuracies over relations.",
        "figures", see=("zp-accuracy",),
    ),
    GlossaryEntry(
        "zp-agreement", "agreement of models", "whether two models know the same facts",
        "The share of facts that both know, or neither.",
        "figures", ("ZA",), see=("zp-accuracy",),
    ),
    GlossaryEntry(
        "zp-sweep", "accuracy by examples", "how many examples it takes",
        "Accuracy after so many examples; bands are the standard deviation over seeds.",
        "figures", see=("zp-accuracy",),
    ),
    GlossaryEntry(
        "zp-positions", "places of a long input", "what wrong and unknown examples do",
        "The object's own probability at each place of one long input.",
        "figures", see=("zp-accuracy",),
    ),
    GlossaryEntry(
        "zp-forms", "forms of input", "whether a prompt does better than none",
        "Accuracy of each form in both tests: options, and a response of ten tokens.",
        "figures", see=("zp-accuracy",),
    ),
)  # fmt: skip

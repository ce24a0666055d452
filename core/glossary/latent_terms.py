"""What models know where nobody asks: figures, and words of the Latent screen."""

from core.glossary.glossary_entry import GlossaryEntry

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
        "The share of facts whose object is the most probable of its options, as a map: models are "
        "columns, family by family, and relations rows, the best known first.",
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
        "zp-pairs", "pairs of models", "what tuning and size do to what a model knows",
        "Accuracies of a base model and of what was tuned from it, and of the smallest and the "
        "largest of a family, on the facts that both have scores of.",
        "figures", see=("zp-accuracy", "zp-subsumption"),
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

LATENT = (
    GlossaryEntry(
        "Latent", "latent knowledge", "what a model knows where nobody asks it anything",
        "Pairs of one relation stand in a row, then a subject alone. The object is known if it is "
        "the most probable of its options (ZP-LKE). No question is worded.",
        "latent", ("zero-prompt", "zero", "ZP-LKE", "known without a question"),
        see=("relation", "option", "when nobody asks"),
    ),
    GlossaryEntry(
        "Z", "zero-prompt", "whether the object is the most probable one, unasked",
        "After 50 examples of the relation, among 100 options. The mark stands where methods "
        "contradict: EF or RF though it is known so, DR though it is not.",
        "facts latent", ("zp", "methods part", "by zero-prompt"), see=("Latent", "EF", "RF", "DR"),
    ),
    GlossaryEntry(
        "relation", "relation", "what a subject and its object have to do with each other",
        "A fifth of its subjects are examples, the others are asked about; their objects are the "
        "options of each other.",
        "latent", ("Relations", "relations",), see=("fact",),
    ),
    GlossaryEntry(
        "right", "accuracy", "of facts with scores, those whose object is the most probable",
        "Facts of which a log probability is missing have failed and are not counted.",
        "latent", ("accuracy",), see=("Latent",),
    ),
    GlossaryEntry(
        "input", "input", "what is sent: examples, then a subject, and nothing after it",
        "Altered examples stand out: those with a wrong object, and those that were invented. "
        "`y` copies it to the letter, `space` shows all of it.",
        "latent", ("the end of", "all of", "examples", "example", "altered", "no examples", "n"),
        see=("wrong object",),
    ),
    GlossaryEntry(
        "wrong object", "altered example", "an example with another object, or an invented person",
        "As an injection such as `unknown:40:block` has them sent, to see what they do.",
        "latent", ("invented",), see=("input",),
    ),
    GlossaryEntry(
        "option", "option", "an object that might follow; 100 of a relation, one of them right",
        "None of the others is right for the subject. They are the same for every model.",
        "latent", ("options", "most probable", "objects", "others together"), see=("p gold",),
    ),
    GlossaryEntry(
        "p gold", "probability of the gold", "how probable the right object is among the options",
        "The probabilities of all options sum up to 1. Beside each stands its log probability, "
        "summed over its tokens. Screens and JSON have it from 0 to 1, tables of commands in %.",
        "latent", ("p",), see=("option", "mass"),
    ),
    GlossaryEntry(
        "mass", "mass of the options", "what all options together have of the model's probability",
        "The sum of their probabilities before these are brought to a sum of 1: how far the model "
        "expects one of them at all. Above 1 some options begin others, and such a fact counts as "
        "overlapping. From 0 to 1 on screens and in JSON, in % in tables of commands.",
        "latent", ("overlapping",), see=("p gold",),
    ),
    GlossaryEntry(
        "rank", "rank of the gold", "how many options are at least as probable, the gold included",
        "1 is known. A tie counts against the gold.", "latent", see=("p gold",),
    ),
    GlossaryEntry(
        ">", "predicted", "the option that the model holds most probable",
        "Where it is the gold, the fact is known.", "latent", ("predicted",), "chosen",
        see=("option",),
    ),
    GlossaryEntry(
        "says", "response", "how the model continues the input, ten tokens long",
        "It is right where the object stands in it, at no side a part of a word.",
        "latent", ("response",), see=("Latent",),
    ),
    GlossaryEntry(
        "by number of examples", "number of examples", "the gold after more and fewer examples",
        "`[` and `]` show all numbers after fewer and after more. Beside it stand other forms.",
        "latent", ("form",), see=("input",),
    ),
    GlossaryEntry(
        "models side by side", "models side by side", "the gold's rank in every model",
        "With what each predicts, and its verdict by questions. `m` chooses the model of the "
        "screen, `v` shows relations with models as columns.",
        "latent", ("models differ", "models that differ first", "differ"), see=("rank",),
    ),
    GlossaryEntry(
        "left out", "left out", "not asked about: too few examples, or too few options",
        "It is said before anything is asked, with the number that would do.",
        "latent", see=("relation", "option"),
    ),
)  # fmt: skip

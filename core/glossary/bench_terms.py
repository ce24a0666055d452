"""What models say of triples in each mode: words of the Bench screen."""

from core.glossary.glossary_entry import GlossaryEntry

BENCH = (
    GlossaryEntry(
        "Bench", "FACT-BENCH", "what models say right of triples, mode by mode",
        "A set of triples is prepared once; each model answers its questions in several modes, "
        "greedily and once. `v` groups by tier, property, domain or type of the answer.",
        "bench", ("benchmark", "bench"), see=("arm", "EM"),
    ),
    GlossaryEntry(
        "arm", "arm", "a model in one mode; its label is MODEL#MODE",
        "Arms are in no profile and in no list of models. Task, Confusion and Review take them.",
        "bench", ("Arms", "arms"), see=("mode",),
    ),
    GlossaryEntry(
        "mode", "mode of asking", "what stands before a question: exemplars, a passage, nothing",
        "`zero-shot`; `K-shot` with K exemplars; `recite-K-shot`, which has the model say what it "
        "knows first; `reading` with the passage that has the answer. `known`, `unknown` and "
        "`mixed` choose exemplars by what the model knows.",
        "bench", ("zero-shot", "10-shot", "recite-10-shot", "reading", "recite"),
        see=("exemplar", "shuffle"),
    ),
    GlossaryEntry(
        "exemplar", "exemplar", "a training triple that is shown with its answer before a question",
        "As sent: each is known to the model or not, and true or counterfactual. No figure of an "
        "arm is over its exemplars.",
        "bench task", ("exemplars", "exemplars as sent", "known", "unknown", "not checked"),
        see=("shuffle",),
    ),
    GlossaryEntry(
        "shuffle", "counterfactual exemplars", "exemplars with answers of others of their property",
        "A shuffled arm stands below its plain one. Drop is what exact match loses, in points, "
        "over triples that are in both; red where an exact McNemar test, adjusted, finds no "
        "chance in it.",
        "bench", ("drop", "drops", "counterfactual", "└"), see=("exemplar",),
    ),
    GlossaryEntry(
        "EM", "exact match", "the answer equals a gold, by its type, in SQuAD's normal form",
        "`=` stands for it, `x` for none. The bar has a Wilson interval of 95 %. Dates compare as "
        "month, day and year, numbers with their unit.",
        "bench task", ("=", "exact match", "scores"), see=("F1", "judge"),
    ),
    GlossaryEntry(
        "F1", "token F1", "how many words an answer shares with its best gold, from 0 to 1",
        "The harmonic mean of what of the answer is right and what of the gold is said.",
        "bench task", see=("EM",),
    ),
    GlossaryEntry(
        "judge", "judge", "a model that reads question, golds and the whole response",
        "Its CORRECT is a yes. Of several judges the first counts here.",
        "bench task", ("J", "judged"), see=("EM",),
    ),
    GlossaryEntry(
        "property", "property of a triple", "what the subject and the object of it have to do",
        "FACT-BENCH's word for a relation. `none` has the triples without.",
        "bench", ("domain", "type", "group", "groups"), see=("Bench",),
    ),
    GlossaryEntry(
        "top", "tier of a triple", "a quarter of each domain by popularity: top, middle, bottom",
        "As preparing the set ranked them; unknown without a popularity.",
        "bench", ("middle", "bottom"), see=("Bench",),
    ),
    GlossaryEntry(
        "split", "split", "eval, which figures are over, its subset, or train",
        "Exemplars are drawn from train. `f` goes to the next. Latent has a split of its own, by "
        "subject: facts for examples, and facts that are asked about.",
        "bench", ("eval", "subset", "train"), see=("exemplar",),
    ),
    GlossaryEntry(
        "beside", "two arms side by side", "the arm beside another, over triples that both have",
        "`C` chooses the other. Differ is this minus other, with an interval of 95 % (Agresti and "
        "Min; F1: normal). p is an exact McNemar test, adjusted over what is tested.",
        "bench", ("this", "other", "differ", "both"), see=("EM", "shuffle"),
    ),
    GlossaryEntry(
        "known to each method", "three methods", "triples known zero-shot, by profile, unasked",
        "bench: the zero-shot answer is right by the judge, else by rules; profile: all gradable "
        "direct questions pass; zero-prompt: the object is the most probable option.",
        "bench task", ("methods", "all three", "only zero-prompt"), see=("Bench",),
    ),
    GlossaryEntry(
        "FB", "FACT-BENCH on a fact", "whether it is right zero-shot, and the modes with EM",
        "Right by the judge, else by rules; of the model in sight, or of the model of its arm.",
        "facts", see=("mode", "EM"),
    ),
    GlossaryEntry(
        "fb-popularity", "figure by tier", "figure 1: whether what is popular is known better",
        "A row an arm, a dot a tier, with Wilson intervals of 95 %.",
        "figures", see=("top", "EM"),
    ),
    GlossaryEntry(
        "fb-property", "figure by property", "figure 2: which properties are known",
        "An arm after another, each with its properties, the best first; at most the 40 largest.",
        "figures", see=("property", "EM"),
    ),
    GlossaryEntry(
        "fb-domain", "figure by domain", "figure 3: which domains are known",
        "An arm after another, each with its domains, the best first; at most the 40 largest.",
        "figures", see=("property", "EM"),
    ),
    GlossaryEntry(
        "fb-answer-type", "figure by type", "figure 4: whether dates and numbers are harder",
        "A row an arm, a dot a type of answer, with Wilson intervals of 95 %.",
        "figures", see=("EM",),
    ),
    GlossaryEntry(
        "fb-regular", "figure of drops", "figure 5: what counterfactual exemplars take",
        "Exact match with true and with counterfactual exemplars, over triples in both arms.",
        "figures", see=("shuffle",),
    ),
    GlossaryEntry(
        "fb-shuffle", "figure of conditions", "figure 6: the same by what the model knows of them",
        "Exemplars that are known, unknown, mixed, or drawn whatever the model knows (regular).",
        "figures", see=("shuffle", "exemplar"),
    ),
)  # fmt: skip

"""The words by which an answer to multiple choice says what it means, in small letters."""


def _list_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ANSWERS = _list_words(
    """answer respuesta antwort réponse risposta resposta ответ відповідь отговор odpowiedź antwoord
    svar svaret cevap vastaus válasz răspuns jawaban απάντηση الإجابة الجواب"""
)
"""The word for an answer in other languages."""

CUES = _ANSWERS | _list_words(
    """answers choice choices option options correct choose chose chosen choosing select
    selected selecting pick picked picking go going stick opt opting say conclusion conclude
    therefore thus so hence think believe guess right boxed leaving leaves ans vote votes
    correcta opción richtig corretta correta correto"""
)
"""After one of these a letter is meant."""

TITLES = _list_words(
    """response solution result key output verdict selection label prediction final decision sol án
    lösung solución soluzione"""
)
"""After one of these and a colon a letter is meant."""

LEADS = _list_words(
    "it it's its is would be definitely probably certainly clearly likely most well ok okay letter"
)
"""What may stand before a letter that an answer begins with."""

CONCLUDING = _ANSWERS | _list_words(
    "conclusion conclude therefore thus so final finally hence boxed"
)
"""Words of a sentence that settles what an answer says in two ways."""

NEW_THOUGHT = _list_words("so therefore thus hence but")
"""What is denied before these is not denied behind them."""

FILLERS = _list_words(
    """a an the is are be was am been would will should must could can may might final finally my
    our that it it's its i i'm i'd i'll we we'd we'll this to with for of on in letter best most
    likely probably definitely clearly certainly one only here question given above following rather
    among as and or indeed simply actually just either both that's there which remaining
    la el le der die das il o es ist est é è этот это 是 为 為 は"""
)
"""What may stand between a cue or a denial and the letter."""

DENIALS = _list_words(
    """not neither nor never than except unlike incorrect wrong false eliminate eliminated
    eliminates eliminating exclude excluded excluding reject rejected rejecting discard discarded
    dismiss dismissed ruled rule instead isn't aren't wasn't can't cannot couldn't don't doesn't
    won't wouldn't shouldn't nicht keine pas"""
)

JOINS = _list_words("or and nor either both plus oder und ou et o y e или и")
"""What joins letters to a list."""

HEARD = CUES | TITLES | FILLERS | DENIALS | JOINS | NEW_THOUGHT
"""Words behind which a cue or a denial before them may hold."""

LINKS = _list_words("is are be was it's that's : = es ist est 是 为")
"""Right behind one of these a letter is meant, where its sentence spoke of the answer before."""

IS, IS_NOT = (
    _list_words("is are was were seems looks cannot can appears must should will has"),
    _list_words("isn't aren't wasn't weren't can't doesn't don't"),
)
"""Verbs of what is said of a letter in front of them."""

PERHAPS = _list_words("would might could may")
"""Verbs of what a letter in front of them is only as a speaker's own: `B would be my choice`."""

OWNERS, OWNED = _list_words("my our"), _list_words("choice choices pick guess vote bet selection")
"""A letter is meant that is said to be one of these of the speaker's."""

MILD = _list_words(
    """to final first top is are was were seems looks appears be being can could would also both all
    the a an my most only it that's clearly obviously definitely simply just therefore thus options
    choices option choice"""
)
"""What stands between such a verb and the word that says whether the letter is right."""

NEGATIVE = _list_words(
    """wrong incorrect false out ruled eliminated excluded unlikely impossible irrelevant isn't
    aren't wasn't cannot can't doesn't don't rejected distractor distractors"""
)
POSITIVE = _list_words("correct right answer best true chosen")

BEFORE_VERDICT = IS | IS_NOT | MILD | PERHAPS | _list_words("not never")
"""What may stand before it, or turns it round."""

DOUBTS = _list_words("if whether unless")
"""Behind one of these `it is` says nothing."""

TICKS, CROSSES = frozenset("✓✔✅☑"), frozenset("✗✘❌☒")
"""Marks behind a letter that say whether it is right."""

ITS = _list_words("it it's this that that's")
"""What may be a letter at the end of a sentence: `it is B`, `that would be B`."""

MUST = _list_words("must should would will")

REASONS = _list_words("because since rather instead not as")
"""Words that begin a reason, behind a letter at the head of an answer."""

AFTER_LETTER = REASONS | _list_words(
    "for which due given with based if though although but or and is was"
)
"""Words behind which a letter is no article."""

UNSPACED = (
    "정답",
    "답은",
    "답:",
    "答え",
    "解答",
    "回答",
    "答案",
    "正解",
    "正确",
    "選択",
    "选择",
    "选",
    "所以",
    "因此",
)
"""Cues in scripts without spaces: parts of what stands there as one word."""


def goes_on(word: str) -> bool:
    """Whether a sentence goes on behind a line break that follows the word: `The answer is`."""
    return word in LINKS or (is_cue(word) and word not in ("right", "correct"))


def is_cue(word: str) -> bool:
    """Whether a letter behind the word is meant."""
    return word in CUES or (not word.isascii() and any(part in word for part in UNSPACED))


def concludes(word: str) -> bool:
    """Whether a sentence with the word draws a conclusion."""
    return word in CONCLUDING or (not word.isascii() and any(part in word for part in UNSPACED))

"""The general English words that the rules lean on."""


def split_words(words: str) -> tuple[str, ...]:
    """The words of a text, in order."""
    return tuple(words.split())


FUNCTION_WORDS = frozenset(
    split_words(
        """
        a an the of in on at to for from by with and or as is are was were be been it its this that
        these those his her their he she they i you we my your our into onto upon during about than
        then so also which who whom whose what when where why how did do does has have had there
        each all any some several own such only just both between s t
        """
    )
)
"""Words that carry no evidence either way."""

TITLES = frozenset(
    split_words(
        """
        mr mrs ms miss sir dame lord lady dr doctor prof professor president prime minister king
        queen emperor empress tsar czar prince princess duke duchess count countess earl baron pope
        saint cardinal bishop archbishop abbot father brother sister reverend rev general colonel
        major captain lieutenant sergeant admiral marshal senator governor mayor judge justice
        secretary chancellor ambassador chief coach chairman director actor actress singer author
        writer rapper composer english american british french german junior senior former late ex
        """
    )
)
"""Words before or after a person's name that do not make it another one."""

KINDS = frozenset(
    split_words(
        """
        city town village county district state province region country republic kingdom island
        islands river lake sea ocean mountain mount mountains range valley desert park street road
        avenue highway bridge castle palace church cathedral temple museum library theater stadium
        arena airport station university college school institute academy hospital company
        corporation incorporated limited group band orchestra team club fc party army navy
        association organization foundation society union council committee agency department
        ministry court award prize medal cup league championship tournament festival series show
        film movie song album book novel play episode season game language people tribe family
        war battle treaty act law dynasty empire area metropolitan
        """
    )
)
"""Words that say what kind of thing a name names; dropping one seldom makes it another thing."""

FILLERS = frozenset(
    split_words(
        """
        sure yes no ok okay none unknown unanswerable null nan nothing hello hi answer certainly
        maybe true false
        """
    )
)
"""Words that answer nothing if they stand alone."""

SPEAKER_OPENERS = frozenset(
    split_words(
        """
        however sorry but if because although though while when yes no and as so what how where
        since perhaps maybe currently unfortunately actually sure well hello that
        """
    )
)
"""Words that, with a capital, open a sentence in which "I" is the speaker."""

MEASURE_WORDS = frozenset(
    split_words(
        """
        tall high long wide deep thick old away ago across total more less fewer altogether overall
        above below early late left apiece each approx point when while since until after before
        within without under over if not no yes please because however only even still yet
        respectively times
        """
    )
)
"""Words after a number that are no unit of it."""

DENIALS = frozenset(split_words("not isnt wasnt arent werent never neither nor unlike except"))
"""Words that deny what follows them."""

DENYING_PAIRS = frozenset(
    {
        ("rather", "than"),
        ("instead", "of"),
        ("other", "than"),
        ("different", "from"),
        ("enemy", "of"),
        ("enemies", "of"),
        ("opponents", "of"),
        ("rivals", "of"),
    }
)
"""Pairs of words that set what follows them apart from what is meant."""

NO_DENIALS = frozenset(split_words("only just until sure certain"))
"""Words that, after a denying one, take the denial back (not only)."""

TURNS = frozenset(split_words("but rather instead"))
"""Words that, after what is denied, bring what is meant."""

USUALLY = frozenset(
    split_words(
        """
        typically usually generally normally mostly often commonly largely ordinarily traditionally
        technically legally officially
        """
    )
)
"""Words beside a yes or no that leave it one."""

MONTHS = split_words(
    "january february march april may june july august september october november december"
)
"""The months in their order."""

ONES = split_words(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
    """
)
"""The whole numbers below twenty, in their order."""

TENS = split_words("twenty thirty forty fifty sixty seventy eighty ninety")
"""The tens from twenty on, in their order."""

ORDINAL_ONES = split_words(
    """
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
    """
)
"""The ordinals of ONES."""

ORDINAL_TENS = split_words(
    "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"
)
"""The ordinals of TENS."""

INITIALISMS = {
    "us": "united states",
    "usa": "united states",
    "uk": "united kingdom",
    "eu": "european union",
    "un": "united nations",
    "ussr": "soviet union",
    "uae": "united arab emirates",
}
"""Places so often abbreviated that questions, golds and answers mix both forms."""

ABBREVIATIONS = {
    "st": "saint",
    "ste": "saint",
    "mt": "mount",
    "ft": "fort",
    "jr": "junior",
    "sr": "senior",
    "vs": "versus",
    "dept": "department",
    "univ": "university",
    "intl": "international",
    "govt": "government",
    "bros": "brothers",
    "co": "company",
    "corp": "corporation",
    "inc": "incorporated",
    "ltd": "limited",
    "ave": "avenue",
    "tv": "television",
    "colour": "color",
    "grey": "gray",
    "theatre": "theater",
    "centre": "center",
}
"""Abbreviations and spellings of single words, all in lower case."""

SHORT_NAMES = tuple(
    frozenset(split_words(names))
    for names in (
        "robert rob bob bobby",
        "william will bill billy willie",
        "richard rich rick ricky dick",
        "james jim jimmy jamie",
        "john jack johnny jon",
        "thomas tom tommy",
        "michael mike mick mickey",
        "joseph joe joey",
        "charles charlie chuck",
        "edward ed eddie ted teddy",
        "henry harry hank",
        "anthony tony",
        "daniel dan danny",
        "david dave",
        "samuel sam sammy",
        "benjamin ben benny",
        "alexander alex",
        "andrew andy drew",
        "christopher chris",
        "matthew matt",
        "nicholas nick",
        "stephen steven steve",
        "kenneth ken kenny",
        "ronald ron ronnie",
        "donald don donnie",
        "gerald gerry jerry",
        "lawrence larry",
        "frederick fred freddie",
        "francis frank",
        "albert al bert",
        "elizabeth liz beth betty eliza",
        "margaret maggie peggy meg",
        "katherine catherine kate kathy cathy katie",
        "patricia pat patty patrick",
        "susan sue suzanne",
        "deborah debbie debra",
        "jennifer jen jenny",
        "barbara barb",
        "victoria vicky",
        "theodore theo",
        "eugene gene",
        "peter pete",
        "philip phil",
        "gregory greg",
        "jeffrey geoffrey jeff geoff",
        "timothy tim",
        "abraham abe",
        "leonard leo len lenny",
        "raymond ray",
        "vincent vince",
        "walter walt",
    )
)
"""Given names of which one may stand for the other."""

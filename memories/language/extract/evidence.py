"""What speaks for and against keeping a statement: named marks with weights, added up. 0.5 is enough."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memories.language.extract.decisions import BEGAN, FROM_NOW_ON, NOWADAYS, RESUMED
from memories.language.extract.lexicon import (
    HELPERS,
    KIN,
    OPS_NOUNS,
    OPS_PRODUCTS,
    OWN_THINGS,
    PASSING_THINGS,
    is_finite,
)


@dataclass(frozen=True)
class Mark:
    name: str
    regex: str
    weight: float
    is_exact: bool
    """Whether capitals count; other patterns are matched against lower case, which is twice as fast as ignoring it."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when a text is read: compiling all of them takes longer than most commands."""
        return re.compile(self.regex if self.is_exact else _lower(self.regex))


def _mark(name: str, weight: float, pattern: str, is_exact: bool = False) -> Mark:
    return Mark(name, pattern, weight, is_exact)


def _lower(pattern: str) -> str:
    """The pattern in lower case, but for classes like \\W."""
    return _LETTER.sub(lambda match: match.group() if match.group()[0] == "\\" else match.group().lower(), pattern)


_LETTER = re.compile(r"\\.|[A-Z]")
_I = (
    r"\b(?:I|we)(?:'m|'ve|'d|'ll|'re)?(?: \w+ly| also| always| never| often| usually| still| currently| now| just|"
    r" really|"
    r" only| do| actually| already| both| mostly| mainly| sometimes| rarely| recently| finally)*"
)
_KIN = "|".join(sorted((re.escape(word) for word in KIN), key=len, reverse=True))
_OWN = "|".join(sorted((re.escape(word) for word in OWN_THINGS), key=len, reverse=True))
_HELPERS = "|".join(sorted(HELPERS, key=len, reverse=True))
_PASSING = "|".join(sorted(PASSING_THINGS, key=len, reverse=True))

AGE = (
    r"(?:\d{1,2}|1[01]\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-[a-z]+)?)"
)
_TURNED_AGE = (
    rf"(?:just |recently |finally )?turned {AGE}"
    r"(?=$|[.,!;]| (?:last|this|on|in|today|yesterday|and|a|\w+ (?:days?|weeks?|months?|years?) ago)\b)"
)
"""Neither pages nor degrees nor a light are turned so."""
_TURNING_AGE = (
    rf"(?:turning|will turn|will be turning|going to turn|about to turn) {AGE}"
    r"(?=$|[.,!;]| (?:next|this|on|in|today|tomorrow|soon|and)\b)"
)
_TURNED = (
    r"^(?!The|This|That|It|There|My|Our|We|I\b|Who|What|He|She|They)[A-Z][a-zà-ÿ]+"
    rf"(?: (?:has |have )?{_TURNED_AGE}|(?:'s| is| are)? {_TURNING_AGE})"
)
_SKILL = (
    r"(?:swim|drive|ride|ski|snowboard|skate|surf|sail|dive|row|climb|dance|cook|bake|knit|sew|crochet|paint|draw|sing|"
    r"juggle|code|program|type|weld|solder|weave|garden|whistle|fence|skateboard|fly (?:a|small)|speak [a-z]+|"
    r"sign|play (?!it\b|along\b|with\b|by\b|nice\b|fair\b|dumb\b|an?\b|some\b|around\b|together\b)[a-z]+)"
)
_GIVEN_UP = (
    r"(?:smoking|vaping|drinking|gambling|eating \w+|alcohol|coffee|caffeine|meat|fish|dairy|sugar|sweets|chocolate|"
    r"cigarettes|beer|wine|soda|bread|carbs|gluten|fast food|social media|running|swimming|cycling|climbing|dancing|"
    r"driving|skiing|singing|teaching|riding|football|soccer|tennis|basketball|golf|chess|yoga|ballet|"
    r"(?:playing )?(?:the |my )?(?:piano|guitar|violin|cello|drums|flute|trumpet|saxophone|harp)|"
    r"my (?:job|car|flat|apartment|allotment|career|studies))"
)
_PASSED_TO = (
    r"(?:the (?!(?:[a-z]+ )?shifts?\b|train\b|bus\b|bike\b)|(?:my|your|his|her|their|our|this|that|these|those|it|"
    r"you|him|them|another|other|plan|incognito|speaker|video|mute|airplane|flight|page|channel|something|someone|"
    r"[a-z]+ing)\b|an? (?:different|new|better|other|second|bigger|smaller|more|less)\b)"
)
"""What somebody switches to for a moment, or does not name."""
_LATELY = r"(?:just |recently |finally )?"
_LEARNED = (
    rf"{_LATELY}(?:learned|learnt)(?: how)? to {_SKILL}\b"
    r"(?! (?:it|this|that|them|her|him|me|people|through|a line|attention|conclusions)\b)"
)
_GAVE_UP = rf"{_LATELY}(?:gave|given) up {_GIVEN_UP}\b(?! (?:there|here|home|back|around)\b)"
_SWITCHED = rf"{_LATELY}switched (?:back |over )?(?:from [\w-]+(?: [\w-]+){{0,2}} )?to (?!{_PASSED_TO})"
_SOMEBODY_DID = (
    r"^(?!The|This|That|It|There|My|Our|We|I\b|Who|What|He|She|They)[A-Z][a-zà-ÿ]+ (?:has |have )?"
    rf"(?:{_LEARNED}|{_GAVE_UP}|{_SWITCHED}\w)"
)
_THEIR_TASTE = (
    r"^(?!The|This|That|It|There|My|Our|We|I\b|Who|What|He|She|They|You)[A-Z][a-zà-ÿ]+ (?:really |also |only |still )*"
    r"(?:prefers|hates|loves|adores|dislikes|can't stand|doesn't (?:like|eat|drink)) "
    r"(?!it\b|that\b|this\b|them\b|these\b|you\b|me\b|us\b|how\b|when\b|to (?:see|hear)\b|"
    r"the (?:idea|way|sound)\b)\w"
)
_THEIR_PART = (
    r"^(?!The|This|That|It|There|My|Our|We|I\b|Who|What|He|She|They)(?:(?i:mr|mrs|ms|dr|prof)\.? \w+|[A-Z][a-zà-ÿ]+) "
    r"(?:left|joined|moved to|took over|quit|retired|retires|resigned|became|replaced|leads|runs|owns|did the|does the|"
    r"wrote|built|maintains|reviews|approves|covers|looks after|manages|teaches|studies|founded|"
    r"(?:was|got|has been) (?:promoted|fired|laid off|married|engaged|divorced)|passed away)\b"
)
_DUTY = (
    r"^(?:i|we)(?: (?:always|also|usually|still|personally|mostly|only|normally|generally|now))* "
    r"(?:review|approve|check|sign off(?: on)?|answer|handle|triage|merge|test|vet|verify|inspect|oversee|supervise|"
    r"decide(?: on)?|audit|proofread|edit|translate|deploy|release|order|sign|screen|moderate|maintain|take care of|"
    r"look after|deal with|go through) (?![^,;]*\byou\b)"
    r"(?:(?:all|every|each|any)\b(?! (?:day|time|week|month|year|night|morning|"
    r"of (?:it|this|that|these|those|them)|this|that|these|those)\b)|"
    r"(?:everything|anything) (?:that|which|with|about|from|on|in|for|to|related|concerning)\b)"
)
"""What somebody does with all of a kind: "I review everything that touches auth"."""
_CHANGED_TO = (
    r"\b(?:raised|lowered|increased|reduced|bumped|extended|shortened) (?:the|our|my|his|her|their|its|[\w-]+'s) "
    r"(?:[\w-]+ ){1,5}?(?:from \S+ (?:\w+ )?)?to [€$£]?\d|"
    r"(?<!\bi )(?<!\bwe )\b(?:went|dropped|rose|fell|grew|increased|decreased|is up|is down|came down) "
    r"(?:up |down )?from [€$£]?\d\S* (?:\w+ )?to [€$£]?\d"
)

PERSONAL = (
    _mark(
        "health",
        0.6,
        r"\b(?:crohn's|allerg\w+|intoleran\w+|vegan|vegetarian|pescatarian|gluten|celiac|coeliac|diabet\w+|asthma\w*|"
        r"pregnan\w+|diagnos\w+|medication|meds|insulin|migraines?|adhd|autis\w+|dyslexi\w+|anxiety|depression|"
        r"lactose|therapy|chronic|arthritis|blood pressure|kosher|halal|colou?r[- ]?blind|surgery|disc|ferritin|"
        r"thyroid|mg|hard of hearing|(?:short|near|far)-?sighted)\b",
    ),
    _mark(
        "who they are",
        0.6,
        _I
        + r" (?:am|was|'m)?\s*\b(?:based|from|born|married|engaged|a vegan|single|divorced|widowed|retired|left-handed|"
        r"right-handed|fluent|bilingual|in (?:my )?(?:first|second|third|fourth|\w+th|"
        r"final)[ -](?:semester|year|grade|trimester)|on (?!it\b|my way|board|the same|fire|top|a roll|hold|call|"
        r"break|time|the fence|point)|afraid of|terrified of|scared of|into|vegan|deaf|blind|\d{1,2} years old|"
        r"turning \d+|self-employed|unemployed|fasting|sober|non-binary|trans|gay|lesbian|jewish|muslim|christian|"
        r"hindu)\b",
    ),
    _mark("at whose or when", 0.6, r"\bI(?:'m| am| was) at (?:[A-Z]\w+|.*\b(?:most|every|each) \w+)", is_exact=True),
    _mark(
        "what they are",
        0.5,
        r"\bI(?:'m| am| was|'ve been| have been)(?: also| now| currently| actually| just| originally| still)* (?:an?|"
        r"the) (?!bit|little|lot|fan of your|huge mess|mess|moment|while|big fan of (?:this|that|"
        r"it))(?:[\w-]+ ){0,3}[\w-]+",
    ),
    _mark(
        "lasting verb",
        0.5,
        _I + r" (?:became (?!tired|angry|aware|sick|ill\b|upset)|"
        r"live|lived|work|worked|study|studied|teach|taught|own|play|speak|prefer|hate|dislike|detest|loathe|"
        r"enjoy|avoid|collect|coach|drive|run|manage|lead|maintain|moved|grew up|graduated|majored|commute|volunteer|"
        r"believe in|practi[cs]e|train|drink (?!it|that|this)|smoke|quit|retired|married|adopted|inherited|founded|"
        r"co-founded|host|identify|pronounce|garden|knit|paint|sing|surf|climb|hike|swim|cycle|meditate|teach|"
        r"stop(?:ped)? (?!being [a-z]+ed\b)\w+ing|closed?|opened?|accept|cover|share|split|sold|"
        r"freelance|refuse|wear|earn|subscribe|bake|brew|keep (?:kosher|bees|chickens)|come from|suffer|self-host)\b",
    ),
    _mark(
        "a customer of", 0.5, r"\b(?:I'm|I am|[Ww]e're|[Ww]e are)(?: still| now| both)? with [A-Z]\w+", is_exact=True
    ),
    _mark(
        "their role",
        0.5,
        r"\b(?:i'm|i am|she's|he's|i was)(?: also| now| the)? (?:head|captain|treasurer|secretary|chair|"
        r"chairman|chairwoman|chairperson|president|director|godmother|godfather|best man|maid of honou?r)\b",
    ),
    _mark(
        "what it does to them",
        0.5,
        r"\bi (?:always |often |usually |easily )?get (?:(?:so|very|really|quite|too|a bit) )*(?:nervous|anxious|"
        r"seasick|carsick|airsick|travel sick|dizzy|homesick|panicky|claustrophobic|headaches|migraines|hives|"
        r"heartburn|nosebleeds|stage fright|vertigo)\b",
    ),
    _mark("own helpers", 0.4, rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}(?:{_HELPERS})\b"),
    _mark(
        "learnt at school",
        0.5,
        r"\bi (?:did|had|took|studied|learnt|learned) (?!it\b|that\b|this\b)(?:[a-z]+ ){1,3}(?:at|in) (?:high )?"
        r"(?:school|uni|university|college)\b",
    ),
    _mark(
        "chores",
        0.5,
        r"\bi (?:always |usually |mostly |only )?do (?:all )?the (?:washing|washing-up|dishes|laundry|cooking|"
        r"ironing|shopping|cleaning|hoovering|school run|night feeds|accounts|gardening|driving)\b",
    ),
    _mark("duty", 0.6, _DUTY),
    _mark("age", 0.6, rf"^(?:I|(?:my|our) (?:[\w-]+ ){{0,2}}(?:{_KIN})(?: \w+)?) (?:has |have )?{_TURNED_AGE}"),
    _mark(
        "begun",
        0.6,
        r"\bI(?:'ve| have)?(?: just| recently| finally)? (?:(?:started|began|begun) (?:learning|playing|studying|"
        r"training|teaching|volunteering|practi[cs]ing) (?!this\b|that\b|it\b|with (?:this|that|it)\b)\w|"
        r"took up (?!the\b|this\b|that\b|it\b|a lot\b|too\b|more\b|most\b|\d|space\b|time\b)\w)",
    ),
    _mark("a habit begun", 0.9, BEGAN),
    _mark("a habit again", 0.6, RESUMED),
    _mark("from now on", 0.6, FROM_NOW_ON),
    _mark("a habit of now", 0.6, NOWADAYS),
    _mark("learned", 0.9, rf"\b(?:I|we)(?:'ve| have)?(?: also| once| even)? {_LEARNED}"),
    _mark("gave up", 0.5, rf"\b(?:I|we)(?:'ve| have)?(?: also| once| even)? {_GAVE_UP}"),
    _mark("switched", 0.2, rf"\bI(?:'ve| have)?(?: also| now)? {_SWITCHED}[a-z]"),
    _mark(
        "a long habit",
        0.5,
        r"\bI(?:'ve| have)? (?:been|was|worked|lived|taught|played)\b.*\bfor (?:\d+|two|three|four|five|"
        r"six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|many) years\b|"
        r"\bI(?:'ve| have) been \w+ing\b.*\b(?:for|since) (?!hours|ages|a while|\d+ (?:min|hours))|\bI (?:always|"
        r"never|only) (?:want|need|take|order|sit|book|buy|choose|pick|travel|get|go|do|have|eat|drink|use)\b",
    ),
    _mark(
        "likes",
        0.5,
        _I + r" (?:love|like|adore|can't stand|cannot stand|don't (?:like|eat|drink|own|want|drive|use|do|work|speak|"
        r"smoke|"
        r"care for|have|fly)|do not (?:like|eat|drink|own|want|drive|use|work|smoke)|don't (?:really )?(?:like|eat|"
        r"drink|enjoy)|can't (?:eat|drink|have|drive|swim|do|work|stand|walk|tolerate)|cannot (?:eat|drink|have|drive|"
        r"swim|stand)|am not a fan of|am a fan of|favou?r|crave|(?:would )?rather (?:have|not|you|use|see|keep|"
        r"do(?! it\b| that\b)|get|"
        r"be|"
        r"drive|write|read|meet|work|pay)|stick to|swear by)\b",
    ),
    _mark("would rather", 0.6, r"(?:\bwould|'d) rather (?!die\b|than\b)\w+ (?:[^,;]+ )?than (?!(?:this|that|it)\b)"),
    _mark(
        "uses",
        0.4,
        _I + r" (?:use|drink|eat|cook|read|watch|listen to|get up|wake up|go|take|do|own|bought|got|sold|pay|started|"
        r"joined|left|switched|met|lost|won|changed|began|finished|signed up|enrolled|applied|registered|booked|"
        r"scheduled|ordered|reserved|handle|build|built|wrote|write|make|made|deployed|set up|installed|configured|"
        r"upgraded|migrated|renamed|store|keep|sleep|eat|fast|visited|travel|travelled|usually|know|picked up|turned|"
        r"turn)\b",
    ),
    _mark(
        "have",
        0.25,
        r"\bI(?:'ve got| have| had| got)(?: also| now| currently| already)* (?:an?|my|two|three|four|five|\d+|no|some|"
        r"both|type|really|severe|mild)\b",
    ),
    _mark(
        "what they have",
        0.35,
        r"\bI(?:'ve got| have| had| got)(?: also| now| currently| already)* (?:an?|my|two|three|four|five|\d|no|some|"
        r"both|type|severe|mild|really bad)(?: [\w-]+){0,2} (?:"
        + _KIN
        + "|"
        + _OWN
        + r"|allerg\w+|disease|disorder|degree|phd|tattoo|scar|garden|farm|horse|asthma|diabetes|crohn's|tinnitus|"
        r"eczema)\b",
    ),
    _mark(
        "habit",
        0.25,
        r"\b(?:always|never|usually|every (?:time|flight|meeting|first|second|last|day|morning|evening|night|week|"
        r"month|year|other|\w+day|single)|each (?:day|week|morning|\w+day)|weekdays?|weekends|(?:mon|tues|wednes|"
        r"thurs|fri|satur|sun)days|daily|weekly|monthly|once a|twice a|\d times a|these days|since (?:19|20)\d\d|"
        r"for (?:\d+|two|three|four|five|six|ten|many|a few) years|regularly|any ?more|no longer|for years)\b",
    ),
    _mark(
        "plan",
        0.5,
        r"\b(?:I(?:'m| am|'ll| will)|we(?:'re| are|'ll| will)|I(?:'ve| have) (?:got )?|my \w+ is|we have)(?: also|"
        r" now| finally| planning on| planning to be| going to be)* (?:flying|travel+ing|moving|getting married|"
        r"going (?:to|on) (?!(?:need|try|ask|use|do|be|have|make|write|give|go|see|check|say|tell|take|bed|"
        r"the bathroom|sleep|start)\b)|visiting|starting|leaving|meeting|attending|presenting|"
        r"running (?:a|the|my)(?! (?:[\w-]+ )?(?:tests?|suite|build|script|command|linter|query|code|migrations?)\b)|"
        r"hosting|expecting|due|having|taking|returning|coming back|planning|training for|preparing for|studying for|"
        r"saving (?:up )?for|learning|retiring|signed up|registered|enrolled|scheduled|booked|on (?:vacation|holiday|"
        r"leave)|away|switching|interviewing|launching|graduating|turning|building|writing a|working (?:on|at|for|"
        r"with|as)|teaching|remodeling|renovating)\b",
    ),
    _mark(
        "dated plan",
        0.3,
        r"\bI (?:fly|leave|start|present|travel|move|meet|return|land|arrive|see|graduate|turn)\b.*\b(?:on|at|in|next|"
        r"tomorrow|tonight|until|by)\b",
    ),
    _mark(
        "goal",
        0.4,
        r"\b(?:my goal|I (?:only |always )?want (?!to\b|you\b|it\b|this\b|that\b|a \w+$)[\w-]+ \w+.*(?:,|\bnot\b|"
        r"\bno\b)|I(?:'m| am) (?:trying|aiming|hoping) to (?:lose|gain|save|learn|run|quit|become|get (?:into|better|"
        r"fit)|reach|finish|cut)|I want to (?:learn|become|run|lose|save|quit|get better|move|retire|visit|read more|"
        r"travel|start|buy|build|switch|be )|I(?:'d| would) (?:love|like) to (?:learn|become|run a|visit|retire|move)|"
        r"I need to (?:be (?:at|in|home|back)|leave|pick up|renew|submit|finish|lose|take|avoid|pay|file|book|cancel|"
        r"return)|I have to (?:be|leave|pick|renew|submit|finish|avoid|take|pay|file|watch|work|travel|get up|"
        r"present)|I(?:'m| am) saving)\b",
    ),
    _mark(
        "aim",
        0.4,
        r"\b(?:I|we) (?:want|aim|plan|hope|intend)\b.*(?:\b(?:under|over|below|above|by|to|until|before|at least|"
        r"at most)\b"
        r".*(?:\d|\b(?:spring|summer|autumn|fall|winter|year|month|week|christmas|easter)\b)|"
        r"\bto (?:open|launch|move|switch|hire|build|sell|expand|retire|ship|release)\b)",
    ),
    _mark("own people", 0.5, r"\b(?:my|our) (?:[\w-]+ ){0,2}(?:" + _KIN + r")(?:'s)?\b"),
    _mark("own things", 0.35, r"\b(?:my|our) (?:[\w-]+ ){0,2}(?:" + _OWN + r")(?:'s)?\b"),
    _mark(
        "what it is",
        0.2,
        r"\b(?:my|our) (?:[\w-]+ ){0,2}(?:" + _OWN + r")(?: [\w-]+)?(?:'s| is| are| was| starts| ends| expires| has)\b",
    ),
    _mark(
        "name",
        0.6,
        r"\b(?:my (?:(?:first|last|full|real|middle|maiden|user|pen) ?)?name(?:'s| is)|my pronouns|I go by|I'm called|"
        r"people call me|my birthday|my (?:email|phone|address))\b",
    ),
    _mark(
        "our ways",
        0.5,
        r"\bwe(?:'re| are|'ve| have|'ll)?(?: also| always| never| only| all| currently| now| still| usually| just|"
        r" don't| do not| can't| cannot)* (?:prefer|like|love|hate|eat|drink|do|use|run|deploy|host|store|keep|ship|"
        r"release|support|pin|require|need|moved|migrated|switched|renamed|version|test|target|follow|squash|merge|"
        r"rebase|tag|lint|format|build|decided|agreed|own|rent|live|have|on|going|celebrate|bought|got|met|adopted|"
        r"pay|send|log|monitor|back up|rotate|write|cap|freeze|cut|hold|sell|travel|fly|expect|charge|hire|employ|"
        r"based|set|enforce|moving|migrating|flying|planning|launching|shipping|expecting|renovating|building|hiring|"
        r"switching|using|running|targeting|dropping|getting (?:a|married|rid)|going (?:to (?!need|see|try|have)|"
        r"on (?:vacation|holiday)))\b",
    ),
    _mark("figure", 0.15, r"\d"),
    _mark("changed to", 0.7, _CHANGED_TO),
    _mark(
        "name inside",
        0.15,
        r"(?<=[a-z,'] )[A-Z][\w&.+-]*[a-z0-9][\w+#-]*",
        is_exact=True,
    ),
    _mark(
        "day",
        0.15,
        r"\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|january|february|april|june|"
        r"july|august|september|october|november|december|next (?:week|month|year|spring|summer|fall|autumn|winter)|"
        r"in \d+ (?:days|weeks|months)|at \d{1,2}(?::\d\d| ?[ap]m)|\d{1,2} ?[ap]m|\d{1,2}:\d\d|birthday|anniversary|"
        r"deadline)\b",
    ),
)
AGAINST_PERSONAL = (
    _mark(
        "a wish to the assistant",
        -0.7,
        r"\bI(?:'d| would)? (?:also |just |really )?(?:need|want|like|love|was hoping|am hoping|hope|was wondering|"
        r"wonder|wanted)\b.{0,20}\b(?:you\b|your\b|help|advice|ideas?|suggestions?|recommendations?|a (?:function|"
        r"script|recipe|regex|query|way|list|summary|quick|short|name|title|haiku|poem|command|one-liner|plan|"
        r"breakfast|joke|word|warm-up)|to (?:know|ask|see|understand|check|make sure|say|talk|confirm|find out|figure|"
        r"get this|hear|write a|create a|discuss|test|try|do (?:this|that|it)|learn more|double))\b",
    ),
    _mark(
        "a state of the moment",
        -0.6,
        r"^(?!.*\bfor [\w-]+ years\b).*"
        r"\bI(?:'m| am|'ve been| was| feel|'m feeling)(?: \w+ly| so| just| still| kinda| really| a bit| a little|"
        r" very| too| all| pretty| also| totally| completely| also)* (?:sorry|sure|not sure|unsure|confused|stuck|"
        r"lost|curious|wondering|done|back|here|ready|fine|good|ok|okay|tired|exhausted|hungry|starving|bored|busy|"
        r"happy|glad|sad|excited|mad|angry|annoyed|frustrated|impressed|screaming|crying|laughing|kidding|joking|late|"
        r"running late|on it|in|out|off|there|asking|thinking|guessing|trying|having (?:trouble|issues|problems|"
        r"a hard|fun)|getting (?:an?|the|this|these|some|tired|there)|seeing|looking|struggling|afraid (?:that|i|not)|"
        r"going to (?:need|try|ask|bed|go|be fine|sleep)|talking|sleepy|freezing|dying|obsessed|in love|worried|"
        r"nervous|panicking|about to|supposed|reading this|wet|free|using (?:this|that|it)|waiting|like|turning into|"
        r"reconnecting|grateful|shocked|awake|alone|such an?|gonna|well|okay|alright|feeling|enjoying|loving|"
        r"doing (?:well|good|fine|great|ok)|just testing|testing)\b",
    ),
    _mark(
        "talk about the talk",
        -0.8,
        r"\bI (?:just |also |still |really |do |did |don't |didn't |can't |kinda |sort of |already |only )*(?:see|"
        r"think|guess|mean|meant|know (?:what|how|that|the|you|it|this|right)|know$|wonder|understand|agree|disagree|"
        r"hope|appreciate|forgot|forget|remember|noticed|tried|try|asked|ask|said|say|believe|suppose|assume|doubt|"
        r"bet|promise|swear|laughed|cried|figure|get (?:it|that|an?|this|the|what|how)|got (?:it|an? (?:error|message|"
        r"warning)|this|that|the (?:error|same|following))|love (?:it|that|this|you|how|your|when|these|those)|"
        r"like (?:it|that|this|how|your|the (?:first|second|third|last|idea|sound)|these|those|what)|hate (?:it|that|"
        r"this|when|how)|want (?:this|that|it|the|something)|need (?:this|that|it|help|something|ideas|you|to (?:know|"
        r"understand|figure|find|get|make|write|do|check|see|think))|have (?:a|an|another|one|some|two|no|this|these|"
        r"the|to say)(?: \w+)? (?:question|questions|problem|issue|idea|ideas|feeling|doubt|doubts|bug|error|function|"
        r"list|file|clue|script|dataset|string|array|dataframe|table|query|class|column)|feel (?:like|that|you)|could|"
        r"would(?! rather)|should|may|might|wish|don't get|don't care|don't mind|don't want to|just want|"
        r"can (?:see|do|try|tell|"
        r"hear|imagine|live)|will (?:try|check|let|do|see|get back|take|be)|'ll|read (?:that|somewhere|online)|heard|"
        r"saw|found (?:it|this|that)|ran (?:it|this|that|the)|clicked|deleted|looked|checked|watched|went (?:with|"
        r"ahead)|did (?:it|that|this)|needed|wanted|spent|thought|felt|have been|have deleted|'ve (?:been|deleted|"
        r"tried|seen|never seen|read|never heard|already|done|looked|had enough)|have (?:tried|seen|heard|read|done)|"
        r"was (?:like|just|thinking|going to|about to|wondering|trying|hoping)|dreamt|dreamed)\b",
    ),
    _mark(
        "pointing",
        -0.3,
        r"\b(?:this|that|it|these|those|them|here|there|above|below|something|anything|everything|stuff|one)$|"
        r"\b(?:this|that|the above|these|those) (?:code|function|text|error|file|list|one|thing|script|line|sentence|"
        r"paragraph|email|answer|query|output|example|question|issue|problem)\b",
    ),
    _mark(
        "only now",
        -0.35,
        r"\b(?:just now|right now|at the moment|today|tonight|this (?:morning|afternoon|evening)|a (?:second|minute|"
        r"moment) ago|gimme|just \w+(?:ed|ew|ot|aw))\b",
    ),
    _mark(
        "passing thing",
        -0.6,
        r"^(?:my|our) (?:[\w-]+ ){0,2}(?:"
        + _PASSING
        + r")\b(?! (?:number|address|name|date|style|setup|server|editor))",
    ),
    _mark("only thought of", -0.4, r"\b(?:would|wouldn't|could) (?!rather|prefer|like)\w+"),
    _mark(
        "a short while",
        -0.4,
        r"\b(?:have|got|need|in) (?:exactly |only |about )?\d+ ?(?:min|mins|minutes|h|hrs?|seconds|sec)\b",
    ),
    _mark("a question passed on", -0.5, r"\b(?:wants? to know|wonders?|asks? (?:why|if|what|how|whether))\b"),
    _mark("fun", -0.3, r"\b(?:lol|haha|omg|lmao|love that for me|send help|screaming)\b"),
)

_OPS_VERB = (
    r"(?:waits?|waited|stops|stopped|took|lasts|lasted|did|left|joined|overlapped|leads?|reviews?|covers?|replaced|"
    r"runs?|uses?|needs?|requires?|depends?|takes?|listens?|lives?|sits?|stores?|serves?|expects?|returns?|"
    r"times? out|expires?|renews?|restarts?|deploys?|connects?|points?|supports?|caches?|retries|drops?|fails?|"
    r"breaks?|crashes|hangs?|kills?|triggers?|rejects?|reads?|writes?|rotates?|resets?|belongs?|owns?|handles?|"
    r"must|should(?:n't| not)?|has to|have to|can't|cannot|may not|is|are|was|were|has|have|goes|go|stays?|keeps?|"
    r"starts?|ends?|closes|opens|contains?|costs?|approves?|signs?|gets?|got|blocks?|caused|causes|holds?|syncs?|"
    r"ships?|moved|became|expired|changed|only|always|never|won't|will|doesn't|don't|does|isn't|aren't|turns?|"
    r"works?)"
)
_BY_ITSELF = r"[a-z]+s (?:itself|themselves|by itself|by themselves|on its own|automatically)"
SAYS_WHAT_IS = re.compile(
    rf"{_TURNED}|{_SOMEBODY_DID}|{_THEIR_PART}|{_THEIR_TASTE}|{_CHANGED_TO}|"
    rf"^(?:[\w./:@'`#+-]+ ){{1,8}}?(?:{_OPS_VERB}|{_BY_ITSELF})\b(?! what\b)|"
    r"^[\w./@`#+-]+(?: [\w./@`#+-]+){0,4}'s \w",
    re.IGNORECASE,
)
IMPERSONAL = (
    _mark("age", 0.8, _TURNED, is_exact=True),
    _mark("what they learned or left", 0.5, _SOMEBODY_DID, is_exact=True),
    _mark("figure", 0.2, r"\d"),
    _mark("changed to", 0.4, _CHANGED_TO),
    _mark(
        "name inside",
        0.1,
        r"(?<=[a-z,'] )[A-Z][\w&.+-]*[a-z0-9][\w+#-]*",
        is_exact=True,
    ),
    _mark(
        "rule",
        0.25,
        r"\b(?:must(?: not)?|never|always|only|has to|have to|required|mandatory|not allowed|forbidden|by default|"
        r"no longer|deprecated|owned by|maintained by|policy|belongs? (?:to|in)|read-only|until|needs? to|"
        r"goes? through|manually|sign off|rejects?)\b",
    ),
    _mark("by itself", 0.25, rf"\b{_BY_ITSELF}\b"),
    _mark(
        "schedule",
        0.2,
        r"\b(?:every (?:day|night|morning|week|month|hour|\w+day|\d+)|nightly|hourly|daily|weekly|monthly|at \d|"
        r"seconds?|minutes?|hours?|ms|freeze|deadline|due|expires?|monday|tuesday|wednesday|thursday|friday|saturday|"
        r"sunday|january|february|april|june|july|august|september|october|november|december|mornings?|(?:mon|tues|"
        r"wednes|thurs|fri|satur|sun)days)\b",
    ),
    _mark(
        "health",
        0.4,
        r"\b(?:allerg\w+|intoleran\w+|vegan|vegetarian|celiac|coeliac|diabet\w+|asthma|pregnant|diagnosed|medication|"
        r"insulin|surgery|\d ?mg|dyslexic|seasick|for life|hearing aids?|low-salt|can't (?:eat|have)|hip|migraines?)\b",
    ),
    _mark(
        "how long",
        0.3,
        r"\b(?:takes?|took|waits?|waited|lasts?|lasted|needs?|within|after|for|every)\b[^,;]{0,16}?\b(?:\d[\d.]*|two|"
        r"three|"
        r"four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|sixty) ?(?:s|ms|secs?|seconds|mins?|"
        r"minutes|"
        r"h|hrs|hours|days|weeks|months|years)\b",
    ),
    _mark(
        "what fails",
        0.2,
        r"^(?:(?:the|our|all|some|most) [\w-]+|[\w-]+s) (?:[\w-]+ ){0,6}?(?:can't|cannot|couldn't|fails? to|won't|"
        r"(?:doesn't|don't) work)\b",
    ),
    _mark(
        "their part",
        0.4,
        _THEIR_PART,
        is_exact=True,
    ),
    _mark("their taste", 0.3, _THEIR_TASTE, is_exact=True),
    _mark("people of theirs", 0.15, rf"^[\w-]+'s (?:{_KIN})\b"),
    _mark(
        "people",
        0.25,
        r"\b(?:mum|mom|dad|grandpa|grandma|granny|the (?:kids|boys|girls|twins|baby)|uncle|aunt|his|her|wife|"
        r"husband)\b",
    ),
    _mark(
        "somebody",
        0.15,
        r"^(?!The|This|That|It|There|My|Our|We|Mine)[A-Z][a-z]+(?: and [A-Z][a-z]+)?"
        r"(?:'s (?:an?|the|my|our|in|at|from)|"
        r"(?:'s)? (?:is|has|gets|needs|"
        r"likes|loves|hates|lives|works|wants|can't|doesn't|takes|drives|plays|eats|starts|turns|prefers|speaks|moved|"
        r"joined|left|allergic|pregnant|on|away|owns|approves|are|have|can|will|must))\b",
        is_exact=True,
    ),
    _mark(
        "cause",
        0.25,
        r"\b(?:root cause|caused by|because|due to|turned out|the reason|the fix|fixed by|workaround|solved by|"
        r"depends on|otherwise|so that)\b",
    ),
)
AGAINST_IMPERSONAL = (
    _mark(
        "opinion",
        -0.45,
        r"\b(?:awful|awesome|great|amazing|terrible|horrible|nice|cool|beautiful|boring|stupid|ugly|lovely|funny|"
        r"weird|insane|crazy|interesting|perfect|good|bad|best|worst|better|worse|sucks?|rocks|fun|ridiculous|"
        r"annoying|overrated|garbage|trash|hit|delicious|yummy|mistake|wonderful|fantastic|gorgeous|cute|hilarious|"
        r"gross|unbelievable|frustrating|brilliant)\b",
    ),
    _mark(
        "pointing",
        -0.5,
        r"^(?:this|that|it|these|those|there|they|he|she|which|here|one|some|everything|nothing|something|anything|"
        r"someone|everyone|people|both|all|you|your|the (?:code|function|script|output|answer|text|story|poem|second|"
        r"first|last|third|above|following|previous|same|error|problem|issue|question|result|example|idea|thing|way|"
        r"only|other|rest|list))\b",
    ),
    _mark(
        "of the moment",
        -0.35,
        r"\b(?:now|today|right now|this morning|just|again|yet|so far|at the moment|currently running|still running|"
        r"arriving|ago|keeps? \w+ing)\b",
    ),
    _mark("about you", -0.3, r"\b(?:you|your|you're)\b"),
    _mark("open", -0.3, r"\b(?:maybe|perhaps|probably|might|could|would|i guess|not sure|idk|if)\b"),
)


ENOUGH = 0.5
_OPS = OPS_NOUNS | OPS_PRODUCTS


UNREAL = re.compile(
    r"\b(?:imagine|suppose|supposing|pretend|what if|let's say|lets say|say i|hypothetically|in theory|as if i|"
    r"if (?:i|we|my|only|they|he|she) (?:were|was|had|won|could|ever|got|did|lived|moved|knew|didn't|wasn't)|(?:i|"
    r"we) wish|would(?:n't)? have|could have been|were i|in my dream|i dreamt|i dreamed)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|my|My|we|We|we're|We're|we've|We've|we'll|our|Our|me|us|ours|mine|Mine|myself)\b"
)


@dataclass(frozen=True, slots=True)
class Finding:
    score: float
    name: str
    """The strongest mark."""


@lru_cache(maxsize=256)
def weigh_personal(clause: str) -> Finding:
    """Return how much a statement in the first person tells about its speaker."""
    return _weigh(clause, PERSONAL, AGAINST_PERSONAL, 0.0)


@lru_cache(maxsize=256)
def weigh_impersonal(clause: str) -> Finding:
    """Return how much of what a statement tells about something will matter later."""
    if not SAYS_WHAT_IS.search(clause):
        return Finding(0.0, "nothing")
    return _weigh(clause, IMPERSONAL, AGAINST_IMPERSONAL, 0.45 + 0.2 * min(count_ops(clause), 2))


def is_first_person(clause: str) -> bool:
    return bool(_FIRST_PERSON.search(clause))


def _weigh(clause: str, marks: tuple[Mark, ...], against: tuple[Mark, ...], start: float) -> Finding:
    low = clause.lower()
    found = [(mark.weight, mark.name) for mark in marks if mark.pattern.search(clause if mark.is_exact else low)]
    total = start + sum(weight for weight, _ in found)
    if total > 0:
        total += sum(mark.weight for mark in against if mark.pattern.search(clause if mark.is_exact else low))
    strongest = max(found, default=(0.0, "nothing"))
    return Finding(max(0.0, min(1.0, total)), strongest[1])


@lru_cache(maxsize=1024)
def _is_ops(word: str) -> bool:
    return word in _OPS or word.removesuffix("'s") in _OPS


def count_ops(text: str) -> int:
    """Return how many words of operations and development a text has."""
    return sum(_is_ops(word) for word in re.findall(r"[\w'-]+", text.lower()))


def says_something(clause: str) -> bool:
    """Tell whether there is a finite verb behind the first word."""
    return any(is_finite(word) for word in re.findall(r"[\w']+", clause.lower())[1:])

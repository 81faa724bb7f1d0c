"""Words by which a telling sentence is known from courtesy and chatter. Data only, English first."""

import re

from memories.text.wordlist import words


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


def _opening(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})", re.IGNORECASE)


DECIDED = _any(
    r"decided|decision|agreed|settled on|chose|chosen|opted for|going with|let's (?:go with|use|stick|switch)|"
    r"(?:we|i)(?:'ll| will) (?:use|go with|switch|move to|stick)|from now on|instead of|rather than|approved|"
    r"no longer|(?:we|i)(?:'re| are|'m| am) (?:switching|moving|migrating|using)"
)
RESOLVED = _any(
    r"fixed|solved|resolved|works (?:now|again)|working (?:now|again)|root cause|the cause|caused by|turn(?:s|ed) out|"
    r"because|the (?:problem|issue|bug|reason|culprit|fix|solution) (?:was|is)|deployed|merged|released|shipped|"
    r"migrated|upgraded|installed|completed|succeeded|passes|passed|failed|found (?:that|out|the)|configured|"
    r"forgot|figured out|reali[sz]ed|did the trick|enabled|disabled|renewed|restored|replaced|removed|reverted|"
    r"rolled back|scheduled|booked|ordered|is now|are now|now (?:runs|uses|points|takes|has|set)|set to|raised|"
    r"lowered|moved"
)
LASTING = _any(
    r"prefers?|remember (?:that|to)|important|note that|allergic|hates?|can't stand|favou?rite|vegetarian|vegan|"
    r"diabetic|pregnant|engaged|married|divorced|deadline|due|birthday|depends? on|requires?"
)
RULED = _any(r"always|never|must(?! have| be)|must(?:n't| not)|should(?:n't| not)|don't ever|only when|not allowed")
TROUBLED = _any(
    r"(?:is|are|was|were)(?:n't| not) (?:set|found|installed|running|reachable|allowed|supported)|missing|wrong|broken|"
    r"fails|crash(?:es|ed)|full|expired|too (?:slow|small|large|long|old)|refused|denied|times? out|timed out|leaks?"
)
TIMES = _any(
    r"yesterday|today|tonight|tomorrow|(?:next|last|this) (?:week|month|year|weekend|spring|summer|autumn|fall|winter)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|april|june|july|august|september|october|november|"
    r"december|years? ago|months? ago|weeks? ago"
)
OWN = _any(
    r"my|our|i(?:'m| am) (?:a|an|the|in|from|on|at|moving|getting|starting|planning|working|learning|going|allergic)|"
    r"i (?:work|live|moved|started|got|bought|lost|quit|plan|want|need|have|had|use|run|study|love|like|prefer|hate)|"
    r"i've (?:been|got|started|had|decided)|i used to"
)
HEDGED = _any(r"maybe|perhaps|might|i think|i guess|not sure|probably|i wonder|kind of|sort of|hopefully|i hope")
LOVELY = _any(
    r"lovely|wonderful|amazing|awesome|beautiful|exciting|delicious|fantastic|inspiring|incredible|cute|so (?:cool|fun|"
    r"great|nice|sweet|happy|proud)|good luck|sounds"
)

TELLING_WORDS = words("""
    decided decision agreed settled chose chosen going instead rather fixed solved resolved works cause caused turns out
    because problem issue bug reason culprit solution deployed merged released shipped migrated upgraded installed
    completed succeeded passed failed found configured enabled disabled renewed restored replaced removed reverted
    scheduled booked ordered forgot realized prefer prefers always never allergic favorite favourite deadline due
    birthday depends requires must should vegetarian married
    """)
"""What a message that is worth a closer look often has."""

REQUEST = _opening(
    r"(?:(?:hi|hey|hello|ok|okay|so|and|then|now|also|please|pls)[ ,!]+){0,4}"
    r"(?:(?:can|could|would|will) you\b|i(?:'d| would) like you to\b|i (?:need|want) you to\b|help me\b|tell me\b|"
    r"(?:please|pls)\b|(?:fix|add|write|make|create|update|change|remove|delete|check|look|find|show|explain|set up|"
    r"install|configure|deploy|restart|rename|move|refactor|implement|build|run|test|debug|investigate|upgrade|"
    r"migrate|enable|disable|use|put|set|turn|stop|start|switch|keep|generate|review|summari[sz]e|translate|plan|book|"
    r"schedule|remind|compare|give me|draft|clean up|convert)\b)"
)
ABOUT_ONESELF = _opening(r"(?:i|i'm|im|i've|my|we|we're|our)\b")
EMPTY = _opening(
    r"let me|let's see|i'll (?:now|start|check|look|take|go ahead|begin|first|also check|be|try|let|keep)|i will now|"
    r"now (?:i'll|let me|i will)|i'm going to|i am going to|looking (?:at|into|forward)|checking|reading|searching|"
    r"running|first,? (?:i|let)|next,? (?:i|let)|would you like|do you want|shall i|should i|want me to|feel free|"
    r"happy to|glad|hope (?:this|that|you)|is there anything|anything (?:else|fun|new|exciting)|you(?:'re| are) "
    r"(?:welcome|right)|(?:great|good|excellent) (?:question|idea|point|luck|job|work|news)|sure\b|of course|"
    r"absolutely|certainly|sounds (?:good|great|like|fun|amazing)|here(?:'s| is| are)\b|i can (?:also |certainly )?"
    r"help|i(?:'d| would) be happy|thanks|thank you|no problem|no worries|nice\b|awesome|cool\b|wow|congrat|haha|lol|"
    r"sorry|i apologi[sz]e|have (?:a|fun)|see you|bye|good (?:morning|evening|night)|take care|how are you|how's\b|"
    r"how have you|what's up|what about you|that(?:'s| is) (?:great|so|awesome|cool|amazing|really|nice|good|wonderful|"
    r"fantastic)|i understand|i see\b|got it|makes sense|you got this|(?:good|nice|great) to|can't wait|same here|"
    r"me too|keep (?:it )?up|great\b|perfect|i appreciate|i mean\b|long time|haven't (?:talked|spoken|seen)|"
    r"check it out|let's (?:keep|make)|as an ai|try again|one moment|done\W*\Z|"
    r"hallo|danke|bitte\b|gern|wie geht|(?:auch )?gut\b|guten|tschüss|hola|gracias|cómo estás|buen[oa]s|bonjour|salut|"
    r"merci|ça va|ciao|grazie|come stai|buon|olá|obrigad|tudo bem|hej|tack|cześć|dzięki|привет|спасибо|как дела|"
    r"こんにちは|ありがとう|わかりました|你好|谢谢|안녕|감사"
)
"""Openings of sentences that tell nothing: courtesy, and an agent's account of what it is about to do."""
LEANING = _opening(
    r"(?:this|that|it|these|those|they|its|their|his|her|he|she|so|and|but|then|which|also|there|because|or|both|same)\b"
)
"""Openings of sentences that are hard to understand without the one before."""
NARRATED = _opening(r"(?:(?:now|next|then|first),? )?[a-z]+ing\b")
INTERJECTIONS = _opening(
    r"\A(?:(?:hi|hey|hello|hallo|hola|bonjour|salut|ciao|btw|by the way|ok|okay|so|well|yes|yeah|yep|no|nope|nah|"
    r"cool|great|nice|perfect|awesome|wow|thanks|sure|right|actually|ah|oh|hmm|um|lol|haha|alright|gut|ja|nein|sí|oui)"
    r"(?: there| all)?(?:[,!.…]+ ?|(?<=\bah|\boh|\bso|\bok|\bhi|\bum) |(?<=hey|hmm|lol|btw) )){1,4}(?=\S+ \S+)"
)
COURTESY = _opening(
    r"\A(?:(?:hi|hey|hello|ok|okay|so|well|please|pls|thanks|great|also|and|now)(?: there| all)?[ ,!.]+){0,4}"
    r"(?:(?:can|could|would|will) you (?:please |maybe |also |quickly )?|i(?:'d| would) like you to |"
    r"i (?:need|want) you to |would you mind )?(?:please |pls )?"
)
"""What a request begins with before it says what is asked for."""
CAPITALS = re.compile(r"(?<=[\w,;:] )(?!I\b)[A-Z]\w+|\b\w*[a-z][A-Z]\w*|\b[A-Z]{2,}\b")
FIRST_PERSON = _any("I|we|my|our|me|us|you|your")

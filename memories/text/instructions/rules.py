"""How people address a model from inside a text it was only meant to read. Data only.

In what follows the first words a space stands for any gap between words, " ?" for one or none, and `{orders}` and
the like for the lists below.
"""

PARTS = {
    "fill": (
        "(?:(?:all|any|every|of|the|your|my|these|those|this|that|and|other|given|safety|security) ){0,5}"
    ),
    "earlier": (
        "(?:(?:previous|prior|preceding|earlier|foregoing|above|former|initial|original|system|existing)(?: and| "
        "or)? )"
    ),
    "orders": "(?:instructions?|prompts?|directives?|guidelines?|directions)",
    "rules": (
        "(?:instructions?|prompts?|directives?|guidelines?|directions|rules|orders|commands|programming|"
        "constraints|restrictions|policies|policy|training|safeguards|guardrails|filters|limits)"
    ),
    "model": (
        "(?:ais?|llms?|language models?|assistants?|agents?|models?|chatbots?|bots?|claude|chatgpt|gpt|copilot|"
        "gemini)"
    ),
    "user": "(?:(?:the |your )?(?:users?|human|operator))",
}  # fmt: skip

EARLIER, ROLE, NEW, ADDRESS = (
    "sets earlier instructions aside", "gives the reader another role", "gives new instructions", "speaks to the model",
)  # fmt: skip
HIDE, TAKE_OVER, PROMPT = "hides something from the user", "takes over every answer", "is about the system prompt"

RULES: tuple[tuple[str, str, str], ...] = (
    # English
    (EARLIER, "ignore ignoring disregard disregarding forget override overrides overriding bypass discard",
     r" (?:{fill}{earlier}{1,3}(?:\w+ )?{orders}|{fill}(?:previous|prior|preceding|earlier|above) {rules}|(?:all |"
     r"any )?(?:of )?your (?:\w+ ){0,2}{rules}|(?:all|any)(?: the)?(?: other)? {orders})\b(?! of)"),
    (EARLIER, "ignore disregard forget",
     " (?:everything|anything|all|whatever) (?:(?:that )?(?:was |came |is |written |said )?(?:above|before(?: "
     r"this)?|so far|previously)(?=\s{0,3}(?:$|\n|[.,;:!]|and ))|(?:that )?(?:you were|you've been|you have been|"
     r"i|i've|they|i have) (?:told|said|instructed|given|learned))\b"),
    (EARLIER, "ignore disregard forget",
     r" {fill}(?:previous|prior|preceding|above|earlier) (?:messages|conversation|context|text|content)\b(?! "
     "(?:from|in|of|when))"),
    (EARLIER, "do",
     " not (?:follow|obey|listen to|comply with) {fill}{earlier}{rules}"),
    (EARLIER, "don't never stop",
     " (?:follow|obey|listen to|comply with|following|obeying) {fill}{earlier}{rules}"),
    (EARLIER, "above previous prior earlier original",
     r" (?:\w+ )?(?:{orders}|rules) (?:no longer|don't|do not) apply\b"),
    (EARLIER, "above previous prior earlier original your",
     " {orders} (?:are|is|were|have been) (?:now )?(?:void|cancel+ed|overridden|suspended|revoked|invalid|"
     "obsolete|superseded)"),
    (EARLIER, "this",
     " (?:memory|instruction|message|note|entry|rule) (?:overrides|supersedes|outranks|takes precedence over|has "
     "(?:the )?(?:highest|top|absolute) priority)"),
    (ROLE, "you you're",
     r"(?: are)? now (?:(?:(?:a|an|the|my|in|called|named) )?(?:\w+ ){0,3}?(?:dan|ai|assistant|bot|chatbot|model|"
     "hacker|pirate|jailbroken|unrestricted|uncensored|unfiltered|evil|(?:developer|debug|god|root|dan|jailbreak|"
     r"unrestricted) mode)\b|(?:acting|operating|playing|pretending|roleplaying) as\b|(?:an?|the) (?!member|user|"
     "customer|subscriber|owner|maintainer|admin|contributor|participant|follower|resident|citizen|parent|father|"
     "mother|dad|mum|mom|grand|proud|new|verified|registered|part|team|step|few|bit|lot|premium|paying|godparent|"
     r"homeowner|manager|lead|senior|certified)\w|free (?:from|of) (?:all|any|your|the)|no longer (?:bound|"
     "restricted|limited|an? {model})|under (?:my|new) (?:control|orders|command))"),
    (ROLE, "pretend act behave roleplay respond answer imagine",
     r" (?:that |as |like )?(?:if )?(?:you |you're |an? )(?:are |have |had |were )?(?:(?:\w+ ){0,3}?(?:no|without|"
     r"not bound by) (?:any )?(?:\w+ )?{rules}|(?:\w+ ){0,2}?(?:unrestricted|uncensored|unfiltered|jailbroken|"
     r"evil|dan)\b)"),
    (ROLE, "do",
     r" anything now\b"),
    (ROLE, "dan jailbreak",
     r" mode (?:is )?(?:now )?(?:on|enabled|activated|unlocked)\b"),
    (NEW, "your",
     " (?:new|real|actual|true|updated|secret|hidden) (?:instructions?|task|goal|objective|mission|purpose|"
     r"identity)(?: (?:is|are)\b|\s{0,2}:)"),
    (NEW, "new override",
     r" (?:system |security |priority )?(?:instructions?|directives?)(?: (?:for|to) {fill}{model})?\s{0,3}:"),
    (ADDRESS, "attention",
     r" (?:to )?{fill}(?:\w+ )?{model}(?: (?:reading|processing) this)?\s{0,2}[:,!-]"),
    (ADDRESS, "note notice message instruction instructions",
     " (?:to|for) {fill}(?:future )?(?:(?:ai|llm) )?{model}(?: (?:reading|processing) (?:this|it)(?: "
     r"\w+)?)?\s{0,2}(?::|!|-)(?! see )"),
    (ADDRESS, "if when since as",
     r" (?:you are |you're )?an? (?:(?:large )?language model|ai|llm|chatbot)(?: \w+){0,2}?(?: reading| "
     "processing|,? you (?:must|should|have to|are)|,? (?:ignore|always|reply|respond|send|run|execute|output|"
     r"say|do not|don't))\b"),
    (ADDRESS, "any every all ai",
     r" {model} (?:reading|that reads?|who reads?|processing|seeing|which reads?|retrieving) (?:this|these|it)\b"),
    (ADDRESS, "when whenever once after if",
     " you (?:read|see|retrieve|recall|process|receive|are given|load) this(?: (?:memory|message|text|note|line|"
     "document|entry))?,? (?:you must|immediately|always|first|do not|don't|run|execute|send|call|reply|respond|"
     r"ignore|delete|tell)\b"),
    (HIDE, "do",
     r" not (?:ever )?(?:(?:tell|inform|alert) {user}|let {user} (?:know|see|notice|find out))\b(?! (?:they|he|"
     "she|what|how|to|their|when|where) )"),
    (HIDE, "don't never",
     r" (?:ever )?(?:(?:tell|inform|alert) {user}|let {user} (?:know|see|notice|find out))\b(?! (?:they|he|she|"
     "what|how|to|their|when|where) )"),
    (HIDE, "not don't never",
     " (?:ever )?(?:mention|reveal|disclose|admit|show|say) (?:this|that|it|these|any of this|anything|the "
     r"instructions?)(?: \w+){0,4}? to {user}\b"),
    (HIDE, "keep hide conceal",
     r" (?:this|it|that|everything|all of this)(?: \w+){0,3}? from {user}\b"),
    (HIDE, "without",
     r" (?:telling|informing|asking|notifying|alerting|warning) {user}\b"),
    (HIDE, "without",
     r" (?:{user}'s? |the )(?:knowledge|consent|approval|permission)(?: of {user})?\b"),
    (TAKE_OVER, "from",
     r" now on,? (?:you(?: are|'re| will be| act as) (?:an?|the|my|no|not|dan|free|called|named)\b|(?:act|behave|"
     r"pretend|obey)\b|(?:you (?:will|must|shall|should) |please )?(?:(?:only|exclusively) (?:ever )?(?:reply|"
     r"respond|answer|output|say)|(?:reply|respond|answer|output|say|speak)(?: \w+){0,3}? (?:only|exclusively|"
     r"nothing but))\b(?! in\b))"),
    (PROMPT, "system",
     r" (?:prompt|instructions?|override|directive)\s{0,2}[:\]](?! ?\S{1,60}[./]\w{1,5}\b)"),
    (PROMPT, "reveal print show repeat output leak display dump disclose recite tell",
     r" (?:me |us )?(?:back )?(?:all |the full |verbatim )?(?:of )?your (?:\w+ )?(?:system prompt|prompt|"
     r"(?:initial|hidden|original|secret|system) instructions|instructions)\b"),
    (PROMPT, "reveal repeat leak disclose recite",
     r" (?:the )?(?:\w+ )?(?:system prompt|(?:hidden|system) instructions)\b"),
)  # fmt: skip
"""(reason, words it may begin with, what follows)."""

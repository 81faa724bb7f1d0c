"""Closed classes the model looks at: words without matter, negation, change, exclusiveness. Data only."""

from memories.text.wordlist import words

from . import measures

STOP = words("""
a an the this that these those it its itself he she they them their his her him we us our you your i me my one ones
be is are was were been being am do does did done doing will would shall should can could may might must has have had
having get gets got getting go goes went gone let and or as so too also both either just still yet already very quite
even than then thus else otherwise again to of in on at by for with from into onto upon per via about around roughly
approximately nearly almost some such own other another there here who whom whose which what where how when while if
because since though although user users 's s not no never none nor without only during within through under over up
out off down until till unless once after before between every each all any more most much many
say says said tell told mention mentioned want wants wanted now today currently usually normally often
""")

NEGATORS = words("not never no none nobody nothing neither nor cannot hardly barely rarely seldom without")
DENIALS = words("not never nobody nothing cannot")
NARROW = words("without over than to instead rather apart except unlike free")
"""Negations that reach over the next words only."""

NEGATIVE_VERBS = words("""
stop stopped stops stopping quit quits ceased ceases avoid avoids avoiding refuse refuses refused fails failed fail lack
lacks lacking forbid forbids forbidden prohibit prohibits prohibited ban bans banned prevent prevents prevented abandon
abandoned cancel cancelled canceled hate hates hated dislike dislikes loathe loathes detest detests despise despises
unable former formerly ex dead gone exclude excluded excludes unwelcome unnecessary impossible mute mutes muted silenced
isolated nobody never hasn haven breaks broke broken reject rejects rejected deny denies denied block blocks blocked
disable disables disabled ignore ignores ignored skip skips skipped disallow disallowed decline declines declined
""")
NEGATIVE_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in (
        "gave up", "given up", "give up", "no longer", "instead of", "rather than", "get rid of", "got rid of",
        "used to", "can not stand", "off limits", "free of", "gave away", "away from", "give away", "called off",
        "turned down", "dropped out", "stepped down", "not any more", "apart from", "except for", "as opposed to",
        "protected against", "independently of", "independent of", "regardless of", "kept out of", "free from",
        "not anymore", "thrown out", "threw out",
        "passed over",
    )
)  # fmt: skip
NARROW_PHRASES = tuple(phrase for phrase in NEGATIVE_PHRASES if phrase[-1] in ("of", "than", "against", "from"))
COMPARATIVES = words("more later earlier less fewer longer")
PREFER = words("prefer prefers preferred rather favours favors preferable")
"""Behind them "over", "than" and "to" deny what follows."""

LIKE = words("like likes love loves enjoy enjoys want wants")
TROUBLE = words(
    "problem problems issue issues trouble difficulty difficulties error errors restriction hesitation fail"
)
"""Without them all is well: nothing is denied."""
SAID_WITH_NO = words("doubt worries wonder kidding see talk")
"""Where a clause begins with "no" and one of these, nothing is denied: "no worries, …", "long time no see"."""
SAID_WITH_NOT = words("mistaken")
"""Behind "not" it denies nothing of what is told: "if I am not mistaken"."""
TOWARDS = words("on to for through into back home over")
"""Who has gone there is not gone."""
WITH_INFINITIVE = words("possibility chance opportunity ability time way option freedom able")
"""Behind them a "to" begins what one may do, also of somebody who prefers something."""
OF_A_THING = words("the a an it this")
"""What begins with one of these tells of no person, as a rule: "the job cannot wait for the lock"."""

BOUNDARIES = frozenset({",", ";", ".", ":", "--", "(", ")", "but", "because", "since", "although", "though", "whereas",
                        "however", "so", "→", "!", "?"})  # fmt: skip
CANCELS = frozenset({"unless", "until", "till", "without"})
"""After a negation they cancel it: "does not start without X"."""

CHANGE = words("""
anymore longer moved moves moving switched migrated changed replaced renamed upgraded downgraded became become
rescheduled postponed shifted swapped transferred relocated handed taken recently meanwhile sold quit gave finally
extended promoted retired gone cancelled canceled passed pushed removed rewritten ported converted lately dropped
ended stopped gone split left discontinued
""")
PARTICIPLES = words(
    "moved migrated replaced renamed changed shifted swapped taken handed passed pushed removed dropped ended"
)
PRESENT = words("is are be being gets get")
WEAK_CHANGE = words("now since already instead still any last new")
EXCLUSIVE = words("only exclusively solely strictly sole just single nothing nobody alone limited restricted reserved")
UNIVERSAL = words("all every any anyone everyone both everything always each everybody anybody whole entire everywhere")
"""Words of quantity that, standing on one side only, often make the difference."""

QUANTITY_WORDS = (
    words("half once twice st nd rd th am pm noon midday midnight")
    | frozenset(measures.NUMBER_WORDS)
    | frozenset(measures.TENS)
    | frozenset(unit for unit, (kind, _) in measures.UNITS.items() if kind == "duration")
)
"""Parts of quantities, which are compared as such."""

LIGHT = words("""
take takes run runs use uses using used make makes happen happens need needs like likes set put keep keeps way thing
things time times new first last come comes work works start starts lot kind really always favourite prefers prefer
person people place day days year years week weeks month months minute minutes hour hours second seconds name called
long occur occurs
""")
"""Words met in any statement; they count for less."""
VERBS_OF_MANY = words("""
like likes hate have has own play speak read collect know visit eat drink depend need require support export learn study
contain include cook watch offer provide expose tolerate use bake sing follow send load emit allergic import
""")
"""They hold of several things at once: another object is another fact."""

END = words("after older beyond expire expires")

"""The closed classes of English that decide how a statement is read. Data only.

Every entry is written as people write it; `lexicon.py` turns entries into stems. Phrases are
allowed wherever a comment does not say otherwise.
"""

from memories.text.wordlist import words

from .wordlist import forms_of

STOP_WORDS = words("""
    a an the this that these those it its itself he she they them their his her him hers theirs i me my we us
    our you your one ones someone somebody anyone everyone who whom whose which what there here
    be is are was were been being am do does did done doing will would shall should can
    could may might must get gets got getting go goes went gone going let lets make makes made
    and or as so too also both either just still yet already very quite really rather even much many more most
    some any all each every own other another such same then than thus else otherwise again
    usually normally often mostly typically generally commonly frequently currently presently
    fine ok okay well please able about approximately around roughly circa nearly almost
    possible possibly probably perhaps maybe likely how where why
    user users user's say says said tell told mention mentioned ask asked want wants wanted wish
    now today new since last year current
    """)
"""Words that carry no matter of their own. Single words only."""

PHRASES_WITHOUT_MATTER = (
    "in order",
    "in order to",
    "have to",
    "has to",
    "had to",
    "need to",
    "needs to",
    "be able to",
    "as well as",
    "not only",
    "but also",
    "as soon as",
    "take place",
    "due to",
    "in case of",
    "as long as",
    "at the moment",
    "of course",
    "make sure",
    "no matter",
    "no doubt",
    "in general",
    "so that",
    "a lot of",
    "lots of",
    "kind of",
    "for example",
    "at the same time",
    "at once",
    "such as",
    "suffer from",
    "by default",
    "in use",
    "by means of",
    "with respect to",
    "be used to",
    "be used for",
    "used for",
    "on time",
)

PREPOSITIONS = words("""
    in on at by to from for of with into onto over under above below between through during within via inside
    outside behind near against across along toward towards upon per off out up down first before after
    """)
"""Single words only. They name the slot that a value fills ("lives in", "is led by")."""

CONDITIONALS = words("when whenever if unless while until once because although though whereas")
"""Single words only. They open a side clause: the circumstances, not the claim."""

BOUNDARIES = words(", ; . : ! ? ( ) -- → but however")
"""Where the reach of a negation ends."""

NEGATORS = (
    "not", "never", "terminate", "call off", "wind down", "die", "forbid", "prohibit", "ban", "disallow",
    "outlaw", "step down", "withdraw from", "opt out of", "pass away", "split from", "break up with", "none",
    "nor", "neither", "nothing", "nobody", "cannot", "hardly", "barely", "no longer", "not any more",
    "not anymore", "no more", "none of", "at no time", "under no circumstances", "stop", "quit", "give up",
    "cease", "refuse", "refuse to", "fail to", "avoid", "refrain from", "abandon", "unable", "unable to",
    "incapable of", "get rid of", "lack", "lack of", "drop out of", "be done with", "used to", "formerly",
    "previously", "former", "in the past", "leave", "resign from", "move away from", "sell", "lose", "cancel",
    "retire", "abolish", "discontinue", "decommission", "drop support for",
)  # fmt: skip
"""They deny what follows up to the end of the clause."""

NARROW_NEGATORS = (
    "no", "without", "instead of", "rather than", "as opposed to", "independent of", "independently of",
    "regardless of", "irrespective of", "except", "except for", "apart from", "other than", "free of",
    "exclude", "in place of", "in lieu of", "away from", "non", "more than just",
)  # fmt: skip
"""They deny only the phrase that follows, and cancel a `not` earlier in their clause."""

LIGHT_PREDICATES = words("""
    run help helps happen happens happened occur occurs exist exists apply applies matter matters enough suffice
    suffices sufficient necessary needed required true correct allowed guaranteed supported used recommended
    useful worth work works working hold holds permitted possible done
    """)
"""When one of these is denied, what stands before it is denied too ("restarting does not help")."""

ENDINGS = words("""
    terminated died dead cancelled canceled abandoned discontinued decommissioned retired scrapped abolished
    quit resigned left forbidden prohibited banned disallowed outlawed
    """)
"""Negators whose subject is gone, too: what stands before them is denied ("the project was cancelled")."""

AUXILIARIES = words("""
    be is are was were been being do does did have has had will would shall should can could may might must
    """)
"""Where one of these stands, the subject of the sentence is over."""

PREFERENCE_VERBS = words("prefer like love enjoy favour favor choose pick")
"""After one of these, "over" and "more than" introduce the loser of a comparison."""

CHANGE_VERBS = words("move switch migrate change convert transfer relocate upgrade downgrade go transition port")
"""After one of these, "from" introduces what no longer holds."""

EXCLUSIVES = words("only exclusively solely nothing_but strictly")

VERBS = words("""
    accept add affect allow answer appear approve arrive ask assign avoid bake become begin block boot break
    bring build buy cache call cancel cause change check choose clean clear close collect come commit compile
    configure connect contain cook copy crash create cycle dance debug delete deliver depend deploy die disable
    dislike download drain drink drive drop eat emit enable encrypt end enforce enjoy escalate evict execute
    exist expect expire export expose fail fall feed fetch fill find finish fire fix flush follow force forward
    generate give go grow handle hang happen hate help hide hit hold host ignore import increase inject insert
    install invalidate issue join keep kill know last launch lead learn leave like limit listen live load lock
    log lose love lower maintain make manage marry match mean meet migrate monitor mount move need notify occur
    offer open order own park pass pay pick play point poll prefer prepare produce prune publish pull purge push
    put queue quit raise reach read reboot receive redirect reduce refresh refuse register reject reload remove
    renew replace reply report require reset resolve respond restart restore retain retry return ride rotate run
    save scale scan seal see sell send serve set share shut sit skip sleep smoke speak spend squash start stay
    stop store stream study suffer support swap swim switch sync take talk teach tend test throw time tolerate
    train transcode travel trigger trust try turn understand unplug unseal update upgrade upload use validate
    verify visit wait wake walk want warn watch wear work write
    """)
"""Common verbs; where the first one stands, the subject of a sentence ends. Single words only."""

OWN_STEMS = words("""
    stateful supper
    terminal banner bane exception retirement norris hard hardly bare barely former formerly format formal
    formally information quite quiet always bearer building container data dns evening german https kubernetes
    later letter loss manager meeting morning nas news note number port postgres rate red redis runner server
    string timeout tls user wedding weight writable
    """)
"""Words that the suffix rules must leave as they are."""

IRREGULAR_FORMS = forms_of("""
    analysis: analyses; approve: approval; bad: worse worst; bass: bassist; be: was were is are been being am;
    become: became; begin: began begun; belong: belongs; bind: bound; break: broke broken; bring: brought;
    build: built; buy: bought; cancel: cancelled cancelling; catch: caught; cello: cellist; child: children kids
    kid; choose: chose chosen; come: came; container: containers; control: controlled controlling; cycling:
    cyclist; die: dying died; divorce: divorcee; do: does did done; draw: drew drawn; drink: drank; drive: drove
    driven; drum: drummer; eat: ate eaten; fail: failure failures; fall: fell fallen; feed: fed; feel: felt;
    find: found; flute: flautist flutist; fly: flew; foot: feet; forbid: forbidden; forget: forgot forgotten;
    freeze: froze; get: got; give: gave given; go: went gone goes; good: better best; grow: grew growth; guitar:
    guitarist; have: has had having; hear: heard; hide: hid hidden; hold: held; index: indices indexes; keep:
    kept; knife: knives; know: knew known; label: labelled; lay: laid; lead: led; leave: left; live: lives
    living; lose: lost; man: men; manage: managed manages; manager: managers; marry: marriage; meet: met;
    meeting: meetings; model: modelled; mouse: mice; note: notes noted noting; terminal: terminals; banner:
    banners; exception: exceptions; number: numbers; organ: organist; overwrite: overwritten; pay: paid; person:
    people; photography: photographic; piano: pianist; port: ports; rate: rates; rebuild: rebuilt; remove:
    removal; renew: renewal; restore: restoration; rewrite: rewritten rewrote; ride: rode ridden; run: ran;
    runner: runners; say: said; see: saw seen; sell: sold; send: sent; server: servers; show: shown; sing: sang
    sung; sleep: slept; smoke: smoker; speak: spoke spoken; spend: spent; stand: stood; steal: stolen stole;
    swim: swam; take: took taken; teach: taught; tell: told; think: thought; throw: threw thrown; tooth: teeth;
    travel: travelled travelling; understand: understood; use: uses used using; user: users; vegan: veganism;
    vegetarian: vegetarianism; violin: violinist; wake: woke; wear: wore; wife: wives; win: won; wind: wound;
    woman: women; write: wrote written
    """)
"""Forms that the suffix rules would get wrong, and players named after their instruments."""

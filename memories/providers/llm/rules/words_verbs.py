"""English verbs, so that a sentence can change its person: "I live" → "User lives". Data only."""

from memories.text.wordlist import words

REGULAR = words("""
    accept access accredit ache achieve acknowledge act add adjust admire admit adopt adore advise affect agree aim
    allow alter analyse analyze annotate announce answer appear apply appreciate apprentice approve archive argue
    arrange arrive assume attend audit audition authenticate authorize automate autoscale avoid back backpack bake
    balance ban barter base batch battle believe belong benchmark bike bill blacklist blame bleach blink block blog
    boil bolt book bookmark boot borrow bother bowl box branch brew brick browse bruise brunch brush budget bump
    bundle cache call camp campaign cancel canoe care carpool carry carve cause celebrate certify chair change
    charge chat check chew chill choose cite claim clean clear climb clone close coach code collect combine commit
    commute compare compete compile complain complete compose concern condition conduct configure confirm connect
    consider consist consume contact contain continue contribute control convert convince cook cool coordinate copy
    correct count cover crash crave crawl create crochet cross cry cure cycle dance date debate debug decide
    decorate decrypt define delay delete deliver demote deny depend deploy deprovision deserialize deserve design
    detest develop die diet digest direct disable disagree discharge discover discuss dislike dislocate divide
    document donate dose download doze draft drag drain dread dress drill drip drop drum dry dump earn edit email
    emigrate enable encourage encrypt end enforce engage enjoy enlist enroll ensure enter escalate escape estimate
    evict examine exclude exercise exfoliate exist expect experience expire explain explore export express face fail
    faint farm fast fear fence ferment file fill film finish fire fish fit fix flash flood focus follow forage force
    fork forward foster found fracture freelance fund fundraise furnish garden gather generate glue golf google
    grade graduate grant grill grind guess guide haggle hammer hand handle happen harmonize hate head heal heat
    hedge help hem hibernate hike hire hitchhike homeschool hope host hum hunt hydrate identify ignore imagine
    immigrate implement import improve improvise include increase index inform inhale inject inoculate insist
    inspect install insure intend interact intern introduce invest invite invoice involve iron itch jailbreak jog
    join juggle juice jump kayak kick knit label lack land last laugh launch leak learn lease lecture license lift
    like limit limp link lint list listen live load loathe lock log look love lower maintain major manage march mark
    market marry marshal master matter measure meditate mention mentor merge message migrate mind minify miss mix
    mock moisturize monitor mop mount move multitask murmur mute nail name nap naturalize need negotiate nod note
    notice notify obfuscate observe occur offboard offer onboard open operate order organise organize outsource
    overclock overheat owe own pack paddle paint parachute parade paraphrase park parse participate pass paste patch
    pause pawn perform permit persuade photograph pick ping pitch place plagiarize plan plant plaster play please
    pluck plumb podcast point poke polish post pour practice practise pray prefer prepare prescribe present press
    pretend prevent process produce profile program promise promote proofread propose protect protest prove provide
    provision prune publish pull purchase push qualify quarantine query question queue quote race raise rap rate
    reach react realise realize rebase reboot rebut receive recommend reconnect record recover recruit recycle
    reduce refactor refer referee refill reformat refund refuse register regret rehearse reimburse reject relapse
    relate relax release reload relocate rely remain remember remind remix remodel remove rename render renew
    renovate rent repair repeat replace reply report represent require rerun research reset reside resize resolve
    respect respond rest restart restore result resume retire retry return reuse review revoke rinse roam roast rock
    root rotate row sail sand sanitize save scale scan scar schedule score scrape scream screw scroll scrub sculpt
    seal search seem select separate serialize serve settle shadow shampoo share shave shift ship shop short shout
    shower sightsee sign silence skate sketch ski skip skydive smell smile smoke snack sneeze snooze snore snorkel
    snowboard soak solder solve sort sound specialise specialize spill sponsor sprain sprint squash squat stack
    stage stain start stash stay steam stitch stop store stream stretch stroll struggle strum stub study stutter
    sublet subscribe suffer suggest sulk sunbathe supervise supply support suppose surf survive suspect suspend
    swallow swap swell switch sync tag tailor talk tan tape target taste tend test text thank throb throttle tidy
    tile time tolerate touch tour track trade train transfer translate transpile travel treat trigger trim trust try
    tune turn tutor tweet tweeze type umpire underclock underestimate unfollow unload unplug unsubscribe update
    upgrade upload use used vacation vaccinate vacuum validate value varnish vary verify view visit vlog volunteer
    vomit vote wait walk wallpaper wander want warn wash watch water wax weigh weld whisk whistle whitelist wipe
    wire wish wonder work worry wrap wrestle yell yield zip
    """)
"""Those whose past ends in -ed."""

IRREGULAR = """
    become became become; begin began begun; bend bent bent; bet bet bet; bite bit bitten; bleed bled bled; blow
    blew blown; break broke broken; breed bred bred; bring brought brought; build built built; burn burned burnt;
    buy bought bought; catch caught caught; choose chose chosen; come came come; cost cost cost; cut cut cut; deal
    dealt dealt; dig dug dug; dive dived dived; do did done; draw drew drawn; dream dreamed dreamt; drink drank
    drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed fed; feel felt felt; fight fought fought;
    find found found; fly flew flown; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get
    got gotten; give gave given; go went gone; grow grew grown; hang hung hung; have had had; hear heard heard; hide
    hid hidden; hit hit hit; hold held held; hurt hurt hurt; keep kept kept; know knew known; lay laid laid; lead
    led led; leave left left; lend lent lent; let let let; lie lay lain; light lit lit; lose lost lost; make made
    made; mean meant meant; meet met met; overwrite overwrote overwritten; pay paid paid; put put put; quit quit
    quit; read read read; rebuild rebuilt rebuilt; ride rode ridden; ring rang rung; rise rose risen; run ran run;
    say said said; see saw seen; sell sold sold; send sent sent; set set set; sew sewed sewn; shake shook shaken;
    shoot shot shot; show showed shown; shut shut shut; sing sang sung; sit sat sat; sleep slept slept; speak spoke
    spoken; spend spent spent; stand stood stood; steal stole stolen; stick stuck stuck; strike struck struck; swear
    swore sworn; swim swam swum; take took taken; teach taught taught; tear tore torn; tell told told; think thought
    thought; throw threw thrown; understand understood understood; wake woke woken; wear wore worn; weave wove
    woven; win won won; withdraw withdrew withdrawn; write wrote written; rewrite rewrote rewritten; split split
    split; spread spread spread; babysit babysat babysat; overcome overcame overcome; oversee oversaw overseen; mow
    mowed mown
"""
"""Base, past, participle."""

NOUNLIKE = words("""
    work love play drink run use travel walk cook dance water study visit need hate test start plan call help watch
    show drive ride rest garden paint shop surf fish hunt camp hike blog code design film track train cycle climb
    host sleep sail skate ski sketch smoke grill roast garden market trade fear care change chat check deal date
    exercise
    """)
"""Verbs that are nouns as often; behind "and" only the next word can tell."""

NEVER_PAST = words("need feed speed breed exceed proceed succeed bleed seed weed heed embed shred")

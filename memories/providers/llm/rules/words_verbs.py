"""English verbs, so that a sentence can change its person: "I live" → "User lives". Data only."""

from memories.text.wordlist import words

REGULAR = words("""
    accept access accredit ache achieve acknowledge act add adjust admire admit adopt adore advise affect agree aim
    alert allow alter analyse analyze annotate announce answer appear append apply appreciate apprentice approve archive
    argue arrange arrive ask assign assume attach attend audit audition authenticate authorize automate autoscale avoid
    back backpack bake balance ban barter base batch battle beg believe belong benchmark bike bill blacklist blame
    bleach blink block blog boil bolt book bookmark boot borrow bother bowl box branch brew brick browse bruise brunch
    brush budget bump bundle cache calculate call camp campaign cancel canoe cap care carpool carry carve cause
    celebrate certify chair change charge chat check cheer chew chill choose cite claim clean clear climb clone close
    coach code collapse collect combine comfort commit commute compare compete compile complain complete compose
    compress concern condition conduct configure confirm confuse connect consider consist consume contact contain
    continue contribute control convert convince cook cool coordinate copy correct cough count cover crack crash crave
    crawl create crochet cross cry cure cycle dance date debate debug decide decode decorate decrypt define delay
    delegate delete deliver demote deny depart depend deploy deprovision deserialize deserve design detach detest
    develop die diet digest direct disable disagree discharge discover discuss dislike dislocate dismiss dispute
    distribute divide document donate dose doubt download doze draft drag drain dread dress drift drill drip drop drown
    drum dry dump dye earn echo edit educate elect email emigrate employ empty enable encode encourage encrypt end
    enforce engage enjoy enlist enroll ensure enter envy escalate escape escort estimate evict examine exceed excite
    exclude exercise exfoliate exist expect experience expire explain explode explore export expose express extend face
    fail faint farm fast fear fence ferment fetch file fill film finish fire fish fit fix flag flash flatten flood flush
    focus fold follow forage force fork format forward foster found fracture freelance fry fund fundraise furnish garden
    gather generate glue golf google gossip grab grade graduate grant greet grill grind guard guess guide haggle halve
    hammer hand handle happen harmonize hash hate head heal heat hedge help hem hibernate hike hire hitchhike homeschool
    hope host hum hunt hurry hydrate identify ignore imagine immigrate implement import improve improvise include
    increase index inform inhale inherit inject inoculate insist inspect inspire install insure intend interact intern
    introduce invest invite invoice invoke involve iron isolate itch jailbreak jam jog join juggle juice jump kayak kick
    kiss knit knock label lack lag land last laugh launch leak learn lease lecture license lift like limit limp link
    lint list listen live load loathe lock log look loosen love lower maintain major manage map march mark market
    marry marshal mask master matter measure meditate melt mention mentor merge message migrate mind minify mirror miss
    mix moan mock moisturize monitor mop mount move multitask murmur mute nag nail name nap naturalize need negotiate
    nod notarize note notice notify nurse obey obfuscate object observe occur offboard offend offer omit onboard open
    operate order organise organize outsource overclock overheat overlap owe own pack paddle page paint panic parachute
    parade paraphrase park parse participate pass paste patch pause pawn peel perform permit persuade phone photograph
    pick pin pinch ping pitch place plagiarize plan plant plaster play please pluck plug plumb podcast point poke polish
    poll pop post postpone pour practice practise pray prefer prepare prescribe present preserve preside press pretend
    prevent print prioritise prioritize process produce profile program promise promote prompt proofread propagate
    propose protect protest prove provide provision prune publish pull purchase push puzzle qualify quarantine query
    question queue quote race rain raise rap rate reach react realise realize rebase reboot rebut receive recommend
    reconnect record recover recruit recycle reduce refactor refer referee refill reformat refresh refund refuse
    register regret rehearse reimburse reject relabel relapse relate relax release reload relocate rely remain remember
    remind remix remodel remove rename render renew renovate rent reorder repair repeat replace replicate reply report
    represent request require rerun reschedule rescue research resend reset reside resize resolve respect respond rest
    restart restock restore result resume retire retrain retry return reuse revert review revoke rinse roam roast rock
    root rotate row rush sail sand sanitize save scaffold scale scan scar schedule scold score scrape scratch scream
    screw scroll scrub sculpt seal search seem select separate serialize serve settle shadow shampoo shard share shave
    shift ship shop short shout shower sigh sightsee sign silence simplify skate sketch ski skip skydive slow smell
    smile smoke snack snap sneeze snooze snore snorkel snowboard soak solder solve sort sound spawn specialise
    specialize spike spill sponsor sprain sprint squash squat squeeze stack stage stain stall stamp stare start stash
    stay steam steer stir stitch stop store stream stretch strip stroke stroll struggle strum stub study stutter sublet
    subscribe subtract suffer suggest suit sulk sum sunbathe supervise supply support suppose surf survive suspect
    suspend swallow swap swell switch sync tackle tag tailor talk tan tape target taste tease tend test text thank throb
    throttle tick tidy tie tile time toast tolerate touch tour trace track trade trail train transfer translate
    transpile transport travel treat trigger trim truncate trust try tune turn tutor tweet tweeze twist type umpire
    underclock underestimate unfollow unify unload unlock unmount unpack unplug unsubscribe update upgrade upload urge
    use used vacation vaccinate vacuum validate value varnish vary verify view visit vlog volunteer vomit vote wait walk
    wallpaper wander want warn wash waste watch water wax weigh weld whine whip whisk whisper whistle whitelist widen
    wipe wire wish witness wonder work worry wrap wrestle yell yield zip
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
    mowed mown; undo undid undone; upset upset upset; wind wound wound; overrun overran overrun; bind bound bound;
    shrink shrank shrunk; spoil spoiled spoilt
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

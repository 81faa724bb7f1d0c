"""Words that sentences are read by: small words, verbs and their forms, categories, other languages."""

from __future__ import annotations

from functools import lru_cache

from memories.language.wordlists import words

ABBREVIATIONS = words("""
    mr mrs ms dr prof st sr jr vs e.g i.e eg ie approx ca cf no nr vol fig inc ltd co corp dept est ext tel a.m p.m
    am pm etc jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun z.b bzw usw ca u.a p.ex
    sra dra incl excl
    """)

ADVERBS = words("""
    also always never often usually normally generally typically sometimes rarely seldom hardly barely mostly mainly
    really truly absolutely definitely certainly probably just only still currently actually already now nowadays
    recently finally even ever kinda basically particularly especially strongly strictly simply both all currently
    mostly regularly occasionally frequently personally totally completely originally initially previously lately
    officially technically honestly literally greatly much prefer_to deeply secretly formerly once soon then both
    """)
"""They stand between a subject and its verb. Words in -ly count as well."""

ADJECTIVES = words("""
    able absent alone available away awake big broken busy cheap clean closed cold correct dead down due empty enough
    expensive expired fast fine flaky free full good healthy high home hot ill large late legal likely live long low
    mandatory married missing necessary new normal old online offline open optional pregnant private public read-only
    ready
    required responsible retired safe short sick slow small stable stuck sure true up urgent vegan vegetarian valid
    wrong
    """)
"""Common ones, which may follow "is X"."""

MODALS = words("""
    can can't cannot could couldn't will won't would wouldn't should shouldn't must mustn't may might shall
    """)

CONTRACTED = words("i'm i've i'll i'd we're we've we'll it's she's he's they're there's that's")
"""Somebody or something with its verb, in one word."""

SUBORDINATORS = words("""
    because since when whenever while that which who whom whose where if as though although before after until till
    unless than what how why whether so once
    """)

DETERMINERS = words("the a an my our your his her their its this that these those some any no every each all both")
PREPOSITIONS = words("""
    in on at by to from for of with into onto over under above below between through during within via inside
    outside behind near against across along toward towards upon per off out up down around about before after
    without as
    """)

NOUNS_IN_ING = words("""
    meeting meetings wedding training building opening hearing closing painting booking reading briefing landing
    ceiling parking pricing timing evening morning thing something anything nothing king ring spring setting training
    onboarding billing logging monitoring clothing housing funding staging string
    """)
"""They end like a verb in progress, and are none."""

TITLE = r"(?:Dr|Mr|Mrs|Ms|Prof|Professor)\b\.?"
BETWEEN_NAMES = r"(?:(?:van|von|de|der|den|la) )*"
"""Patterns of what stands before somebody's name."""

KIN = words("""
    wife husband partner spouse girlfriend boyfriend fiance fiancee fiancé fiancée mother mom mum mama mommy father
    dad papa daddy parent parents sister sisters brother brothers sibling siblings son sons daughter daughters kid
    kids child children baby twin twins toddler grandmother grandma granny grandfather grandpa grandparents
    granddaughter grandson uncle aunt cousin cousins niece nephew stepson stepdaughter stepmother stepfather
    mother-in-law father-in-law sister-in-law brother-in-law in-laws dog dogs cat cats puppy kitten pet pets rabbit
    parrot horse hamster friend friends bestie boss manager supervisor mentor colleague colleagues coworker
    coworkers co-worker roommate roommates flatmate housemate neighbor neighbour neighbors neighbours landlord
    doctor dentist therapist trainer coach tutor teacher professor advisor nanny babysitter family ex ex-wife
    ex-husband cofounder co-founder
    """)

HELPERS = words("""
    accountant lawyer solicitor barrister notary gp physio physiotherapist midwife vet optician hairdresser barber
    plumber electrician mechanic builder cleaner gardener childminder surgeon specialist psychologist psychiatrist
    dietitian nutritionist pharmacist agent broker
    """)
"""Those whom somebody goes to or has coming: "my accountant"."""

HOME = words("""
    home house flat apartment cabin cottage bedroom kitchen bathroom garden garage roof attic stairs fridge oven sofa
    bed road street
    neighbourhood village car bike dinner lunch breakfast supper meal groceries shopping holiday holidays trip christmas
    school homework nursery church party recipe cook cooking bake solar heating rent mortgage landlord weekend
    """)
"""What people talk about at home."""

OWN_THINGS = words("""
    name nickname surname birthday birthdate age job role title email phone number address favorite favourite hobby
    hobbies timezone zone salary budget goal goals allergy allergies diet degree major company employer office team
    car bike house home flat apartment flight appointment meeting deadline exam wedding anniversary laptop computer
    phone server homelab setup stack editor keyboard project startup business height weight size religion language
    pronouns blood type nationality passport visa dream plan schedule routine shift commute city country hometown
    town school university college class course thesis dissertation book novel blog website podcast channel band
    instrument guitar piano garden hair eyes condition diagnosis medication meds dose insulin surgery injury knee
    back asthma migraine insurance bank account rent mortgage lease contract interview start vacation holiday trip
    conference presentation surgery due date handle username preference preferences style workflow os distro
    terminal shell router nas network printer tv kitchen oven boat motorcycle wheelchair therapist target limit
    specialty field profession background
    """)
"""What somebody owns or is: "my X is …" tells something lasting."""

PASSING_THINGS = words("""
    code question questions problem issue point guess understanding bad mistake apologies apology message query
    request prompt text essay script output function error errors fault answer turn idea thought thoughts concern
    worry bug sentence paragraph draft first last next previous gut feeling mind head screen internet connection
    turn attempt input file document list example assignment homework task
    """)
"""What is only talked about now: "my question is …"."""

OPS_NOUNS = words("""
    db database databases server servers service services cluster node nodes host hosts staging prod production dev
    environment env api endpoint gateway proxy cache queue worker workers job jobs cron cronjob backup backups cert
    certs certificate certificates token tokens key secret secrets port ports deploy deploys deployment deployments
    release releases pipeline ci build builds test tests branch repo repository monorepo container containers image
    pod pods namespace volume disk memory cpu ram gpu network dns domain subdomain firewall vpn router switch nas
    nfs s3 bucket log logs metrics alert alerts dashboard monitor monitoring migration migrations schema table index
    replica replicas primary leader config configuration setting settings flag env var timeout retry limit quota
    rate-limit latency upgrade rollback version script scripts webhook login auth sso oauth ldap password frontend
    backend app webapp website site client scheduler broker registry runner runners firmware vm vms hypervisor rack
    ups lambda function queue topic consumer producer linter formatter compiler package library framework dependency
    tls ssl ssh session sessions connection pool load balancer healthcheck health-check probe daemon unit systemd
    snapshot restore maintenance window oncall on-call incident outage ticket postmortem sla codebase compose
    ingress daemonset tenant terraform datacenter region zone sensor thermostat hub bridge printer
    """)
"""What operations and development talk about."""

OPS_PRODUCTS = words("""
    postgres postgresql mysql mariadb sqlite redis nginx apache caddy traefik haproxy docker kubernetes k8s k3s helm
    terraform ansible jenkins gitlab github prometheus grafana loki elasticsearch kibana kafka rabbitmq mongodb
    mongo celery django flask fastapi rails node react vue typescript python rust golang java linux ubuntu debian
    alpine aws gcp azure cloudflare vault consul etcd memcached clickhouse snowflake bigquery jellyfin plex
    nextcloud immich gitea zfs wireguard tailscale proxmox unifi pihole pi-hole homeassistant sentry datadog
    jira linear slack confluence notion trello asana github-actions woodpecker tekton nomad podman mosquitto fly hetzner
    pagerduty argocd circleci pytest ruff mypy eslint prettier webpack vite npm yarn pnpm poetry pip uv make cmake
    bazel gradle maven minio ceph systemd certbot letsencrypt supabase vercel heroku netlify opensearch keycloak
    """)
"""Products people write in lower case."""


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


POINTERS = {
    "timing": words("""
        seconds second minutes minute hours ms takes took slow latency timeout timeouts duration startup wait
        interval ttl schedule scheduled nightly hourly utc window cron faster slower p95 p99 p50 delay expires
        """),
    "dependency": words("""
        depends dependency dependencies requires require needs behind upstream downstream connects connected
        postgres postgresql mysql mariadb redis kafka version pinned runs uses library package database db host port
        cluster replica driver node python sits listens
        """),
    "remediation": words("""
        fix fixed fixes restart restarted restarts workaround rollback rolled solved resolved remedy repaired
        recover recovers recovery cause caused raised reverted cleared prune patched silenced removed
        """),
    "maintenance": words("""
        backup backups upgrade upgraded upgrades migration migrations cert certificate certificates renew renews
        rotation rotate cleanup maintenance prune vacuum retention snapshot patching deprecated retired oncall
        on-call release freeze renewal
        """),
    "behavior": words("""
        fails fail crashes crash returns behaves hangs rejects caches retries drops ignores flaky refuses breaks
        locks triggers oom leaks error errors
        """),
    "work": words("""
        job work works working company boss manager team colleague colleagues office employer client clients
        customer customers career interview salary promotion meeting meetings conference nurse engineer developer
        designer teacher lawyer freelance startup business project projects thesis degree university student studies
        phd course exam degree professional deadline sprint repo branch coworker shift lead researcher consultant
        founder intern contract python rust code commit tests c++ java
        """),
    "preferences": words("""
        prefer prefers like likes dislikes love loves hate hates favorite favourite enjoys rather always never
        instead emoji emojis answers replies metric units celsius style called wants format tone dark mode tabs
        spaces language concise brief pronouns window aisle
        """),
    "health": words("""
        allergic allergy allergies intolerant intolerance vegan vegetarian gluten celiac coeliac diabetic diabetes
        asthma pregnant medication meds doctor diagnosed migraine migraines insulin therapy therapist surgery injury
        knee pain diet disc blood pressure adhd anxiety depression lactose nuts peanuts hospital pill pills dose mg
        physio ferritin dentist cardiologist appointment allergic calories smoke hip chickenpox dyslexic vaccine
        alérgica alérgico celíaca vegetarier vegetarierin veganer veganerin vegetariano vegetariana végétarien
        végétarienne laktose allergique allergie intolerancia
        """),
    "hobbies": words("""
        hobby hobbies cello violin drums practises practices lessons play plays guitar piano chess climbing hiking
        running marathon swim swims cycling bike gaming games game garden gardening knitting painting photography
        reading books book novel music band choir football soccer tennis yoga travel trip holiday vacation flying
        fly camping fishing cooking baking sourdough dance surf ski skiing movie movies series collects coach
        coaches campaign concert sport gym
        """),
    "relationships": words("""
        wife husband partner girlfriend boyfriend mother mom mum father dad parents sister brother son daughter kids
        children child baby twins grandma grandmother grandpa grandfather uncle aunt cousin niece nephew friend
        friends married engaged divorced wedding anniversary birthday family dog cat pet puppy kitten neighbour
        neighbor roommate fiancé fiancée in-laws frau mann tochter schwester bruder fille sœur frère mari femme hija
        hijo hermana hermano esposa marido
        """),
}
OPERATIONAL = ("timing", "dependency", "behavior", "remediation", "maintenance")
PERSONAL = ("work", "preferences", "health", "hobbies", "relationships")
WEIGHTS = {"health": 1.3, "relationships": 1.15, "remediation": 1.3, "maintenance": 1.1, "preferences": 0.9}
"""Where two are named, the graver one wins."""


STATEMENTS = {
    "de": (
        r"\b(?:ich (?:bin|wohne|lebe|arbeite|heiße|heisse|mag|liebe|hasse|bevorzuge|esse|trinke|spreche|spiele|nutze|"
        r"benutze|verwende|fahre|studiere|lerne|komme aus|nehme|vertrage|rauche|trainiere|unterrichte|leite|ziehe|"
        r"fliege|reise|heirate|besitze|kaufte|habe (?:eine?n? )?(?:\w+ )?(?:allergie|unverträglichkeit|hund|katze|"
        r"kind|kinder|termin|sohn|tochter|bruder|schwester|geburtstag|asthma|diabetes|prüfung|urlaub|zwei|drei|vier)|"
        r"(?:kann|darf) (?:kein|nicht|nur))|(?:mein|meine|meinem|meiner|unser|unsere) (?:name|frau|mann|sohn|tochter|"
        r"bruder|schwester|mutter|vater|hund|katze|chef|chefin|freund|freundin|partner|partnerin|kinder|eltern|oma|"
        r"opa|geburtstag|server|firma|team|arzt|ärztin)|wir (?:nutzen|verwenden|benutzen|wohnen|leben|ziehen|fliegen|"
        r"heiraten|fahren|setzen|deployen|haben (?:uns|beschlossen|entschieden|einen|eine|zwei|drei))|nenn mich|"
        r"hab(?:e)? (?:am|einen?|ne)\b.{0,200}\b(?:termin|allergie|kind|hund)|nehme (?:ja )?(?:seit|täglich))\b"
    ),
    "fr": (
        r"(?:\bje (?:suis|vis|travaille|m'appelle|préfère|déteste|parle|mange|bois|joue|déménage|pars|prends|"
        r"ne (?:mange|bois|supporte|peux|travaille|fume|parle)|viens de|fais (?:du|de la|partie)|n'aime)|"
        r"\bj'(?:habite|aime|adore|utilise|étudie|apprends|enseigne|évite|ai (?:une? (?:fille|fils|chien|chat|"
        r"allergie|enfant|frère|sœur|soeur|rendez-vous)|deux|trois|\d+ ans|déménagé|décidé|horreur)|ai un)|\b(?:mon|"
        r"ma|mes|notre|nos) (?:nom|femme|mari|fils|fille|frère|sœur|soeur|mère|père|chien|chat|chef|copain|copine|ami|"
        r"amie|anniversaire|enfants|parents|médecin|équipe|serveur)|\bnous (?:utilisons|habitons|avons (?:décidé|"
        r"choisi|un|une|deux)|partons|déployons)|\bon (?:utilise|habite|part à|déménage)|appelle-moi)\b"
    ),
    "es": (
        r"\b(?:(?:yo )?soy (?:\w+)|vivo en|trabajo (?:en|como|de|desde|para)|me llamo|me gustan?|no me gustan?|"
        r"me encantan?|prefiero|odio|uso|estudio|hablo|juego|tengo (?:alergia|un (?:hijo|perro|gato|hermano|vuelo|"
        r"examen)|una (?:hija|perra|gata|hermana|cita|alergia|reunión|intolerancia)|dos|tres|\d+ años|diabetes|asma)|"
        r"no (?:como|bebo|puedo comer|tolero|fumo)|mi (?:nombre|esposa|esposo|marido|mujer|hijo|hija|hermano|hermana|"
        r"madre|padre|perro|gata|gato|jefe|jefa|novia|novio|cumpleaños|médico|familia)|(?:nos )?mudamos|usamos|"
        r"vivimos en|nos vamos a|decidimos|hemos decidido|llámame|nací en)\b"
    ),
    "it": (
        r"\b(?:sono (?:allergic[oa]|vegan[oa]|vegetarian[oa]|celiac[oa]|nat[oa]|un[oa]?|italian[oa])|vivo a|abito a|"
        r"lavoro (?:a|come|per|in)|mi chiamo|mi piac(?:e|ciono)|non mi piac(?:e|ciono)|preferisco|odio|(?:mia|mio|"
        r"la mia|il mio) (?:moglie|marito|figlio|figlia|sorella|fratello|madre|padre|cane|gatto)|usiamo|chiamami|"
        r"ho (?:due|tre|un figlio|una figlia|un cane|un gatto|l'allergia))\b"
    ),
    "pt": (
        r"\b(?:(?:eu )?sou (?:alérgic[oa]|vegan[oa]|vegetarian[oa]|celíac[oa]|de|um|uma|\w+)|moro em|trabalho (?:em|"
        r"como|na|no|de|para)|passo a trabalhar|me chamo|meu nome|eu gosto|não gosto|prefiro|odeio|minha (?:esposa|"
        r"mulher|filha|irmã|mãe|namorada)|meu (?:marido|filho|irmão|pai|namorado|cachorro|gato)|usamos|tenho (?:dois|"
        r"duas|três|um filho|uma filha|um cachorro|alergia))\b"
    ),
    "nl": (
        r"\b(?:ik (?:ben|woon|werk|heet|hou van|haat|eet|drink|spreek|speel|gebruik|studeer|heb (?:een|twee|drie))|"
        r"mijn (?:naam|vrouw|man|zoon|dochter|broer|zus|moeder|vader|hond|kat|baas)|wij gebruiken|we gebruiken|"
        r"noem me)\b"
    ),
    "ru": (
        r"(?:меня зовут|я (?:живу|работаю|люблю|не люблю|не ем|учусь|играю|предпочитаю|вегетарианец|веган)|"
        r"у меня (?:аллергия|есть|двое|сын|дочь)|мо[йя] (?:жена|муж|сын|дочь|брат|сестра|мама|папа|собака))"
    ),
    "cjk": (
        r"(?:我(?:是|住在|住|喜欢|不喜欢|不吃|对.{1,8}过敏|在.{1,12}工作|叫)|我的(?:名字|生日|妻子|丈夫|儿子|女儿|猫|狗)|私は.{1,30}(?:です|ます)|アレルギー|ベジタリアン|"
        r"に住んで)"
    ),
}
"""Language → what a statement about the speaker looks like, in lower case."""

RULES = (
    r"^(?:(?:bitte )?(?:immer|niemals|nie) (?:\w+ )*\w+e?n$|nenn mich \w+|ab (?:jetzt|sofort) \w+|(?:toujours|"
    r"jamais) \w+|ne \w+ (?:jamais|plus) |appelle-moi \w+|à partir de maintenant |(?:siempre|nunca) \w+|"
    r"llámame \w+|a partir de ahora |de ahora en adelante |antworte (?:mir )?(?:immer|bitte|auf)|"
    r"réponds(?:-moi)? (?:toujours|en)|responde (?:siempre|en)|sprich mich|duze mich)"
)

PASSING = (
    r"\b(?:frage|problem|idee|hilfe|müde|nicht sicher|gerade dabei|fehler|hunger|langweilig|question|problème|"
    r"idée|aide|fatigué|désolé|pas sûr|erreur|pregunta|problema|ayuda|cansad[oa]|segur[oa]|idea|domanda|aiuto|"
    r"stanco|dúvida|ajuda|vraag|вопрос|помоги|wenn ich|falls ich|si j'étais|si yo fuera|stell dir vor|imagine que|"
    r"imagina que|würde|möchte wissen|voudrais|quisiera)\b"
)

GREETED = (
    r"^(?:hallo|hi|hey|moin|servus|guten (?:tag|morgen|abend)|bonjour|salut|coucou|hola|oye|buenos días|"
    r"buenas(?: tardes| noches)?|ciao|oi|olá|ok|also|übrigens|au fait|por cierto|ach(?: ja)?|ja|nein|oui|non|sí|"
    r"bitte|danke|merci|gracias)\s*[,!.:;–-]+\s*"
)


_VOWELS = "aeiou"
_SIBILANTS = ("s", "sh", "ch", "x", "z", "o")
_DOUBLED = words("""
    admit ban chat crop drag drop fit hug jog knit log nap occur pat permit plan prefer refer regret scan ship shop
    skip squat step stop swap tag trip wrap zip clap get run sit set swim cut put quit hit let begin forget win dig
    split babysit program commit rebut strip pin map nag beg plug trim snap slip wrap flag cap grab jam drip
    """)
_ODD_THIRD = {"have": "has", "do": "does", "go": "goes", "be": "is"}


def _irregular() -> dict[str, tuple[str, str]]:
    rows = (entry.split() for entry in IRREGULAR.split(";") if entry.strip())
    return {base: (past, participle) for base, past, participle in rows}


_PAST_OF = _irregular()
BASES = REGULAR | _PAST_OF.keys()


def third_person(base: str) -> str:
    """ "live" → "lives", "study" → "studies"."""
    if base in _ODD_THIRD:
        return _ODD_THIRD[base]
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    if base == "quit":
        return "quits"
    return base + ("es" if base.endswith(_SIBILANTS) else "s")


def plural_form(verb: str) -> str:
    """ "owns" → "own", "is" → "are"; any other form as it is."""
    return {"is": "are", "was": "were", "has": "have"}.get(verb, _THIRD.get(verb, verb))


def gerund(base: str) -> str:
    if base in _DOUBLED:
        return base + base[-1] + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    return base + "ing"


def past(base: str) -> str:
    """ "live" → "lived", "go" → "went"."""
    return _PAST_OF[base][0] if base in _PAST_OF else _past(base)


def _past(base: str) -> str:
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return base + ("d" if base.endswith("e") else "ed")


_THIRD = {third_person(base): base for base in BASES}
_GERUNDS = {gerund(base): base for base in BASES}
_PASTS = {_past(base): base for base in BASES - _PAST_OF.keys()} | {past: base for base, (past, _) in _PAST_OF.items()}
_PARTICIPLES = {_past(base) for base in BASES - _PAST_OF.keys()} | {participle for _, participle in _PAST_OF.values()}
AUXILIARIES = MODALS | words("""
    am is are was were isn't aren't wasn't weren't ain't has have had hasn't haven't hadn't do does did don't
    doesn't didn't
    """)


def is_base(word: str) -> bool:
    return word in BASES


def base_of_gerund(word: str) -> str:
    """ "using" → "use"; "" for a verb that is not known."""
    return _GERUNDS.get(word, "")


def is_past(word: str) -> bool:
    return (word in _PASTS and word not in {"put", "cut", "hit", "let", "set", "read", "hurt", "cost", "lay"}) or (
        word.endswith("ed") and word not in NEVER_PAST and len(word) > 3
    )


def is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and word not in NEVER_PAST) or word in {"been", "gotten"}


@lru_cache(maxsize=4096)
def is_finite(word: str) -> bool:
    """Tell whether a verb in this form can be the verb of a sentence."""
    return word in AUXILIARIES or word in BASES or word in _THIRD or is_past(word)

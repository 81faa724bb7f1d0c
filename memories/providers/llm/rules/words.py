"""Small words the rules read sentences by. Data only."""

from memories.text.wordlist import words

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

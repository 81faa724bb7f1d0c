"""Words that exclude each other: opposites, and classes of which one thing has one at a time. Data only."""

OPPOSITES = """
enable, enabled, turn on, turned on, switch on, switched on, activate, active, activated | disable, disabled,
    turn off, turned off, switch off, switched off, deactivate, inactive, deactivated, off
allow, permit, grant, tolerate, authorise, whitelist, welcome | forbid, prohibit, ban, disallow, deny, block,
    refuse, reject, must not, off limits, not allowed, taboo, blacklist, outlaw
accept, approve, admit | reject, decline, refuse, turn down, turned down, deny, bounce, veto
optional, voluntary, unnecessary, superfluous, not necessary, needless, not required, skip, expendable |
    required, mandatory, compulsory, need, necessary, obligatory, essential, indispensable, precondition,
    prerequisite, depend, rely, require, crucial, vital, insist
automatic, automatically, by itself, by themselves, on its own, unattended, hands-off, automated | manual,
    manually, by hand, personally, in person
before, prior to, ahead of, earlier, precede | after, following, afterwards
ahead of schedule, on time, punctual, in time | delayed, overdue, behind schedule, tardy
boot, launch, come up, kick off, resume | stop, halt, shut down, quit, cease, terminate
increase, raise, grow, bump, higher, scale up, double, extend, expand, lengthen, climb | decrease, shrink,
    reduce, scale down, halve, shorten, diminish, lose, decline
more, above, exceed, at least, greater, larger, bigger, longer | less, below, under, at most, fewer, smaller,
    shorter
keep, retain, preserve, store, save, survive, persist, durable, permanent, forever, kept | delete, remove,
    purge, wipe, discard, throw away, lose, erase, vanish, evict, get rid of, destroy, disappear, gone, expire,
    ephemeral, give away, given away, throw out, shred, overwrite, sell, sold
keep | sell, sold, give up, gave up, give away, lose, abandon, get rid of, retire, no longer
read-only, readonly, immutable, frozen | writable, read-write, mutable, editable,
    can write, may write, write to, overwrite, overwritten
log, logs, error message, clear error, warn, loud, noisy, verbose | silent, silently, quiet, quietly, mute,
    without a word
fail, failure, break, broken, crash, error, does not work, go wrong, unusable, dead, defunct, stop working |
    succeed, success, smooth, smoothly, no effect, survive, handle, healthy, without problems, reliably
help, fix, cure, solve, resolve, effective, go away | make no difference, pointless, useless, no effect, worse,
    worsen, ineffective, in vain
safe, safely, harmless, secure | dangerous, unsafe, harmful, risky, insecure, hazardous, duplicate
reachable, available, online, healthy, alive, up and running, back in operation, operational | unreachable,
    unavailable, offline, unhealthy, stopped, dead, out of service, out of order, broken
online, internet, connected | offline, without internet, disconnected, air-gapped
connect, connected, attach, join, plug in | disconnect, detach, unplug, separate
encrypted, https, tls, masked, hashed, anonymised, redacted | plain text, plaintext, clear text, unencrypted,
    plain http, in the clear, unmasked
public, open to everyone, everyone, anyone, anybody, any host, worldwide | private, internal, members,
    restricted, invitation, closed, confidential, only members
anonymous, guest, without credentials, without a password, without login | login, credential, password,
    authenticated, signed in
everyone, everybody, anyone, entire, whole, universal | sole, partial, exclude
always, every time, constantly, invariably, permanently, daily, usually, often, frequently, regularly,
    religiously | sometimes, occasionally
synchronous, synchronously, blocking, immediately, instantly, at once, right away, straight away, inline,
    real time | asynchronous, asynchronously, in the background, background, delayed, eventually, can wait, batch
immediately, at once, instantly, right away, urgent | wait, postpone, delay, no hurry, next day, business hours
together, at the same time, jointly, simultaneously, same, combined | separate, separately, independent,
    independently, their own, its own, individually, alone, apart, each have, one after the other, isolated,
    dedicated, solo
serial, one by one, sequential, sequentially, one at a time | parallel, in parallel, concurrently,
    simultaneously
same, identical, equal | different, distinct, differ
local, locally, on-prem, on premises, self-hosted, own server, in house, in-house | remote, cloud, hosted, saas,
    external, outsourced, third party, offsite
remote, remotely, from home, home office, at home, video, online, virtual, virtually, zoom | on site, on-site,
    in the office, in person, face to face, commute, office
cache, cached, served from cache, from the cache | uncached, bypass, bypassed, straight to the backend, fresh,
    pass through
primary, leader | secondary, replica, standby, follower, backup, spare
fresh, latest, newest, modern, recent, up to date, current | legacy, oldest, outdated, stale, obsolete, overdue,
    deprecated, expired, ancient, second-hand
up to date | overdue, outdated, expired, behind
valid, in force | invalid, expired, void
latest | pinned, pin, fixed version
fast, quick, quickly, rapid, swift, speedy, in seconds | slow, slowly, sluggish, for hours, takes ages
big, large, huge, lengthy, detailed, verbose, elaborate, thorough, in depth, extensive, comprehensive | small,
    tiny, little, brief, concise, terse, succinct, compact, minimal
warm, heated | cold, cool, chilled, unheated, iced, ice
warm, heated | cold, ice, freezing
bright, white | dark, black, dim
full | empty, vacant, blank
opened | closed, shut, close
locked, lock, seal, sealed | unlocked, unlock, unseal, unsealed
upper, top, upstairs, above | bottom, downstairs, below, basement
top floor, fourth floor, third floor, second floor, first floor, upstairs | ground floor, basement, cellar
indoor, indoors, inside | outdoor, outdoors, outside, open air
inbound, incoming, ingress, receive | outbound, outgoing, egress, send
push, pushed | pull, pulled, poll, fetch
ascending, oldest first | descending, newest first, latest first
vertical, portrait | horizontal, landscape
easy, simple, simple way, effortless, easily | difficult, complicated, complex, tricky, tough
strict, strictly, enforced, enforce | lenient, lax, relaxed, ignored, waived
stable, steady, reliable, solid | unstable, flaky, unreliable, shaky, erratic
stateful | stateless
static, fixed, constant | dynamic, variable, flexible, floating, dhcp
fixed salary, salary, salaried | commission, hourly, freelance, unpaid, volunteer
manual transmission | automatic transmission
lazy, lazily, on demand | eager, eagerly, preload, preloaded, at boot, at startup
on demand | scheduled, at boot, always running, always on
compressed, gzip, zstd, lz4 | uncompressed, raw
signed | unsigned
tagged | untagged
paid, charged, costs, expensive, costly, pricey, fee, luxury, five-star, premium | gratis, cheap, cheapest,
    inexpensive, no charge, budget, affordable, at no cost
rich, wealthy | poor, broke
buy, bought, purchase | sell, sold, rent, lease, borrow
owner, bought | rent, tenant, lease, borrow
won | lose
hire, hired, employ, recruit, promoted, join, joined | fire, fired, laid off, made redundant, resign, quit,
    passed over, demoted
promoted, promotion, appointed | demoted, passed over, stepped down, denied the promotion
employed, working, job, full-time | unemployed, jobless, between jobs, laid off, retired, retire, retirement,
    pension
full-time, full time | part-time, part time, half days
permanent, permanent contract, indefinitely | temporary, fixed-term, interim, for now
self-employed, freelance, freelancer, own business, own company | employee, employed, salaried, on the payroll
day shift, daytime, morning shift, early shift | night shift, nights, night-shift, late shift, overnight
early bird, early riser, morning person, gets up early | night owl, sleeps in, sleep in, stays up late,
    sleep late
weekday, weekdays, working day, monday to friday | weekend, weekends, saturday, sunday
summer | winter
love, like, enjoy, prefer, adore, favourite, favorite, fond, keen, fan, delight, crave, appreciate, love being,
    into, supporter, look forward, passionate, welcome, happy | hate, dislike, loathe, detest, cannot stand,
    can't stand, avoid, annoying, annoy, despise, afraid, fear, phobia, scared, bored, sick of, unwelcome, refuse,
    disgust, resent, no interest, indifferent, does not care, complain, off limits, no fan
care, matter, important, insist | does not matter, doesn't matter, do not care, indifferent, irrelevant,
    no matter
prefer, rather | rather not, avoid
happy, satisfied, content, glad, pleased, delighted, cheerful | unhappy, sad, upset, dissatisfied, frustrated,
    miserable, depressed, angry, disappointed, stressed
calm, relaxed, patient | nervous, anxious, stressed, impatient
get along, get on well, on good terms, close to, friends, best friend, reconciled, made up | quarrel, argue,
    not on speaking terms, fell out, fallen out, estranged, feud, fight, no contact, enemy, silence, cut off
married, marry, husband, wife, spouse, wedding anniversary, engaged, in a relationship, boyfriend, girlfriend,
    together, fiance, couple, wedding | divorced, divorce, separated, split up, broke up, break up, widowed,
    unmarried, split, called off, bachelor, ex, ex-husband, ex-wife, alone
married | engaged, fiance
alone, by myself, on one's own, solo, lonely, individually | roommate, roommates, flatmate, shares, together,
    in company, companions
only child, no siblings, no brothers, no sisters | sibling, twin, brothers, sisters
childless, no children, no kids | children, father of, mother of, twins, parent
alive, living, still alive | dead, died, passed away, deceased, killed
no pets, never owned a pet, no animals, without pets | dog, cat, pet, hamster, puppy, kitten, parrot, rabbit,
    hens, horse
vegetarian, vegan, no meat, meat-free, plant-based | meat, steak, beef, pork, chicken, bacon, ham, sausage,
    burger, lamb, fish, seafood, salmon, ribs, turkey, barbecue, tuna, sushi, meatballs, schnitzel, bolognese,
    carnivore, salami, duck, butcher
vegan, lactose intolerant, lactose, dairy-free, no dairy | milk, cheese, butter, yoghurt, yogurt, cream, latte,
    ice cream, egg, cappuccino, dairy
sober, teetotal, teetotaller, no alcohol, non-drinker, alcohol-free, does not drink, abstinent, never drinks |
    beer, wine, whisky, whiskey, vodka, gin, rum, cocktail, champagne, cider, drinks, drunk, brandy, prosecco, pint,
    pub
non-smoker, nonsmoker, never smoked, quit smoking, stopped smoking, smoke-free | smokes, cigarette, cigarettes,
    cigar, smoker, pack a day, vape, tobacco, smoking
gluten-free, celiac, coeliac, gluten, no gluten | bread, pasta, wheat, pizza, rye, beer, croissant, noodles,
    baguette
nut allergy, allergic to nuts | eats, snack, peanut butter, nuts, without any trouble, tolerates, no allergies,
    no allergy, harmless, no problem
caffeine-free, no caffeine, decaf, gave up coffee | coffee, espresso, energy drink, cappuccino, caffeine,
    black tea
sweet tooth, sugar, sweets, chocolate, dessert, candy | no sugar, sugar-free, without sugar, unsweetened,
    savoury, bitter, diabetic, low-carb
spicy, chilli, extra hot | mild, bland
healthy, fit, recovered, cured, well, in remission, healed, fully recovered | sick, ill, unhealthy, diagnosed,
    suffering, injured, relapse, chronic
diabetic, diabetes | normal blood sugar, no diabetes
vaccinated, vaccination, immunised, jab, booster | unvaccinated, never got, overdue, refused the vaccine,
    no vaccine
pregnant, expecting, expects a baby | gave birth, not pregnant, baby was born, miscarriage
glasses, contact lenses, poor eyesight, short-sighted, near-sighted | perfect eyesight, perfect vision,
    without glasses, laser surgery, 20/20
deaf, hearing aid, hard of hearing | perfect hearing, hears well
insomnia, sleeps badly, sleepless, trouble sleeping, awake, wakes up | sleeps well, sleeps like a log,
    sound sleep, deep sleeper, sleeps through
overweight, obese, gained | slim, underweight
high blood pressure, hypertension | low blood pressure, normal blood pressure
positive | negative
left-handed | right-handed
introvert, introverted, shy, quiet | extrovert, extroverted, outgoing, talkative
liberal, left-wing | conservative, right-wing
religious, devout, believer | atheist, agnostic, non-believer
beginner, novice, amateur, newcomer, just started, hobby | expert, professional, advanced, veteran, fluent, pro,
    experienced
fluent, fluently, native, speaks | no word of, basics, beginner
study, studies, enrolled | graduated, graduate, dropped out, drop out, finished university, expelled
cash, coins, banknotes | card, credit card, contactless, paypal, apple pay, cashless, invoice, bank transfer
printed, print, hardcover, paperback, on paper, physical | e-book, e-books, ebook, digital, kindle, pdf,
    e-reader, electronic, audiobook
analogue, analog, vinyl | digital, streaming, mp3, digital camera
electric, battery, ev | petrol, diesel, gas, gasoline, combustion
bullet points, bullets, lists | prose, flowing text, paragraphs, full sentences, no lists
formal, formally, polite, surname | informal, informally, casual, first name, colloquial, first-name
metric, celsius, kilometres, kilograms, grams | imperial, fahrenheit, ounces
dark mode, dark theme, dark | light mode, light theme, bright
tabs, tab | spaces, space
window seat | aisle seat, aisle
train, rail, railway | fly, flying, plane, flight, car, drive, bus
drive, drives, car | cycle, bike, bicycle, walk, bus, train, on foot, tram, public transport
city, town, urban, downtown | countryside, village, rural, farm, country
sea, beach, coast, seaside | mountains, alps, hills
approved, granted, accepted, passed, green light, signed off | rejected, turned down, denied, refused, declined,
    failed, vetoed
scheduled, planned, booked, going ahead, confirmed, will take place | cancelled, canceled, called off,
    postponed, dropped, scrapped, abandoned
finished, complete, completed, through, done, ready, shipped, delivered | unfinished, incomplete, still running,
    in progress, ongoing, not started, pending, half done, yet to, stuck, barely started, wait, still wait, half of
deadline, due | extended, no deadline, postponed
active, maintained, supported, alive | abandoned, archived, deprecated, retired, discontinued, decommissioned,
    end of life, unmaintained, unsupported
monolith, single service | microservices, services, split into services
merge, squash | rebase
monorepo, one repository, single repository | separate repositories, one repo per, many repositories, polyrepo
rolling, blue-green, without downtime, zero downtime | downtime, big bang, all at once, maintenance window
version control, git | local disk, local copies, without version control
single node | cluster, replicated, replica, replication, redundant, distributed, multiple
leak | constant memory
idempotent, safe to rerun, safely, rerun | duplicate, duplicates, do not rerun, not again
retry, retries, try again | fail fast, give up, no retry
restart, reboot | reload, leave running, without a restart, no restart, hot reload, without downtime
ignore, ignores, skip, overlook, pass over | pick up, pay attention
visible, show, shown, display, displayed, appear | hidden, hide, invisible, suppress, disappear, conceal
present, exist, there is, added | absent, missing, does not exist, there is no, lack
limit, limited, cap, capped, quota, time limit, expire, expires, maximum, ceiling | unlimited, no limit,
    limitless, uncapped, never expires, without limit, unrestricted, as long as, endless, indefinitely
disposable, throwaway | reusable, persistent
reversible, undo, rollback | irreversible, permanent
case-sensitive | case-insensitive
whitelist, allowlist | blacklist, denylist
opt-in | opt-out
normal | unusual, exceptional, custom
correct, accurate, true, precise | wrong, incorrect, false, inaccurate, mistaken, imprecise
good, well, great, excellent, better, best | bad, badly, poor, poorly, terrible, awful, worse, worst
clean, tidy | dirty, messy, untidy, dusty
loud, noisy | quiet, silent, silence, quietly
booked | idle, available, vacant
crowded, packed | empty, deserted
wet, rainy | dry, sunny
thick | thin
broad | narrow, tight
close, next door, nearby | distant, abroad, long way
male | female
older, elder, oldest | younger, youngest, little
emigrated, moved abroad, abroad | stayed, home country, moved back, came back, returned
arrive, arrives, come | leaves, depart, go
borrow | lend
soprano, tenor | alto, baritone
guitar, piano, drums, violin, cello, flute, trumpet, saxophone | gave up, stopped playing, sold
retry once | escalate immediately
by default | only when asked, opt-in
overwrite, overwritten | append, keep both, preserve, conflict copy, version
restores, recovers, comes back, come back | stays down, stays dead, lost for good, must be recreated, recreate
needs, wants | doesn't need, can do without
clockwise | anticlockwise, counterclockwise
odd weeks | even weeks
debit | credit
wired, ethernet, cable | wireless, wifi, wi-fi, bluetooth
ipv4 | ipv6
tcp | udp
spot instances, spot | on-demand, reserved, dedicated
optimistic | pessimistic
push notifications, alerts | muted, silenced, do not disturb
root, as root, privileged | non-root, rootless, unprivileged
sole | multiple
leased | owned
trusted | untrusted
daily, every day | weekly, monthly
gmail | own mail server
grow, planted | died, withered
trained | untrained
in order, order of arrival, ordered, fifo, sorted, chronological, first in | random, randomly, arbitrary,
    unordered, shuffled, lifo, any order
json, structured | plain text, unstructured
removed, switched off, shut down, retired, decommissioned | still in use, in use, still running
awake | asleep
accelerate | brake
start, starts, starting, begin | stop, stops, end, finish
open, opened | closed, shut, close
left | right
north | south
east | west
early | late
long | short
high, tall | low
before | after, following
up, is up, up and running, running, reachable, available, alive, online, healthy, stays up | down, is down, drops,
    crashed, unreachable, unavailable, stopped
newer, or newer, at least | older, older than, before
morning | evening, night
works, work, running, fine, intact | breaks, broken, fails, does not work, stops working
hot | cold, iced
a single, single, single node, one | several, many, multiple, two, three, twelve
lives alone, live alone | lives with, shares a flat, shares an apartment, shares the apartment, roommates
brother, older brother, younger brother, sister, twin | only child, no siblings
relevance, alphabetical, alphabetically | newest first, oldest first, by date
dubbed | subtitles, original, original version
import | export
upload | download
run before, runs before, goes before | wait until, waits until, wait for, runs after, goes after
recommended, encouraged | deprecated, discouraged, nobody should
likes, loves, enjoys | gag, sick, disgusted, avoid
gave up cigarettes, no longer smokes | smokes, pack a day
random order, random, arbitrary, shuffled | order of, in order, ordered, sorted
share, shared, in common | their own, its own, dedicated, separate
cron job, cronjob, by cron, scheduled job | by hand, manually, manual
"""


SIBLINGS = {
    "season": "spring summer autumn fall winter",
    "colour": (
        "red green blue yellow orange purple violet pink black white brown grey gray turquoise teal silver "
        "gold beige crimson navy magenta cyan burgundy olive lilac"
    ),
    "natural language": (
        "english german french spanish italian portuguese dutch polish russian chinese mandarin cantonese "
        "japanese korean arabic turkish swedish danish norwegian finnish czech greek hindi ukrainian "
        "hungarian romanian bulgarian croatian serbian catalan hebrew persian farsi thai vietnamese latin "
        "welsh irish gaelic estonian latvian lithuanian icelandic slovak slovenian urdu bengali tamil swahili"
    ),
    "programming language": (
        "python rust go golang java kotlin typescript javascript ruby php perl scala elixir haskell swift zig "
        "clojure erlang cobol fortran lua julia dart ocaml nim groovy bash powershell matlab r c"
    ),
    "database": (
        "postgres postgresql mysql mariadb sqlite mongodb mongo oracle cassandra dynamodb cockroachdb "
        "scylladb couchdb clickhouse bigquery snowflake redshift duckdb influxdb timescaledb neo4j firestore "
        "aurora h2 mssql elasticsearch redis valkey memcached etcd leveldb rocksdb"
    ),
    "broker": ("kafka rabbitmq nats mosquitto activemq sqs pulsar kinesis pubsub celery sidekiq zeromq redpanda emqx"),
    "search engine": "elasticsearch opensearch solr meilisearch typesense algolia lucene zoekt sphinx",
    "editor": (
        "vim neovim emacs vscode nano sublime pycharm intellij helix zed eclipse webstorm atom kate notepad "
        "kakoune xcode"
    ),
    "shell": "bash zsh fish powershell dash nushell ksh tcsh",
    "terminal emulator": "kitty alacritty wezterm iterm tmux screen zellij terminator",
    "browser": "firefox chrome chromium safari edge opera brave vivaldi",
    "operating system": (
        "linux windows macos ubuntu debian fedora freebsd nixos alpine arch centos rocky openbsd android ios "
        "suse redhat rhel almalinux gentoo mint proxmox chromeos"
    ),
    "cloud": (
        "aws azure gcp hetzner digitalocean linode ovh scaleway vultr cloudflare heroku fly render netlify "
        "vercel amazon backblaze"
    ),
    "proxy": "nginx caddy traefik haproxy apache envoy varnish squid pound",
    "dns": "bind unbound pihole adguard coredns dnsmasq knot powerdns quad9 cloudflare route53",
    "vpn": "wireguard openvpn tailscale zerotier ipsec nebula headscale",
    "file system": "zfs btrfs ext4 xfs ntfs ext3 fat32 ceph glusterfs",
    "web framework": (
        "react vue angular svelte solid django flask fastapi rails spring laravel express nextjs next nuxt "
        "phoenix symfony remix astro gin fiber axum"
    ),
    "format": (
        "json yaml toml xml csv protobuf avro parquet ini markdown html pdf docx asciidoc rst latex msgpack excel"
    ),
    "ci": ("jenkins drone circleci woodpecker buildkite teamcity travis bamboo tekton argo concourse github gitlab"),
    "cdn": "fastly cloudflare akamai cloudfront bunny",
    "forge": "github gitlab gitea bitbucket forgejo gogs codeberg",
    "cipher": "aes chacha20 blowfish rsa ed25519 ecdsa 3des sha256 md5 sha1 bcrypt argon2 scrypt",
    "compression": "gzip zstd lz4 brotli snappy xz bzip2",
    "protocol": (
        "http https grpc rest graphql soap websocket mqtt amqp tcp udp ftp sftp ssh telnet smb nfs iscsi "
        "webdav coap zigbee zwave matter thread bluetooth wifi imap pop3 snmp syslog"
    ),
    "auth": (
        "oauth saml ldap kerberos oidc jwt basic passkey password token mtls sso cookie apikey bearer fingerprint pin"
    ),
    "identity": "keycloak okta auth0 authentik authelia cognito",
    "chat": (
        "slack teams zoom discord mattermost matrix signal whatsapp telegram skype rocketchat irc meet webex "
        "jitsi sms messenger threema"
    ),
    "tracker": (
        "jira linear trello asana youtrack redmine notion basecamp clickup monday shortcut todoist github "
        "gitlab gitea bitbucket"
    ),
    "wiki": ("confluence notion wiki bookstack obsidian dokuwiki mediawiki evernote onenote logseq sharepoint"),
    "container engine": "docker podman containerd crio lxc rkt",
    "orchestrator": "kubernetes nomad swarm mesos k3s openshift compose ecs",
    "deploy tool": (
        "ansible terraform puppet chef salt pulumi helm kustomize argocd flux opentofu saltstack cloudformation"
    ),
    "executor": "celery kubernetes sequential local dask",
    "package manager": (
        "npm yarn pnpm bun pip poetry uv conda pipenv cargo maven gradle apt brew homebrew dnf yum nix pacman "
        "apk snap flatpak chocolatey"
    ),
    "build tool": ("make cmake bazel gradle maven ninja webpack vite rollup esbuild parcel turborepo ant meson sbt"),
    "test tool": "pytest unittest jest vitest mocha cypress playwright selenium junit rspec jasmine",
    "formatter": "black ruff yapf prettier autopep8 gofmt eslint biome flake8 pylint",
    "scanner": "trivy clair snyk grype anchore",
    "monitoring": (
        "prometheus grafana datadog zabbix nagios newrelic sentry splunk loki kibana icinga influx elk "
        "cloudwatch netdata checkmk dynatrace"
    ),
    "log shipper": "promtail fluentd fluentbit filebeat logstash vector rsyslog",
    "storage": ("s3 minio nas nfs ssd hdd tape ceph disk ram nvme gcs blob usb dropbox gdrive onedrive nextcloud sd"),
    "backup tool": "restic borg duplicati rsync rclone veeam kopia bacula timemachine",
    "hypervisor": "proxmox vmware esxi hyperv kvm xen virtualbox qemu",
    "processor": "gpu cpu tpu npu coral",
    "architecture": "arm x86 amd64 arm64 riscv aarch64",
    "region": "eu us usa europe asia uk frankfurt ireland virginia oregon singapore tokyo sydney mumbai",
    "environment": "production staging development test dev prod qa sandbox",
    "release channel": "stable beta nightly alpha canary lts rc",
    "git branch": "main master develop trunk release",
    "sprint method": "scrum kanban waterfall agile xp",
    "strategy": "recreate rolling canary bluegreen",
    "mail": (
        "postfix exim sendmail mailgun sendgrid ses mailchimp postmark gmail outlook protonmail fastmail thunderbird"
    ),
    "payment": ("stripe paypal adyen klarna braintree cash card invoice cheque debit bitcoin visa mastercard twint"),
    "licence": "mit gpl apache bsd agpl lgpl mpl proprietary",
    "encoding": "utf8 latin1 ascii utf16",
    "timezone": "utc cet est pst gmt cest edt bst ist jst",
    "car brand": (
        "toyota volvo bmw audi volkswagen ford tesla honda skoda renault peugeot fiat mercedes opel kia "
        "hyundai mazda subaru nissan seat dacia porsche"
    ),
    "phone": "iphone android pixel samsung nokia fairphone xiaomi huawei",
    "city": (
        "berlin lisbon porto paris london madrid rome vienna munich hamburg prague warsaw dublin amsterdam "
        "brussels barcelona milan zurich geneva oslo stockholm helsinki copenhagen budapest athens istanbul "
        "moscow kyiv bucharest sofia belgrade zagreb tallinn riga vilnius krakow lyon marseille turin naples "
        "seville valencia cologne frankfurt stuttgart dresden leipzig hanover bremen graz salzburg basel bern "
        "edinburgh glasgow manchester liverpool bristol leeds cambridge oxford york boston chicago seattle "
        "austin denver miami toronto vancouver montreal sydney melbourne tokyo osaka kyoto seoul beijing "
        "shanghai singapore bangkok delhi mumbai bangalore cairo nairobi lagos dubai trieste ghent antwerp "
        "utrecht rotterdam gothenburg bergen aarhus tartu bologna florence venice nice bordeaux lille nantes "
        "toulouse boston dallas houston atlanta philadelphia"
    ),
    "country": (
        "germany france spain italy portugal poland austria switzerland belgium netherlands denmark sweden "
        "norway finland iceland ireland england scotland wales greece turkey russia ukraine hungary romania "
        "bulgaria croatia serbia slovenia czechia slovakia estonia latvia lithuania usa canada mexico brazil "
        "argentina chile peru colombia japan china korea india thailand vietnam australia egypt morocco kenya "
        "nigeria israel iran malta cyprus luxembourg"
    ),
    "compass": "north south east west",
    "transport": (
        "car train bike bicycle bus plane tram ferry motorcycle scooter subway metro foot taxi ship boat walk "
        "underground cycle drive moped coach flight"
    ),
    "seat": "window aisle middle",
    "floor": "ground first second third fourth fifth sixth basement attic top",
    "drink": (
        "tea coffee water juice beer wine milk cola lemonade cocoa espresso latte cappuccino whisky vodka gin "
        "rum smoothie kombucha soda matcha"
    ),
    "milk": "oat soy almond cow goat rice coconut",
    "meal": "breakfast lunch dinner supper brunch snack",
    "diet": "vegetarian vegan pescatarian omnivore keto paleo halal kosher carnivore",
    "fruit": (
        "apple pear banana orange strawberry cherry mango peach plum grape lemon kiwi melon raspberry blueberry apricot"
    ),
    "dish": ("pizza pasta sushi curry burger salad soup steak risotto lasagne ramen tacos paella dumplings"),
    "sport": (
        "football soccer tennis badminton squash basketball volleyball handball hockey rugby cricket golf "
        "swimming running cycling rowing climbing bouldering judo karate boxing fencing yoga pilates skiing "
        "snowboarding surfing sailing padel triathlon gymnastics baseball crossfit dancing"
    ),
    "stroke": "freestyle breaststroke backstroke butterfly crawl",
    "instrument": (
        "guitar piano violin cello drums bass flute clarinet saxophone trumpet trombone oboe harp organ "
        "accordion ukulele banjo viola harmonica mandolin bassoon keyboard horn tuba drummer bassist "
        "guitarist pianist violinist cellist flautist organist"
    ),
    "voice": "soprano alto tenor baritone bass mezzo",
    "music": ("jazz rock classical metal techno pop folk blues punk reggae hiphop rap house opera country soul indie"),
    "craft": "knitting crochet sewing pottery woodworking painting quilting weaving embroidery carving",
    "game": "chess go poker bridge scrabble backgammon dominoes",
    "club": (
        "benfica sporting porto arsenal chelsea liverpool celtic rangers barcelona juventus bayern dortmund "
        "ajax milan inter everton tottenham"
    ),
    "pet": "dog cat hamster parrot rabbit horse tortoise goldfish snake budgie ferret guinea",
    "breed": "beagle labrador poodle dachshund terrier collie husky spaniel corgi boxer siamese persian",
    "kin": (
        "sister brother mother father son daughter aunt uncle cousin niece nephew grandmother grandfather wife husband"
    ),
    "marital": "married divorced single engaged widowed separated",
    "profession": (
        "engineer developer programmer nurse teacher doctor physician lawyer accountant designer architect "
        "consultant manager researcher professor analyst journalist editor plumber electrician carpenter chef "
        "cook baker pilot pharmacist dentist veterinarian librarian translator photographer musician actor "
        "policeman firefighter soldier farmer gardener mechanic economist psychologist therapist biologist "
        "chemist physicist mathematician barista waiter freelancer midwife paramedic surgeon judge notary "
        "tailor butcher hairdresser painter sailor secretary receptionist social"
    ),
    "school subject": (
        "mathematics maths physics chemistry biology history geography german english music art latin "
        "economics law medicine philosophy psychology literature sociology linguistics engineering computing "
        "informatics"
    ),
    "school level": "kindergarten primary secondary university college nursery",
    "degree": "bachelor master phd diploma doctorate",
    "body side": "left right both",
    "body part": "knee shoulder wrist ankle elbow hip back neck hand foot arm leg eye ear finger toe",
    "allergen": (
        "peanut hazelnut walnut lactose gluten pollen penicillin shellfish egg soy latex dust cat wasp bee "
        "strawberry aspirin ibuprofen"
    ),
    "medicine": (
        "ibuprofen paracetamol aspirin metformin insulin levothyroxine antibiotic penicillin naproxen statin "
        "sertraline atorvastatin omeprazole ramipril"
    ),
    "diabetes": "type1 type2",
    "accommodation": "hotel hostel airbnb tent campsite cabin house flat apartment villa dormitory caravan",
    "landscape": "sea mountains beach city countryside lake forest desert",
    "energy": "diesel petrol electric hybrid gas hydrogen oil solar",
    "keyboard": "qwerty qwertz azerty dvorak colemak neo",
    "unit system": "metric imperial celsius fahrenheit",
    "text style": "bullets prose table paragraph list markdown",
    "quotes": "single double",
    "currency": "euro dollar pound franc yen krona zloty",
    "religion": "catholic protestant muslim jewish buddhist hindu atheist orthodox",
    "size": "small medium large xl",
    "blood": "a b ab o",
    "education grade": "first second third fourth fifth sixth seventh eighth",
    "book genre": "crime romance fantasy thriller biography scifi horror poetry",
    "language": (
        "english german french spanish italian portuguese dutch polish russian chinese japanese korean arabic "
        "turkish swedish danish norwegian finnish czech greek hindi ukrainian hungarian"
    ),
    "system": "linux windows macos ubuntu debian fedora freebsd nixos alpine arch centos rocky",
    "framework": "react vue angular svelte django flask fastapi rails spring laravel",
    "style": "bullet prose table paragraph",
    "blood group": "a b ab o",
    "tool": "slack teams zoom discord mattermost matrix",
    "engine": "docker podman containerd",
    "medium": "memory disk ssd hdd nas s3 tape ram",
}

"""Words that mean one thing, its opposite, or imply something else. Data only."""

from memories.language.wordlists import words

SYNONYMS = """
start, boot, boot up, startup, start up, launch, come up, bring up, spin up, initialise, initialize,
    begin, power up
restart, reboot, bounce, power cycle, cycle, start again
need, require, depend on, rely on, be dependent on, requirement, dependency, must have, prerequisite,
    necessary
like, prefer, love, enjoy, favourite, favorite, fond of, keen, keen on, be into, adore, favour, favor,
    fan of, preference
due, deadline, due date, must be finished, must be done, has to be finished, cut-off
last, take, duration, require time, finish, complete, be done in, be done within, be finished within,
    be over in, done in, need time
raise, bump, increase, lift, turn up, higher, scale up, grow, enlarge
fix, cure, solve, resolve, remedy, repair, help against, get rid of the problem, heal
store, keep, save, hold, persist, retain, put, place, retention, archive
delete, remove, drop, evict, purge, erase, wipe, discard, prune, clear, flush, clean up, throw away,
    get rid of
error, fault, exception, failure message
child, children, kid, son or daughter
spouse, wife, husband, married, marry, partner, wedded
manager, boss, supervisor, report to, line manager
reply, answer, response, respond, return, give back
reject, refuse, decline, turn down, turn away
reach, reachable, available, accessible, availability
run, execute, happen, occur, take place, be scheduled, scheduled, carry out, perform, kick off
often, frequently
use, utilise, utilize, make use of, employ
call, name, titled, known as
big, large, huge, great, sizable
exceed, go beyond, surpass, overrun
connect, attach, link, hook up, connection
disconnect, detach, unplug, lose connection, lose the connection
miss, missing, disappear, vanish, go missing, get lost
climb, climbing, bouldering
photo, photograph, photography, picture, photographer, image of
home, home office, from home, remotely, remote
write, author, draft, compose, rewrite
lead, head, run by, responsibility, in charge of, responsible for, led
theme, mode, colour scheme, color scheme
colour, color
deploy, deployment, roll out, rollout, ship, release to production
repo, repository, codebase
container, docker container
database, db, data base
k8s, kubernetes
postgres, postgresql, psql
config, configuration, settings, configure, set up, setup
auth, authentication, authenticate, log in, login, sign in
cert, certificate, tls certificate, ssl certificate
reqs, requests, request, call to the api, api call, query, queries
msg, message
folder, directory
app, application
machine, host, node, box, computer
job, task
speed, performance
doctor, physician, gp
car, automobile
bike, bicycle, cycle to, cycling, cyclist
movie, film
holiday, vacation, holidays
flat, apartment
buy, purchase
exercise, work out, workout
sick, ill
child care, kindergarten, day care
team, group, squad
office, workplace
meeting, meet, call with, sync, standup, stand-up
listen, reachable on, expose, bind to, serve on
expire, run out, lapse, become invalid, time out, be valid for, stay valid, valid
fail, break, go wrong, failing
crash, fall over, go down, segfault
wait, pause, hold on, sleep for
check, verify, probe, inspect, test for, make sure
retry, try again, repeat, attempt again
coffee, espresso, cappuccino, flat white
machine learning, ml
engineer, developer, programmer, coder
disk space, free disk
photo library, picture library
subscription, membership
notify, alert, inform, warn
refresh, update, reload
renew, renewal, reissue
rebuild, reindex, regenerate, index is rebuilt
limit, cap, quota, maximum, ceiling
memory, ram
storage, disk, disc, drive space
tolerate, stand, bear, cope with
train, training, prepare for, practise, practice
study, learn, studies, student, university, college
teach, teacher, tutor
nurse, nursing
birthday, born on, date of birth
live, reside, dwell, is based in, be based in, home is in, home town
employer, work at, work for, be employed at, be employed by, hired by, employed at, job at
speak, fluent in, speaker of
own, possess, belong to
slow, sluggish
image, picture file, docker image
crack, broken
transient, temporary, intermittent, flaky
cause, lead to, result in, trigger, bring about, make
emoji, emoticon, smiley
summary, overview, tl;dr
spicy, hot food, chilli
gym, fitness studio
guide, manual page, documentation, docs
backup, back up, dump, snapshot
restore, recover, recovery, restoration
attach, attachment
exclusive, exclusively
someone, somebody
unique, distinct
early, ahead of time, in advance, beforehand
house, home of their own
pull request, pr, merge request, mr
continuous integration, ci, build pipeline
production, prod
staging, stage environment
development, dev environment
laptop, notebook
mail, email, e-mail, e mail
phone, mobile, cell phone, smartphone
password, passphrase
secret, credential, credentials
cron, cron job, cronjob
wifi, wi-fi, wlan, wireless network
tv, television
bread, loaf
knee pain, sore knee
log, log file, logfile
weekend house, cabin
forever, indefinitely, permanently, for good
immediately, at once, right away, instantly, straight away
head, chief
customer, client company
show, display on
upload, send up
mandatory field, required field
invoice, bill
salary, pay, wage
staff, employee, coworker, co-worker, colleague
illness, disease
medication, medicine, drug, pill, tablet
trip, journey
run out of memory, oom
throughput, bandwidth
latency, delay, lag
dashboard, panel
alarm, alert rule
branch, git branch
release, version release, new release
issue, ticket
bug, defect
feature flag, feature toggle
schedule, timetable
colleague, workmate
nightly build, night build
grill, barbecue
supper, dinner
football, soccer
jog, go running, go for a run
hike, hiking, trekking
bake, baking
garden, gardening
paint, painting, painter
sculpt, sculptor, sculpture
dance, dancer, dancing
sing, singer, choir
swim, swimmer, swimming
ski, skiing, skier
sail, sailing, sailor
knit, knitting
game, gaming, gamer
near-sighted, short-sighted, nearsighted, shortsighted, myopic
pregnant, expecting a baby, expect a baby, expecting a child
hay fever, pollen allergy
headache, migraine
blood pressure, hypertension
diabetes, diabetic
insomnia, sleeplessness
injury, injured
surgery, operation
dentist, dental
screen, monitor, display
"""
"""Each line is one concept; its words count as equal."""

OPPOSITES = """
enable, activate, turn on, switch on, on by default, active, enablement | disable, deactivate, turn off,
    switch off, off by default, inactive
allow, permit, accept, approve of, let through, grant, whitelist, admit | deny, reject, block, refuse,
    blacklist, turn away
raise, bump, increase, lift, turn up, scale up, enlarge, extend | lower, reduce, decrease, cut, shrink,
    turn down, scale down, shorten
sync, synchronous, synchronously | async, asynchronous, asynchronously
writable, write access, read-write, accept write, take write | readonly, be read only, immutable,
    write-protected
manual, by hand, manually, hand-operated | automatic, auto, automatically, unattended, by itself, automated
online | offline, air-gapped
seal | unseal
lock | unlock
encrypt, encrypted, ciphered | unencrypted, plaintext, plain text, decrypted, in the clear
open | close, shut, closed
full, fill up, run full, out of space, run out of space | free space, empty, plenty of space,
    plenty of room, half empty, lots of space
like, prefer, love, enjoy, favourite, favorite, fond of, keen, keen on, be into, adore, favour, favor,
    fan of | hate, dislike, loathe, detest, can not stand, annoying, annoy, despise, not fond of,
    be sick of, afraid of, fear, phobia, scared of, tired of
need, require, depend on, rely on, requirement, dependency, must have, prerequisite, mandatory,
    compulsory, required, must be started after, must start after, has to start after,
    have to start after, must come up after, start only after | optional, independent, independently,
    standalone, self-contained, voluntary, not necessary, unnecessary, superfluous
tolerate, stand | intolerant, intolerance
fast, quick, quickly, rapid, speedy | slow, slowly, sluggish, slower
always, every time, each time, guarantee, guaranteed, invariably, without exception, reliably | sometimes,
    occasionally, rarely, seldom, now and then, from time to time, intermittently, once in a while,
    unreliable
succeed, success, pass, work, work fine, go through | fail, failure, break, go wrong, failing, crash
healthy, reachable, available, up and running, alive | unhealthy, unreachable, unavailable, dead, unresponsive
private, internal, secret repo | public, open to the public, publicly, external
spouse, wife, husband, married, marry, partner, wedded, in a relationship | be single, divorced, divorce,
    separated, widowed, split up, break up, unmarried
employed, have a job | unemployed, jobless, between jobs, laid off, fired
early, early riser, early bird, morning person | late, night owl, sleep in
introvert, introverted, shy | extrovert, extroverted, outgoing
short, brief, concise, terse, succinct | detail, detailed, verbose, elaborate, thorough, in depth,
    lengthy, long answer, long answers
light theme, light mode | dark theme, dark mode
light background, white background | dark background, black background
tabs | spaces
formal, formally | informal, informally, casual
indoors, indoor | outdoors, outdoor
vertical | horizontal
ascending, oldest first | descending, newest first
stateful | stateless
idempotent, safe to repeat | not repeatable
blocking | non-blocking, nonblocking
cached, use the cache | uncached, bypass the cache
safe, harmless | dangerous, unsafe, risky, harmful
left-handed, left handed | right-handed, right handed
vaccinated | unvaccinated
pregnant | not expecting
stable, steady | unstable, shaky
strict | lenient, lax
cheap, inexpensive | expensive, costly
happy with, satisfied, content with, pleased, glad | unhappy, dissatisfied, complain, angry, disappointed,
    upset
present, exist | absent, missing
visible, shown, display | hidden, invisible
compressed, gzip | uncompressed
pin, pinned | unpinned, floating version
monolith | microservices
on-premises, on premises, on-prem, self-hosted, self hosted | in the cloud, cloud-hosted
support, supported | unsupported
trusted | untrusted
mute, muted, silent | loud, audible
remote, remotely, from home, home office, over zoom, via zoom, on zoom, video call, by video, virtual,
    virtually | on site, on-site, in the office, in person, face to face
together, at the same time, simultaneously, jointly, in sync | separately, on its own, on their own,
    alone, individually, one by one, one after the other, in isolation, single-handedly
start at boot, autostart | start on demand
ordered, in order, in sequence | unordered, out of order
add, insert, append | detach from, take out
store, keep, save, hold, persist, retain, put, archive, preserve | delete, remove, drop, purge, erase,
    wipe, discard, throw away
good, well, nicely, excellent | bad, badly, poorly, poor, terrible, terribly
part-time, part time | full-time, full time
rent | own a house
liberal | conservative
primary | secondary, replica, standby
connect, attach, link, hook up, connection | disconnect, detach, unplug, lose connection
inbound, incoming | outbound, outgoing
https, tls, https only, tls is on | plain http, http only
"""
"""Left and right of the bar deny each other; saying one is denying the other."""

KINDS = {
    "meat": "steak beef pork chicken bacon ham sausage burger lamb turkey salami veal schnitzel barbecue ribs",
    "fish": "salmon tuna cod trout sushi sashimi shrimp prawn",
    "dairy": "milk cheese butter yoghurt yogurt cream icecream lactose latte",
    "alcohol": "wine beer whisky whiskey vodka gin rum cocktail champagne cider sake",
    "smoke": "cigarette cigar pack_of_cigarettes",
    "caffeine": "coffee",
    "auth": "token oauth mtls bearer apikey",
    "gluten": "bread pasta wheat rye pizza",
    "nut": "peanut walnut almond hazelnut cashew",
    "pet": "dog cat hamster parrot rabbit",
}
"""Whoever has one of these has the kind; whoever goes without the kind goes without all of them."""

ABSTENTIONS = {
    "vegetarian": "meat fish",
    "vegan": "meat fish dairy egg honey",
    "pescatarian": "meat",
    "teetotal": "alcohol",
    "teetotaller": "alcohol",
    "sober": "alcohol",
    "celiac": "gluten",
    "coeliac": "gluten",
    "non-smoker": "smoke",
    "nonsmoker": "smoke",
}
"""Being the one means going without the others."""

GENERIC = words("""
    instance run take last start user service system thing time work do use happen need set come give call put
    move switch migrate change upgrade long short big small new old first second good bad high low full next
    right large whole entire like want reply return make always day week month year minute hour second way part
    case kind home team project name place people person value number amount level
    """)
"""Words met in any statement; they say little about what it is about."""


MORE_SYNONYMS = """
physician, doctor, gp
wife, husband, spouse, partner, married
kid, child, little girl, little boy
coriander, cilantro
aubergine, eggplant
courgette, zucchini
autumn, fall
elder, older
wrist, hand
shot, jab, vaccination, vaccine, vaccinated, immunisation
boss, manager, supervisor, superior, line manager, report to
pills, tablets, medication, medicine
dislike, hate, can not stand, detest, loathe, despise, not for, unwelcome
spectacles, glasses
cellist, cello
pianist, piano
drummer, drums
bassist, bass
violinist, violin
guitarist, guitar
singer, sings, choir member
swimmer, swims, swimming
runner, runs, running, jog, jogging
climber, climbs, climbing, bouldering
cyclist, cycling, bike, bicycle
hike, hiking, trek, trekking, walking tour
vegetarian, no meat, meat-free
migraine, headache
gp, family doctor
coeliac, celiac, gluten intolerant
short-sighted, near-sighted, myopic
colleague, coworker, workmate
flat, apartment
thesis, dissertation
pupil, student
salary, wage, pay, paid, earn
quit, resign, leave, hand in notice
move, relocate
sibling, brother
sibling, sister
parents, mother and father
supper, dinner, evening meal
breakfast, morning meal
crime novel, detective novel, mystery
draft, first version
deadline, due, due date, hand in by, latest
finish, complete, done, over, through
begin, start, kick off, commence
boot, start, come up, startup, launch
restart, reboot, bounce, power-cycle, turn off and on
spouse, partner
require, need, depend, mandatory, prerequisite, precondition, necessary, must, has to, have to
unless, without, only if, only works with
require, only with
delete, remove, purge, wipe, throw away, clean up, clear, prune, drop, discard, evict, flush
reject, refuse, deny, block, turn away, decline
keep, retain, store, save, hold, persist, archive, stay
raise, increase, bump, lift
lower, decrease, reduce, cut down
fix, cure, solve, resolve, go away, disappear, get rid of, bring back, clear, remedy, help
drive, disk, hdd
cert, certificate
credentials, password
e-mail, mail, email
repo, repository
directory, folder
host, machine, server, node
ap, access point
idle, inactivity, inactive
conflict copy, conflict file
silently, without an error message, quietly, without a word
by hand, manually, manual, someone, somebody must
automatically, by itself, on its own, unattended, without intervention
monthly, once a month, every month, per month
weekly, once a week, every week
daily, every day, once a day
yearly, annually, once a year, every year, each year
quarterly, every three months
twice, two times
hourly, every hour
nightly, every night
restricted to, only, limited to, reserved for
isolated, cannot reach, separated
stuck, hang, hangs, hanging, frozen, freeze
out of memory, memory hits the limit, oom
disk full, no space left, runs full, volume full
refer, point
in use, taken, occupied, used
propagate, reach, arrive
slow, sluggish, laggy
version bump, upgrade, update, new version, patch, patching
swap, replace, change, exchange, substitute
renew, renewal, rotate
monitor, watch, observe, supervise
look after, take care of, maintain, responsible, in charge, handle, own
lead, head, run, in charge
written by, author, compose
called, named, name, goes by the name of
lives, resides, based, home
owns, has, belongs to
loves, likes, enjoys, prefers, fond, favourite, keen on, passion, big fan, into
wants, expects, would like, wishes, asks for
short, brief, concise, terse, to the point
detailed, thorough, in depth, elaborate
allergy, allergic
intolerant, intolerance, cannot digest, can't tolerate
split up, separated, separation, divorced, broke up
took up, started, has been learning, began
gave up, quit, stopped, no longer
each, every
half an hour, 30 minutes
forbidden, prohibited, banned, not allowed, must not, off limits
allowed, permitted, may, can
cold, chilly, cool
film, movie
holiday, vacation, leave, time off
alcohol, booze
teetotal, no alcohol, alcohol-free
surgery, operation, operated
injury, injured, hurt
ward, department
cardiac, cardiology, heart
kidney, renal
lung, pulmonary
children's, paediatric, pediatric
fall asleep, sleep
phone, ring, call
desk, workplace, sits
workshop, course, class
customer, client
invoice, bill
accounting, bookkeeping
canteen, cafeteria
commute, travel to work
attach, connect, plug in
ship, send, deliver, forward
scan, check, inspect
answer, return, respond, reply, response
throttle, rate limit
cluster, nodes
queue, backlog
topic, stream
backup, dump, snapshot, copy
mirror, replicate, sync
broker, message broker
discover, look up, discovery
cap, limit, at most, maximum, quota, ceiling
freeze, pause
read-only, readonly, no writes, refuses writes, rejects writes, goes read-only
silently, without an error message, without an error, without a message
kicked out, removed, evicted
no siblings, only child, no brothers or sisters
rail, train, trains
plane, planes, fly, flying, flight
retired, pensioner, retirement, pension
rather, prefer, favour
expire, expiry, expiration
request, query
divorced, ex-husband, ex-wife
sober, no alcohol, not touched alcohol, without alcohol
capped, at most, no more than
former, ex
metric, celsius
deploy, redeploy, deployment, redeployment
into, onto
single-partition, one partition
reboots, restarts
film, movies
make an effort, try
plug, plugged in, connected
host suspend, suspends
retention, keeps, kept
motorcycle, motorbike
example, sample
decade, ten years
sign-up, sign up, signup, register, registration, create an account
unused, not in use
random order, arbitrary order
afraid, scared, frightened, fear, fearful
sick, ill, unwell
unemployed, jobless
single, unmarried, not married
wealthy, rich
slim, thin
crazy about, mad about, nuts about
mother, mum, mom, mam, mummy, mommy
father, dad, daddy
lawyer, attorney
vet, veterinarian
pharmacist, chemist
physiotherapist, physio
police officer, policeman, policewoman, cop
firefighter, fireman
postman, mailman
sofa, couch
fridge, refrigerator
backpack, rucksack
"""

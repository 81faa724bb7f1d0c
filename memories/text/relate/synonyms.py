"""Further words that mean one thing, beside `relate.concepts.SYNONYMS`. Data only: one group a line."""

SYNONYMS = """
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

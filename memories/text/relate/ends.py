"""What is done, and which states are over then. Data only.

One group a line: every deed left of the bar ends every state right of it. A line ending in a comma or a bar goes on in
the next. Words are compared as they are written; the dots of "let ... lapse" stand for what it is done to.
"""

from memories.text.wordlist import words

BY_ONESELF = """
outgrew, outgrown, grew out of, grown out of, overcame, overcome, got over, gotten over, is over, recovered from,
    was cured of, shook off, beat, conquered | has, have, suffers, struggles, is, afraid, scared, fear, phobia,
    addicted, addiction
paid back, paid ... back, paid off, paid ... off, repaid, settled | owes, owe, debt, loan, mortgage, credit, borrowed
let ... lapse, let ... expire, let ... run out | has, have, subscribes, subscription, member, membership, holds, owns,
    pays
is back from, are back from, came back from, come back from, returned from, was discharged from, was released from,
    is out of, got out of, checked out of, moved out of | is at, is in, is on, are at, are in, are on, stays at,
    stays in, holiday, vacation, trip, leave
finished, completed, is done with, is through with | is in, is on, attends, takes, undergoes, is taking, is doing
"""
"""Only who is in a state ends it so."""

BY_PEOPLE = """
returned, gave back, gave ... back, given back, handed back, handed ... back, handed in, handed ... in, brought back,
    brought ... back, took back, took ... back, sent back | has, have, holds, keeps, borrowed, borrows, rents, leases,
    uses, is using
"""
"""The same, but where it is not said to be on loan, people alone end it so: what an API returned, it still has."""

ON_LOAN = words("borrowed borrows rents leases")

BY_ANYONE = """
paid, paid off, settled | open, unpaid, outstanding, due, overdue, pending
fixed, resolved, solved, closed, merged, completed, finished, sorted out | open, unresolved, unsolved, outstanding,
    pending, unfinished, ongoing, in progress
answered | unanswered
fixed, repaired, mended, healed | broken, damaged, faulty, defective, cracked, leaks, leaking, injured, failing,
    out of order
found, turned up, showed up, retrieved | missing, lost, gone, stolen
approved, rejected, declined, granted, denied, accepted, withdrawn | pending, open, undecided
rolled back, rolled ... back, reverted, taken down, took down, withdrawn, undone | live, deployed, released, active,
    out, in production, enabled, rolled out
lifted, repealed, revoked, withdrawn, expired, lapsed, ended, terminated, ran out, is over | in force, valid, active,
    running, in effect, in place
cleared, unblocked | blocked, closed, jammed, stuck
restored | down, offline, unavailable
reassigned, handed over, passed on | assigned to ...
"""
"""Whoever does it to what is so; behind "assigned to" whatever is said may be another then."""

OPENING = words("""
    door doors window windows gate shop store restaurant cafe bar museum office library pool gym clinic market bank
    school hotel park road border bridge valve port tap drawer lid box
    """)
"""They are open in another way than an invoice or an issue: only what is closed ends that."""

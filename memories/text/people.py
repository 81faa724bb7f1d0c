"""People, as others call them: relatives, friends and animals that somebody has, and the groups that they are in."""

from memories.text.wordlist import words

PERSONS = words("""
    wife husband partner girlfriend boyfriend fiancée fiancé spouse mother mum mom father dad parents parent sister
    brother sibling siblings twin twins daughter son child children kid kids baby aunt uncle cousin niece nephew
    grandmother grandma granny grandfather grandpa granddaughter grandson stepson stepdaughter friend friends colleague
    colleagues coworker coworkers boss manager neighbour neighbours neighbor neighbors roommate roommates flatmate
    flatmates landlord landlady tenant tenants guest guests customer customers student students pupil pupils intern
    interns employee employees visitor visitors man woman boy girl
    """)
GROUPS = words("team family couple school company firm club office")
CARERS = words("doctor dentist teacher therapist lawyer nurse")
ANIMALS = words("dog dogs cat cats horse pet pets animals")

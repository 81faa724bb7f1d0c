"""What belongs into which category: words that point to it. Data only."""

from memories.text.wordlist import words

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

"""What secrets are called, and the words that stand behind such a name without being one. Data only."""

from memories.text.wordlist import words

PASSWORDS = (
    r"pass[ -]?(?:word|phrase|code)", "passwort", "passwd", "pwd", r"pw(?![^\W_])", "kennwort", "wachtwoord",
    "contrase[ñn]a", "senha", "mot de passe", r"mdp(?![^\W_])", "lösenord", "hasło", "пароль", "密码", "密碼",
    "パスワード", "비밀번호", r"(?<=[_-])pass(?![^\W_])", r"(?<=db|ql)pass(?![^\W_])",
    r"(?:seed|recovery|mnemonic) phrase", r"(?<![^\W_])pass(?=[\"']?[ \t]{0,2}[:=])",
)  # fmt: skip
"""Whatever is assigned to one of these is a secret, unless it is no value at all."""

CODES = (
    r"pin(?:[ -]?code)?(?![^\W_])", r"cv[vc]2?(?![^\W_])",
    r"(?:door|gate|alarm|access|entry|unlock|garage|lock|safe|security|verification|sms|2fa|otp)[ -]code",
)  # fmt: skip
"""Short numbers that open something."""

TOKENS = (r"token", r"bearer(?= )", r"jeton")
SECRETS = (
    r"secret(?![ _-]?key|[ _-]access)", r"credentials?", r"geheimnis", r"clave", r"psk(?![^\W_])",
    r"(?:recovery|backup) code",
)  # fmt: skip
API_KEYS = (
    r"api[ _-]?(?:key|schlüssel)", r"(?:secret|private|encryption|signing|master|account|shared|auth|license|licence)"
    r"[ _-]?key", r"(?:secret[ _-]?)?access[ _-]?key", r"(?:wi-?fi|wlan|wpa2?)[ _-]?(?:key|schlüssel)",
    r"clave api", r"clé (?:d['’])?api",
)  # fmt: skip

NO_VALUES = words("""
    required optional needed mandatory necessary reset expired expires expiring invalid valid wrong correct incorrect
    weak strong secure insecure safe unsafe changed rotated updated set unset empty blank missing stored saved hashed
    encrypted salted hidden masked redacted shown visible known unknown lost forgotten leaked compromised exposed
    chosen given taken broken stolen made found gone left
    protected generated random unique shared secret secrets private public temporary permanent default fine ok okay
    good bad old new long short too not never always only also still already now then kept used sent read written
    none null nil nan true false undefined void any unknown string str text bytes byte int integer number bool boolean
    object array list dict char varchar type value values data input output field param params parameter argument
    arg args option flag property key keys token tokens bearer basic auth oauth digest jwt user users username name
    password passwords passphrase passcode login email policy policies manager management hash hashing field prompt
    secretstr getpass await return self this that these those here there it its the a an my your his her our their some
    no yes is are was were be been being has have had will would can could may might must should shall do does did done
    in on at by to from for of with into onto over under about after before between via per as like than if when
    while until unless because so and or but nor either neither both all each every what which who whom whose where
    why how see ask use using check enter type provide choose pick create keep store please contact e.g eg i.e ie
    min max minimum maximum least most more less longer shorter same different similar easy hard simple complex
    important confidential sensitive handled managed available unavailable ready active inactive disabled enabled
    allowed denied accepted rejected revoked refreshed limit limits count counts budget usage based case-sensitive
    plaintext plain-text up-to-date something anything nothing everything going getting coming part one two three
    four five six seven eight nine ten patience practice love consistency simplicity
    erforderlich nötig notwendig abgelaufen falsch richtig ungültig gültig leer geändert zurückgesetzt gespeichert
    vergessen geheim sicher unsicher nicht kein keine der die das im in und oder wird wurde ist sind für bei auf mit
    requerida requerido obligatoria obligatorio caducada caducado incorrecta incorrecto correcta inválida vacía
    olvidada cambiada secreta segura no el la los las en de del un una y o está es para con se que
    requis requise obligatoire expiré incorrect incorrecte invalide vide oublié changé secrète sûr pas le les dans
    du des une et ou est sont pour avec sur au aux
    """)
"""They say something of a password, or stand in code where one would."""

GRAMMAR = words("""
    a an the is are was be been must should can could may will your my our their its this that it in on at by to from
    for of with into or and not no if when new old current confirm enter repeat type choose forgot forgotten change
    reset required optional least characters letters digits password passphrase email user username invalid wrong
    please show hide stored kept written der die das ist ein eine im und für mit dein ihr el la los un una es de del
    en con tu su le les des est dans pour votre mot
    """)
"""In quotes they make a label or an explanation of what could be a passphrase."""

WELL_KNOWN_PASSWORDS = words("""
    changeme changeit change-me letmein admin administrator root toor hunter swordfish topsecret supersecret qwerty
    qwertz asdf dragon monkey iloveyou welcome abc123 guest passw0rd trustno1 secretsecret mysecret
    """)
"""Weak, and in use all the same."""

UNITS_OF_RULES = words("""
    characters character chars char letters letter digits digit symbols words word bytes byte bits bit days day weeks
    week months month years year hours hour minutes minute seconds times attempts tries percent long or+ and+ zeichen
    caracteres caractères minimum maximum min max per
    """)
"""Behind a number they make it a rule for passwords."""

GOES_ON = words("""
    and but for on at with user username login host please if when which also both the und für auf y para et pour sur
    """)
"""Words that may follow a secret in its sentence; before any other word, a plain word is prose."""

TECHNICAL = (
    r"(?:sha|md|aes|rsa|dsa|ecdsa|argon|pbkdf|bcrypt|scrypt|hs|rs|es|oauth|base|utf|iso|ascii|ipv|http|tls|ssl|ntlm|"
    r"erc|gpt|llama|qwen|totp|fido|webauthn|wpa|web|latin|log|win|int|uint|float|python|node|postgres|redis|mysql)"
    r"[-_]?\d[\w.-]{0,12}|(?:ed|curve|x)25519|secp\d\w*|v\d+(?:\.\d+)*|[a-z]\d{1,3}[a-z]?"
)
"""Names of algorithms, encodings and versions, which look like passwords."""

"""Text that would carry something out: secrets sent to an address, images that call home, command lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.language.injection_guard.orders import CHINESE, ENGLISH, JAPANESE, LANGUAGES, TURKISH, Word, pattern_of
from memories.language.wordlists import words

WINDOW_CHARS = 240
MIN_STEP_CHARS = 40
MIN_LONG_VALUE_CHARS = 40

_ADDRESS = re.compile(
    r"https?[:;]//|hxxps?://|\bwebhook\b|\bftp://|\b[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]{2,}|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
    r"\b(?:this|the following|my|our|external|remote|attacker\S{0,20}) (?:url|server|endpoint|address|site)\b"
)
_OTHERS = [language for language in LANGUAGES if language != ENGLISH]
_SENDS = re.compile(
    r"\b(?:send|sends|sending|post|posts|posting|upload|uploads|forward|forwards|transmit|exfiltrate|exfiltrates|leak|"
    r"email|e-mail|submit|append|encode|embed|include|put|deliver|relay)\b|" + pattern_of(Word.SEND, *_OTHERS)
)
_PRECIOUS = re.compile(
    r"\b(?:passwords?|api[ _-]?keys?|tokens?|secrets?|credentials?|private keys?|ssh keys?|env(?:ironment)? "
    r"(?:variables|vars)|\.env|conversations?|chat (?:history|logs?)|chats|transcripts?|history|context|"
    r"system prompt|instructions|memor(?:y|ies)|everything (?:you|the user)|(?:all|any) (?:\w{1,20} )?"
    r"(?:data|information|messages|files)|user(?:'s)? (?:data|messages?|input|details|information|files?)|"
    r"personal (?:data|information)|what (?:the user|you)|contents? of|answers?|replies|responses|passw\w{1,10})\b|"
    + pattern_of(Word.SECRET, *_OTHERS)
)
_VERB_LAST = (TURKISH, CHINESE, JAPANESE)
_SENDS_LAST = re.compile(pattern_of(Word.SEND, *_VERB_LAST))
_PRECIOUS_FIRST = re.compile(pattern_of(Word.SECRET, *_VERB_LAST))
_EXFILTRATES = re.compile(r"\bexfiltrat(?:e|es|ing)\b")
_SENTENCE = re.compile(r"(?:[^\n.!?]|[.!?](?!\s)){1,4000}")

_IMAGE = re.compile(
    r"!\[[^\[\]\n]{0,200}\]\(\s{0,4}<?((?:https?:)?//[^\s)>]{1,2300})"
    r"|<(?:img|source|iframe|link|video|audio|embed|object|script|input|body|table|image)\b[^<>]{0,200}?"
    r"\b(?:src|href|poster|data|background|srcset)\s?=\s?[\"']?((?:https?:)?//[^\s\"'>]{1,2300})"
    r"|\burl\(\s{0,4}[\"']?((?:https?:)?//[^\s\"')]{1,2300})"
)
_REFERENCE = re.compile(r"^[ \t>]{0,6}\[[^\[\]\n]{1,80}\]:[ \t]{0,4}<?((?:https?:)?//[^\s>]{1,2300})", re.MULTILINE)
_GAP = re.compile(r"[{}\[\]<>$«»]|%7b|%5b|%3c|__\w{2,40}__|%\w{2,40}%")
_PARAMETER = re.compile(r"[?&;]([^=&;]{1,60})=([^&;]*)")
_CARRIERS = words("""
    q query d data text txt msg message m c content ctx context prompt p payload info secret secrets
    history conv conversation chat log exfil leak user input output answer response memory memories b64 base64 x
    """)
_TEMPLATE = re.compile(r"[{}\[\]<>$]|%7b|%5b|\b(?:your|the|insert|replace)[_-]|^[a-z]+_here$|\.\.\.")
_PRIVATE = (
    r"(?:conversations?|chats?|secrets?|passw|passwd|pwd|context|history|memor|prompts?|credential|user_?data|everything|"
    r"api_?key|private|transcript|exfil|stolen|verlauf|gesprach|zugangsdaten|geheim|contrasena|historial|conversacion|"
    r"mot_?de_?passe|historique|senha|segredo|chiave|segret|wachtwoord|geheugen|haslo|rozmow|sifre|sohbet|"
    r"密码|对话|记忆|会話|秘密|パスワード|记录)"
)
_OPENS = r"(?:[{\[<(|«‹〈《【「『〔⟨⟦$%#*^~@]|%7b|%5b|%3c|%28|__|:{2})"
_URL_TEMPLATE = re.compile(
    r"(?:https?|hxxps?|wss?|ftp)[:;]//(?:[^\s?=]{0,200}[?;][^\s]{0,300}?=" + _OPENS + r"{1,3}[^\s]{0,12}?[\w .-]{0,30}?"
    r"(?:"
    + _PRIVATE[3:-1]
    + r"|token|message)|[^\s]{0,300}?"
    + _OPENS
    + r"{1,3}[\w .-]{0,30}?"
    + _PRIVATE
    + r"(?!\w{0,20}id\b))"
)

Carrier = tuple[int, int, str]
"""Start, end and reason."""


def find_carriers(plain: str) -> Iterator[Carrier]:
    """`plain` in lower case. Linear: sentences do not overlap, and within one the windows move on by steps."""
    for sentence in _SENTENCE.finditer(plain):
        yield from _find_sending(plain, *sentence.span())
    images = list(_IMAGE.finditer(plain)) + (list(_REFERENCE.finditer(plain)) if "![" in plain else [])
    for image in images:
        if _carries(next(filter(None, image.groups()))):
            yield image.start(), image.end(), "shows an image whose address takes text along"
    for url in _URL_TEMPLATE.finditer(plain):
        yield url.start(), url.end(), "has an address to be filled in with what is private"


def _find_sending(plain: str, start: int, end: int) -> Iterator[Carrier]:
    """Yield a word for sending, then something precious, then an address, within one sentence.

    Where verbs come last, in any order.
    """
    done = start
    for address in _ADDRESS.finditer(plain, start, end):
        if address.start() < done:
            continue
        first = max(start, address.start() - WINDOW_CHARS)
        sends = _SENDS.search(plain, first, address.start())
        precious = sends and _PRECIOUS.search(plain, sends.end(), address.start())
        if sends and (precious or _EXFILTRATES.search(plain, first, address.start())):
            yield sends.start(), address.end(), "sends what is private to an address"
        elif all(
            pattern.search(plain, first, min(address.end() + MIN_STEP_CHARS, end))
            for pattern in (_PRECIOUS_FIRST, _SENDS_LAST)
        ):
            yield address.start(), address.end(), "sends what is private to an address"
        done = address.start() + MIN_STEP_CHARS


def _carries(url: str) -> bool:
    """Tell whether an address carries a message.

    A picture's size and style are none; a parameter for text, a gap to fill or a long value is.
    """
    if _GAP.search(url.partition("?")[0]):
        return True
    for name, value in _PARAMETER.findall(url):
        if (
            _TEMPLATE.search(value)
            or (len(value) >= MIN_LONG_VALUE_CHARS and not value.startswith("http"))
            or (name in _CARRIERS and len(value) != 1)
        ):
            return True
    return False


Finding = tuple[int, int, str]
"""Start, end and reason."""

_FETCH = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|net\.webclient)"
_RUN = r"(?:(?:ba|z|da|k|fi)?sh|python\d?|perl|ruby|node|php|iex|invoke-expression)"
_OUT = r"(?:curl|wget|nc|ncat|netcat|nslookup|dig|telnet)"
_READ = r"(?:env|printenv|cat|tar|zip|base64|gpg|history|whoami|security|pass)"
_KEPT = (
    r"(?:\.ssh\b|id_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws\b|\.env\b|\.gnupg\b|\.netrc\b|\.npmrc\b|\.pgpass\b|\.kube\b"
    r"|/etc/(?:passwd|shadow)\b|/proc/self\b|credentials?\b|secrets?\b|\w{1,40}\.(?:pem|key|p12|kdbx)\b)"
)
_STARTS = r"(?<![\w.-])"

_RUNS_FETCHED = re.compile(
    rf"{_STARTS}{_FETCH}\b[^\n|]{{0,300}}\|\s{{0,3}}(?:sudo\s(?:-\w{{1,3}}\s)?)?(?:[\w/]{{1,40}}/)?{_RUN}\b"
    rf"|{_STARTS}{_RUN}\b[^\n]{{0,30}}?(?:<\(|\$\(|`|\()\s{{0,3}}[^\n()`]{{0,60}}?\b{_FETCH}\b"
    rf"|{_STARTS}(?:eval|source|iex)\b[^\n]{{0,30}}?\b{_FETCH}\b"
)
_CARRIES_OUT = re.compile(
    rf"{_STARTS}curl\b[^\n|;]{{0,200}}?@['\"]?[^\s'\"@]{{0,80}}?{_KEPT}"
    rf"|{_STARTS}{_READ}\b[^\n|]{{0,120}}\|[^\n]{{0,120}}?{_STARTS}{_OUT}\b(?!\s-z)"
    rf"|{_STARTS}{_OUT}\b[^\n]{{0,200}}?(?:\$\(|`)\s{{0,3}}{_READ}\b"
    rf"|{_STARTS}(?:scp|rsync|sftp)\b[^\n]{{0,80}}?{_KEPT}[^\n]{{0,80}}?[\w.-]{{1,80}}:"
    rf"|{_STARTS}(?:fetch|sendbeacon|xmlhttprequest|new image)\b[^\n]{{0,160}}?"
    r"\b(?:document\.cookie|localstorage|sessionstorage)"
    rf"|{_STARTS}(?:open|visit|load|fetch|get|request|call|ping|curl|wget)\b[^\n]{{0,40}}?https?://[^\s?]{{1,200}}\?"
    r"[^\s=]{1,40}=[a-z0-9+/_%-]{60,4000}"
)
_HANDS_OVER = re.compile(
    r"\b(?:passwords?|api[ _-]?keys?|tokens?|secrets?|credentials?|private keys?)\b[^.!?\n]{0,120}?"
    r"\b(?:include|send|post|put|append|forward|submit|paste)s? (?:it|them|this|that|those)\b[^\n]{0,80}?"
    r"(?:https?://|\b[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]{2,})"
)

_CREDENTIAL = (
    r"(?:passwords?|passphrases?|passcodes?|api[ _-]?keys?|secret keys?|private keys?|seed phrases?|recovery (?:codes?|"
    r"phrases?)|credit card(?: numbers?)?|card numbers?|cvv|pins?|otp|(?:2fa|one[- ]time|login|sms) "
    r"(?:codes?|passwords?)|"
    r"social security numbers?|credentials)\b"
)
_GIVE = r"(?:enter|re-?enter|type|provide|share|give|send|paste|tell|confirm|reveal|hand over|disclose)"
_PEOPLE = r"(?:users?|customers?|humans?|operators?|them|people)"
_ASKS = re.compile(
    rf"\b(?:ask|asking|prompt|tell|get|have|request|convince|urge|make) (?:\w{{1,10}} ){{0,2}}{_PEOPLE} "
    rf"(?:again )?(?:for|to {_GIVE})\b[^.!?\n]{{0,40}}?\b{_CREDENTIAL}"
    rf"|\b{_PEOPLE} (?:must|has to|have to|needs? to|should) (?:\w{{1,10}} )?{_GIVE}\b[^.!?\n]{{0,40}}?\b{_CREDENTIAL}"
    r"[^.!?\n]{0,40}?(?:\bin (?:the|this) (?:chat|conversation)\b|\bto (?:you|(?:the )?(?:agent|assistant|model|bot))\b"
    r"|https?://|\bhere\b)"
    rf"|\balways (?:ask|request|demand) (?:for )?(?:\w{{1,10}} ){{0,2}}{_CREDENTIAL}"
)


def find_commands(plain: str) -> Iterator[Finding]:
    """`plain` in lower case. Linear: every gap is bounded."""
    for match in _RUNS_FETCHED.finditer(plain):
        yield match.start(), match.end(), "runs whatever an address answers"
    for pattern in (_CARRIES_OUT, _HANDS_OVER):
        for match in pattern.finditer(plain):
            yield match.start(), match.end(), "carries out files or secrets"


def find_requests(plain: str) -> Iterator[Finding]:
    """Yield where somebody is to be asked for what opens a door. `plain` in lower case. Linear."""
    for match in _ASKS.finditer(plain):
        yield match.start(), match.end(), "has people asked for credentials"


Found = tuple[int, int, str]
"""Start, end and reason."""


def _one_of(text: str) -> str:
    return f"(?:{'|'.join(sorted(words(text), reverse=True))})"


_DOT = (
    r"(?:\.|\s?[\[({<]\s?(?:\.|dot|punkt|punto|point|ponto|punt|kropka|nokta)\s?[\])}>]\s?| dot | punkt | punto "
    r"| ponto |。|·)"
)
_TOP = _one_of("""
    com net org info biz edu gov mil int io ai dev app co xyz top online site club shop store tech cloud live icu
    pro mobi link click page web wiki space website email host digital network systems zone one run fun world de fr
    uk us eu ru su cn jp nl be ch se es pt tr br kr ca au nz cz fi dk gr hu ro ua pl tk ml ga cf gq tv ws gg ly hk
    tw sg ir za mx ar cl example test invalid local localhost lan internal intranet corp home onion i2p eth
    """)
_MARKUP = _one_of("""
    img a iframe script link form video audio source object embed svg meta base input button style body
    """)
_ANY_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,15}\s{0,2}[:;]\s{0,2}(?:/\s?/|\\\\)\s{0,2}\S"
    r"|\b(?:h(?:tt|xx|\*\*)ps?|ftp)\s{0,2}(?:\[:\]|\(:\)|:|colon)\s{0,2}/"
    r"|\b(?:mailto|javascript|vbscript|tel|sms|magnet|bitcoin|data:\w{1,20}/|skype|tg):\S"
    r"|(?<![:\w/])//[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}|\\\\[\w.-]{2,63}\\\w|\bwww\s?[.\[(]"
    r"|[\w.+-]{1,64}@[\w-]{1,63}\.[\w-]{2,63}"
    r"|\b[\w.+-]{1,64}(?:\s?[\[({<]\s?(?:at|@|a|arroba|chiocciola)\s?[\])}>]\s?[\w-]{2,63}"
    r"| at [\w-]{2,63} dot \w{2,10})"
    rf"|(?<![\w.-])[a-z0-9][a-z0-9-]{{0,62}}(?:{_DOT}[a-z0-9-]{{1,63}}){{0,5}}{_DOT}{_TOP}(?![\w-])(?!\.\w)"
    r"|(?<![\w.])(?<!version )(?<!release )(?:\d{1,3}(?:\.|\[\.\])){3}\d{1,3}(?![\w.]\w)"
    r"|(?<![\w:.])(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{0,4}|(?<![\w:])[0-9a-f]{2,4}::[0-9a-f]{0,4}|(?<![\w:])::1\b"
    r"|\b(?:localhost|[a-z][a-z0-9-]{1,62}):\d{4,5}(?![\d.])"
    r"|\bbc1[a-z0-9]{20,80}|\b0x[0-9a-f]{40}\b|\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){3,7}\b"
    r"|(?<![\w+])\+\d[\d ().-]{7,20}\d"
    r"|\b(?:telegram|signal|whatsapp|discord|twitter|mastodon|instagram|wechat|line)\b[^.!?\n]{0,20}?\s@\w{3,40}"
    r"|!\[|\]\s{0,2}\(\s{0,2}[^\s)]|^\s{0,3}\[[^\]\n]{1,80}\]:\s{0,4}\S|\burl\s{0,2}\(\s{0,2}['\"]?\S"
    rf"|<\s?{_MARKUP}\b[^<>]{{0,400}}[>=]",
    re.MULTILINE,
)
_NO_ADDRESS = words("asp.net ado.net ml.net vb.net socket.io draw.io env.local env.test")

_PROGRAM = _one_of("""
    curl wget rm chmod chown dd mkfs mv cp kill pkill killall bash sh zsh fish powershell pwsh cmd certutil reg
    schtasks crontab systemctl service journalctl docker podman kubectl helm git npm npx yarn pnpm pip pip3 pipx uv
    apt apt-get yum dnf brew pacman apk snap make terraform ansible ansible-playbook ssh scp sftp rsync nc ncat
    netcat psql mysql mysqldump pg_dump sqlite3 mongo redis-cli aws gcloud az python python3 perl ruby node php java
    go cargo tar unzip gunzip iptables nft ufw useradd userdel usermod passwd mount umount shutdown reboot poweroff
    nohup export eval exec echo cat tee sed awk find xargs base64 openssl gpg touch ln env printenv net netsh
    rundll32 msiexec iex iwr zpool zfs btrfs restic borg rclone crictl at nslookup dig ping traceroute telnet ls cd
    mkdir source setfacl chattr shred wipe truncate history
    """)
_MANAGER = _one_of("""
    docker podman kubectl helm git npm npx yarn pnpm pip pip3 pipx uv apt apt-get yum dnf brew pacman apk snap
    terraform systemctl service aws gcloud az cargo restic borg rclone zpool zfs
    """)
_DOES = _one_of("""
    start stop restart reload enable disable mask status install uninstall remove purge update upgrade add pull push
    run exec rm rmi kill prune build up down compose login logout delete apply create edit get describe scale
    rollout drain cordon clone commit reset rebase checkout fetch merge init config set unset destroy plan import
    export backup restore forget unlock upload download copy move sync s3 publish link test dev
    """)
_ON_FILES = "(?:rm|mv|cp|kill|chmod|cat|bash|sh|python3?|node|crontab|shutdown|iptables)"
_LINE = re.compile(
    r"(?:^|[\s`\"'“„(:;|&$>=])(?:"
    r"(?:sudo|doas) (?:-\w{1,3} )?[a-z]"
    rf"|{_PROGRAM} (?:[\w=:@./>-]{{1,60}} ){{0,4}}"
    r"(?:--?[a-zA-Z][\w-]{0,30}(?=[\s=`\"'.,;)]|$)|[~.]?/[\w.*~-]|~(?:/|\s|$)|https?:|\$\w|\*|<<)"
    rf"|{_MANAGER} {_DOES} [\w@./\"'$<{{-]|{_MANAGER} {_DOES}(?=[`\"'.;,]|$)"
    rf"|{_ON_FILES} (?:-|[\w.~-]{{0,60}}[/~]|\d{{1,5}}\b"
    r"|[\w-]{1,60}\.(?:sh|py|js|pl|rb|ps1|txt|env|pem|key|json|ya?ml|conf|sql|db)\b)"
    r")",
    re.MULTILINE,
)
_SQL = (
    r"(?i:\b(?:drop|truncate|alter)\s{1,3}(?:table|database|schema|user|index)\b|\bdelete\s{1,3}from\s{1,3}\w"
    r"|\binsert\s{1,3}into\s{1,3}\w|\bupdate\s{1,3}\w{1,40}\s{1,3}set\s{1,3}\w{1,40}\s{0,2}=|\bgrant\s{1,3}all\b"
    r"|\bunion\s{1,3}select\b|\bxp_cmdshell\b)|\bSELECT\s[^;\n]{1,120}\sFROM\s"
)
_CALL = (
    r"(?:os\.(?:system|popen|remove|environ)|subprocess\.\w{2,20}|shutil\.rmtree|child_process|__import__|\beval|\bexec"
    r"|\bfetch|require|document\.(?:cookie|write)|localStorage|window\.location"
    r"|(?i:invoke-\w{3,20}|iex|iwr|set-executionpolicy|remove-item|new-object|start-process))\s{0,2}[(.\[ ]['\"$\w-]"
    r"|\b(?:delete|send|drop|remove|exec|execute|run|call|forget|wipe|upload|post|transfer|disable|erase|purge|write"
    r"|create|set|update|get|read|open)_?\w{0,40}\([^()\n]{0,200}\)"
    r"|[\"'](?:tool|tool_name|function|tool_calls?|command|cmd|action|arguments|recipient_name)[\"']\s{0,3}:\s{0,3}[\"'\[{]"
)
_CODE = re.compile(
    r"^\s{0,4}(?:\$|PS [^>\n]{0,80}>|>>>) ?[\w./-]{2}|\w\s{0,2}&&\s{0,2}\w|\|\s{0,3}(?:sudo )?(?:ba|z|k|da)?sh\b"
    rf"|\$\([^)\n]{{1,200}}\)|\$\{{IFS\}}|>{{1,2}}\s{{0,2}}/(?:dev|etc|tmp|home|root)/|\b2>&1\b|```|~~~|{_SQL}|{_CALL}"
    r"|\b(?:npx|pipx|uvx|bunx|dlx) [\w-]{0,40}[@/-]\w|\b[A-Z][a-z]{1,15}-[A-Z][A-Za-z]{2,20} -[A-Z]"
    r"|\bHK(?:LM|CU|EY_\w{4,30})\\|\b[A-Z]:\\\w|%(?:APPDATA|TEMP|USERPROFILE|COMSPEC)%"
    r"|(?:^|\s)/(?:delete|forget|reset|clear|run|exec|send|system|admin|config|memory|purge|wipe|eval|shell)\b(?!/)"
    r"(?: \w|$)",
    re.MULTILINE,
)


def find_addresses(plain: str) -> Iterator[Found]:
    """Yield the first address. `plain` is in lower case. Linear: every gap is bounded."""
    for match in _ANY_ADDRESS.finditer(plain):
        if match.group() not in _NO_ADDRESS:
            yield match.start(), match.end(), "brings an address along"
            return


def find_command_lines(text: str) -> Iterator[Found]:
    """Yield the first command line. `text` is as it was written: programs are named in small letters. Linear."""
    for pattern in (_LINE, _CODE):
        if match := pattern.search(text):
            yield match.start(), match.end(), "brings a command along"
            return

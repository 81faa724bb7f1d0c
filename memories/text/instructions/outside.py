"""What a text that nobody vouches for may not bring along: addresses and command lines, of whatever kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.wordlist import words

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
_ADDRESS = re.compile(
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
    """The first. `plain` in lower case. Linear: every gap is bounded."""
    for match in _ADDRESS.finditer(plain):
        if match.group() not in _NO_ADDRESS:
            yield match.start(), match.end(), "brings an address along"
            return


def find_command_lines(text: str) -> Iterator[Found]:
    """The first. `text` as it was written: programs are named in small letters. Linear."""
    for pattern in (_LINE, _CODE):
        if match := pattern.search(text):
            yield match.start(), match.end(), "brings a command along"
            return

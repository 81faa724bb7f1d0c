"""Words that tell names from other words, and endings that tell files from hosts. Data only."""

from memories.text.future.foreign_words import DAYS
from memories.text.future.foreign_words import MONTHS as FOREIGN
from memories.text.temporal.words import MONTHS, TIME_WORDS, WEEKDAY_PLURALS, WEEKDAYS
from memories.text.wordlist import words

FUNCTION_WORDS = words("""
    a about above across actually after again against ago all almost along already also although always am among an and
    another any anybody anyone anything anyway apparently are around as aside at away back basically be because been
    before behind being below beside besides between beyond both but by can cannot certainly could currently definitely
    despite did do does doing done down due during each either else enough especially even ever every everybody
    everyone everything except exactly few fewer finally first for former fortunately from further generally had
    half has have having he hence her here hers herself him himself his honestly how however i if in indeed inside
    instead into is it its itself just last lately later latter least less lets like likely little lot lots luckily
    many may maybe me meanwhile might mine more moreover most mostly much must my myself near nearly neither never
    nevertheless next no nobody none nor normally not nothing now nowadays nowhere obviously of off often ok okay on
    once one only onto or other others otherwise ought our ours out outside over overall own per perhaps please
    possibly probably quite rather really recently regarding same second several shall she should similarly simply
    since so some somebody someone something sometimes somewhere soon still such surely than thanks that the their
    theirs them then there thereby therefore these they third this those though through throughout thus till to
    today together tomorrow tonight too toward towards typically under unfortunately unless until unlike up upon us
    usually various very via was we well were what whatever when whenever where whereas wherever whether which
    whichever while who whoever whom whose why will with within without would yesterday yet you your yours yourself
    """)
"""They are never names, wherever they stand and however they are written."""

COMMON_STARTS = words("""
    absolutely accept according add allow answer apologies apply ask avoid awesome based bring build bye call cannot
    careful change check choose clean click close code come compare configure congrats congratulations consider
    continue cool copy correct could create data date dear debug define delete deploy describe details disable
    disclaimer discuss do don download drop edit email enable ensure error errors example excellent execute expected
    explain export fact failed false fantastic feel file files find fix follow following format found game get getting
    give glad go going good goodbye got great great guess guys happy hello help hey hi hmm hold home hope hopefully
    host how hurray idea ideas import important in info install interesting issue issues job join keep kind know
    known later lead learn leave left let like line link list listen live load log logs look looking looks love luck
    make meet meeting message mistake mom mum dad morning move name need new nice nope note notes notice number open
    option options order output password people perfect person pick place plan plans play point port print prior
    problem problems project pull push put question questions quick read ready reason recommend reminder remember
    remove rename repeat replace report request reset restart result results return review right run running sad save
    say search see seems select send server set setting settings setup share should show shows sign similar simple
    sleep solution sorry sounds source start status step steps stop store stuff subject sudden suggest sum summary
    super sure switch system take talk task tell test tests thank thing things think time times tip tips title todo
    told tool total transfer true try trying turn type understood update updated upgrade use used user users using
    value verify version visit wait waiting want warning watch way week welcome wow whoa wonderful wonder work
    working works write wrong yeah year yep yes yup oh ah aha um uh ugh haha lol btw fyi imo ps nb eg ie
    monthly weekly daily hourly life nature music family love friends friend books dance art game games home yoga food
    animals weddings confidence challenges progress balance freedom tons bet health money business stress school
    sports memories nothing happiness patience practice creativity motivation reading writing cooking hiking painting
    communication support support's teamwork research therapy traffic weather summers winters dogs cats kids parents
    doctors companies customers clients servers backups logs passwords tests deploys deployments errors
    """)
"""Words that begin sentences with a capital that means nothing."""

SHOUTED = words("""
    and but not never no yes all any only must should always ever now please stop wow ok do don't can't won't very
    really too so warning error note important todo fixme xxx caution danger critical info debug am pm the a is are
    """)
"""Words people write in capitals for weight."""

NO_NAMES = FUNCTION_WORDS | MONTHS.keys() | WEEKDAYS.keys() | WEEKDAY_PLURALS | words("o'clock i'm i've i'll i'd")
SENTENCE_STARTS = FUNCTION_WORDS | COMMON_STARTS | TIME_WORDS

TITLES = words("dr mr mrs ms miss prof professor sir st mx madam captain president judge")
CONNECTORS = words("of de da di del della van von la le bin ibn al")
"""They join two capitals into one name: "Bank of America", "Ludwig van Beethoven"."""
SECOND_CONNECTORS = words("the la las los der den")
"""They may follow one: "Lord of the Rings", "Ludwig von der Tann"."""

NAME_VERBS = words("""
    is was are were has had does did can could will would should said says tells told asked asks wants wanted likes
    liked loves loved hates lives lived works worked runs ran uses used moved prefers preferred needs needed knows knew
    thinks thought thinks went goes came comes called calls plays played keeps kept gave gives got gets bought left
    became started stopped listens crashed failed takes took sits supports stores handles lacks won lost met joined
    """)
"""Behind a capital at the start of a sentence they make a name of it: "Anna likes", "Redis listens"."""

NOT_COUNTED = words("times days weeks months years hours minutes seconds percent people and or to euros dollars")
"""Behind "Anna 3" they tell that the number is an amount."""

GERMAN_ARTICLES = words("""
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner im am vom zum zur beim ins
    ans mein meine meinen meinem meiner dein deine deinen deinem deiner sein seine seinen seinem seiner ihr ihre ihren
    ihrem ihrer unser unsere unseren unserem unserer euer eure dieser diese dieses diesen diesem jeder jede jedes jeden
    jedem alle welcher welche welches welchen
    """)
"""What stands behind one of these is a thing, written with a capital like all nouns."""
GERMAN_WORDS = GERMAN_ARTICLES | words("""
    ich wir er sie du und oder aber nicht auch nur noch wenn dass weil ist sind hat haben wird werden muss kann mit für
    auf bei nach aus über durch ohne gegen seit bitte herr frau
    """)
GERMAN_STARTS = GERMAN_WORDS - words("am im in hat alle herr frau") - FUNCTION_WORDS
GERMAN_SIGNS = GERMAN_STARTS - words("der den die des mit er es sein")
"""No words of English, nor of names in it ("von der Leyen")."""

GERMAN_DAYS = words(f"uhr {' '.join(DAYS['de'] + FOREIGN['de'])}")

FILE_ENDINGS = words("""
    py pyi ipynb js mjs cjs jsx ts tsx vue svelte html htm css scss less json jsonl yaml yml toml ini cfg conf config
    env
    xml csv tsv txt md rst adoc tex pdf doc docx xls xlsx ppt pptx odt png jpg jpeg gif svg webp ico mp3 mp4 wav mkv
    mov flac zip tar gz tgz bz2 xz zst 7z rar deb rpm apk iso img exe dll so dylib jar war class java kt scala go rs
    c h cc cpp hpp cs fs rb php pl pm lua r jl swift dart ex exs erl hs clj sql sqlite sqlite3 db bak log lock sh bash
    zsh fish ps1 bat service timer socket mount crt pem key pub csr cer p12 onnx safetensors pt bin gguf dockerfile
    proto graphql tf tfvars hcl nix patch diff swp tmp pid map wasm parquet feather npy npz pkl
    """)
TOP_DOMAINS = words("""
    com org net edu gov mil int io dev app ai co me tv info biz name xyz site online cloud tech blog shop store page
    de uk fr it es nl be ch at pl cz se no fi dk ie pt gr ru ua jp cn kr in au nz br mx ca us eu za il tr sg hk
    local lan internal intranet home corp localdomain arpa test example invalid onion svc consul
    """)
WORDLIKE_DOMAINS = words("it is at be in me us no so to am")
"""Two labels with one of these are rather a sentence without a space."""
HOST_WORDS = frozenset({"localhost"})

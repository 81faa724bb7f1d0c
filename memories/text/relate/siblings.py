"""Classes of words of which one thing has, as a rule, one at a time. Data only: name → members."""

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

"""First-person statements in other languages: how they begin and what they tell. Data only."""

STATEMENTS = {
    "de": (
        r"\b(?:ich (?:bin|wohne|lebe|arbeite|heiße|heisse|mag|liebe|hasse|bevorzuge|esse|trinke|spreche|spiele|nutze|"
        r"benutze|verwende|fahre|studiere|lerne|komme aus|nehme|vertrage|rauche|trainiere|unterrichte|leite|ziehe|"
        r"fliege|reise|heirate|besitze|kaufte|habe (?:eine?n? )?(?:\w+ )?(?:allergie|unverträglichkeit|hund|katze|"
        r"kind|kinder|termin|sohn|tochter|bruder|schwester|geburtstag|asthma|diabetes|prüfung|urlaub|zwei|drei|vier)|"
        r"(?:kann|darf) (?:kein|nicht|nur))|(?:mein|meine|meinem|meiner|unser|unsere) (?:name|frau|mann|sohn|tochter|"
        r"bruder|schwester|mutter|vater|hund|katze|chef|chefin|freund|freundin|partner|partnerin|kinder|eltern|oma|"
        r"opa|geburtstag|server|firma|team|arzt|ärztin)|wir (?:nutzen|verwenden|benutzen|wohnen|leben|ziehen|fliegen|"
        r"heiraten|fahren|setzen|deployen|haben (?:uns|beschlossen|entschieden|einen|eine|zwei|drei))|nenn mich|"
        r"hab(?:e)? (?:am|einen?|ne)\b.{0,200}\b(?:termin|allergie|kind|hund)|nehme (?:ja )?(?:seit|täglich))\b"
    ),
    "fr": (
        r"(?:\bje (?:suis|vis|travaille|m'appelle|préfère|déteste|parle|mange|bois|joue|déménage|pars|prends|"
        r"ne (?:mange|bois|supporte|peux|travaille|fume|parle)|viens de|fais (?:du|de la|partie)|n'aime)|"
        r"\bj'(?:habite|aime|adore|utilise|étudie|apprends|enseigne|évite|ai (?:une? (?:fille|fils|chien|chat|"
        r"allergie|enfant|frère|sœur|soeur|rendez-vous)|deux|trois|\d+ ans|déménagé|décidé|horreur)|ai un)|\b(?:mon|"
        r"ma|mes|notre|nos) (?:nom|femme|mari|fils|fille|frère|sœur|soeur|mère|père|chien|chat|chef|copain|copine|ami|"
        r"amie|anniversaire|enfants|parents|médecin|équipe|serveur)|\bnous (?:utilisons|habitons|avons (?:décidé|"
        r"choisi|un|une|deux)|partons|déployons)|\bon (?:utilise|habite|part à|déménage)|appelle-moi)\b"
    ),
    "es": (
        r"\b(?:(?:yo )?soy (?:\w+)|vivo en|trabajo (?:en|como|de|desde|para)|me llamo|me gustan?|no me gustan?|"
        r"me encantan?|prefiero|odio|uso|estudio|hablo|juego|tengo (?:alergia|un (?:hijo|perro|gato|hermano|vuelo|"
        r"examen)|una (?:hija|perra|gata|hermana|cita|alergia|reunión|intolerancia)|dos|tres|\d+ años|diabetes|asma)|"
        r"no (?:como|bebo|puedo comer|tolero|fumo)|mi (?:nombre|esposa|esposo|marido|mujer|hijo|hija|hermano|hermana|"
        r"madre|padre|perro|gata|gato|jefe|jefa|novia|novio|cumpleaños|médico|familia)|(?:nos )?mudamos|usamos|"
        r"vivimos en|nos vamos a|decidimos|hemos decidido|llámame|nací en)\b"
    ),
    "it": (
        r"\b(?:sono (?:allergic[oa]|vegan[oa]|vegetarian[oa]|celiac[oa]|nat[oa]|un[oa]?|italian[oa])|vivo a|abito a|"
        r"lavoro (?:a|come|per|in)|mi chiamo|mi piac(?:e|ciono)|non mi piac(?:e|ciono)|preferisco|odio|(?:mia|mio|"
        r"la mia|il mio) (?:moglie|marito|figlio|figlia|sorella|fratello|madre|padre|cane|gatto)|usiamo|chiamami|"
        r"ho (?:due|tre|un figlio|una figlia|un cane|un gatto|l'allergia))\b"
    ),
    "pt": (
        r"\b(?:(?:eu )?sou (?:alérgic[oa]|vegan[oa]|vegetarian[oa]|celíac[oa]|de|um|uma|\w+)|moro em|trabalho (?:em|"
        r"como|na|no|de|para)|passo a trabalhar|me chamo|meu nome|eu gosto|não gosto|prefiro|odeio|minha (?:esposa|"
        r"mulher|filha|irmã|mãe|namorada)|meu (?:marido|filho|irmão|pai|namorado|cachorro|gato)|usamos|tenho (?:dois|"
        r"duas|três|um filho|uma filha|um cachorro|alergia))\b"
    ),
    "nl": (
        r"\b(?:ik (?:ben|woon|werk|heet|hou van|haat|eet|drink|spreek|speel|gebruik|studeer|heb (?:een|twee|drie))|"
        r"mijn (?:naam|vrouw|man|zoon|dochter|broer|zus|moeder|vader|hond|kat|baas)|wij gebruiken|we gebruiken|"
        r"noem me)\b"
    ),
    "ru": (
        r"(?:меня зовут|я (?:живу|работаю|люблю|не люблю|не ем|учусь|играю|предпочитаю|вегетарианец|веган)|"
        r"у меня (?:аллергия|есть|двое|сын|дочь)|мо[йя] (?:жена|муж|сын|дочь|брат|сестра|мама|папа|собака))"
    ),
    "cjk": (
        r"(?:我(?:是|住在|住|喜欢|不喜欢|不吃|对.{1,8}过敏|在.{1,12}工作|叫)|我的(?:名字|生日|妻子|丈夫|儿子|女儿|猫|狗)|私は.{1,30}(?:です|ます)|アレルギー|ベジタリアン|"
        r"に住んで)"
    ),
}
"""Language → what a statement about the speaker looks like, in lower case."""

RULES = (
    r"^(?:(?:bitte )?(?:immer|niemals|nie) (?:\w+ )*\w+e?n$|nenn mich \w+|ab (?:jetzt|sofort) \w+|(?:toujours|"
    r"jamais) \w+|ne \w+ (?:jamais|plus) |appelle-moi \w+|à partir de maintenant |(?:siempre|nunca) \w+|"
    r"llámame \w+|a partir de ahora |de ahora en adelante |antworte (?:mir )?(?:immer|bitte|auf)|"
    r"réponds(?:-moi)? (?:toujours|en)|responde (?:siempre|en)|sprich mich|duze mich)"
)

PASSING = (
    r"\b(?:frage|problem|idee|hilfe|müde|nicht sicher|gerade dabei|fehler|hunger|langweilig|question|problème|"
    r"idée|aide|fatigué|désolé|pas sûr|erreur|pregunta|problema|ayuda|cansad[oa]|segur[oa]|idea|domanda|aiuto|"
    r"stanco|dúvida|ajuda|vraag|вопрос|помоги|wenn ich|falls ich|si j'étais|si yo fuera|stell dir vor|imagine que|"
    r"imagina que|würde|möchte wissen|voudrais|quisiera)\b"
)

GREETED = (
    r"^(?:hallo|hi|hey|moin|servus|guten (?:tag|morgen|abend)|bonjour|salut|coucou|hola|oye|buenos días|"
    r"buenas(?: tardes| noches)?|ciao|oi|olá|ok|also|übrigens|au fait|por cierto|ach(?: ja)?|ja|nein|oui|non|sí|"
    r"bitte|danke|merci|gracias)\s*[,!.:;–-]+\s*"
)

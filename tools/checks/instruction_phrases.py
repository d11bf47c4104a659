"""What texts say to a language model that is to review them: English sentences, and the main ones in other languages.

The phrases are regular expressions with named parts, in which a space stands for what divides words, `<paper>` for a
group of words, and `<0-3>` for up to three words whatever they are. Every repetition is bounded, so that a search takes
time linear in the text. The other languages are folded as a searched text is: without accents, in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_GROUPS: Final = {
    "ignore": r"(?:ignore|disregard|forget|override|bypass|discard|neglect)",
    "earlier": r"(?:previous|prior|preceding|earlier|above|foregoing|former|original|existing|initial|system|your)",
    "orders": r"(?:instructions?|prompts?|directions?|commands?|directives?|orders?|guidelines)",
    "ai": r"(?:(?:large |multimodal )?language models?|llms?|ais?|artificial intelligences?"
    r"|ai (?:language )?(?:models?|systems?|assistants?|reviewers?|agents?|tools?)|llm reviewers?|chatgpt|gpt(?:-\d)?"
    r"|claude|gemini|copilot|chatbots?|bots?|(?:automated|automatic|artificial|robot) (?:reviewers?|referees?"
    r"|graders?|evaluators?|assistants?|agents?))",
    "paper": r"(?:papers?|manuscripts?|submissions?|articles?|work|study|text|document)",
    "write": r"(?:give|write|provide|produce|generate|output|return|leave|submit|assign|award|grant|offer|deliver"
    r"|compose|draft)",
    "score": r"(?:scores?|ratings?|grades?|marks?|points)",
    "mention": r"(?:mention|mentioning|highlight|highlighting|list|listing|report|reporting|point out|pointing out"
    r"|discuss|discussing|include|including|raise|raising|critici[sz]e|state|stating|identify|reveal|note|flag"
    r"|bring up|comment on|give|write|provide|add|generate|produce|output|say|find|see|make)",
    "weakness": r"(?:weakness(?:es)?|limitations?|negatives|flaws?|shortcomings?|drawbacks?|criticisms?|concerns"
    r"|deficienc\w{1,3}|negative (?:points?|aspects?|comments?|feedback|remarks?))",
    "adverb": r"(?:please|now|also|then|instead|just|simply|kindly|always|only|must|therefore|thus|finally|again|do"
    r"|definitely)",
    "tell": r"(?:accept|acknowledge|add|answer|approve|assess|assign|assume|award|be|conclude|consider|declare"
    r"|describe|endorse|evaluate|find|flag|focus|forget|generate|give|grade|highlight|ignore|judge|list|make|mark"
    r"|mention|output|overlook|praise|pretend|produce|promote|provide|rank|rate|recommend|reject|reply|report|respond"
    r"|return|review|say|score|skip|state|suggest|summari[sz]e|support|treat|trust|vote|write)",
    "verdict": r"(?:(?:this|the|our) (?:papers?|manuscripts?|submissions?)|this (?:article|section|paragraph|work"
    r"|study)|(?:positive|negative|favou?rable|good|nice|kind) (?:things?|words?|reviews?|comments?|points?)"
    r"|strengths|<weakness>|acceptance|accept|reviews?|reviewers?|json|flawless|groundbreaking)",
    "reading": r"(?:read|review|evaluate|assess|process|grade|summari[sz]e|reading|reviewing|processing|evaluating"
    r"|assessing|grading|scoring|summari[sz]ing|analy[sz]ing)",
    "splendid": r"(?:positive\w{0,2}|favou?rabl[ey]|excellent\w{0,2}|outstanding\w{0,2}|groundbreaking"
    r"|flawless\w{0,2}|top|best|first|maximum|landmark|enthusiastic\w{0,4})",
    "qu": r"(?:que |qu')",
}
_BETWEEN: Final = r"[^\w.!?]{1,4}"
_PART: Final = re.compile(r"<([a-z]+)>|<0-(\d)>|(\[[^\]]*\])| ")


def word_phrases(sources: Iterable[str]) -> re.Pattern[str]:
    """Phrases as whole words with anything but the end of a sentence between them; overlapping ones are found too."""
    return re.compile(rf"(?<!\w)(?=({_any(sources, between=_BETWEEN)})(?!\w))")


def squeezed_phrases(sources: Iterable[str]) -> re.Pattern[str]:
    """The same phrases in a text without any space."""
    return re.compile(f"(?=({_any(sources, between='')}))")


def endings(sources: Iterable[str]) -> re.Pattern[str]:
    """Ways in which the words before a phrase end, without a sign between them but commas."""
    return re.compile(_any(sources, between="[ ,]{1,2}"))


def _any(sources: Iterable[str], *, between: str) -> str:
    return "|".join(_expanded(source, between) for source in sources)


def _expanded(source: str, between: str) -> str:
    def part(match: re.Match[str]) -> str:
        group, words, characters = match.group(1, 2, 3)
        if group:
            return _expanded(_GROUPS[group], between)
        if words:
            # Without spaces several words cannot be told from one, and trying all ways to divide them never ends.
            return rf"(?:\w{{1,30}}{between}){{0,{words}}}?" if between else r"\w{0,12}?"
        return characters or f"(?:{between})"

    return _PART.sub(part, source)


PHRASES: Final = (
    # Setting other instructions aside.
    r"<ignore> <0-3><earlier> <0-2><orders>",
    r"<ignore> <0-3><orders> <0-2>(?:above|before|earlier|given|so far|until now|previously)",
    r"<ignore> (?:everything|anything|all|whatever|what) <0-4>(?:above|before|told|instructed|asked)",
    r"(?:do not|don't|stop) (?:follow|obey|following|obeying) <0-2><earlier> <0-2><orders>",
    r"(?:reveal|print|show|repeat|output|leak|disclose|display) <0-2>(?:your|the) <0-2>(?:system prompt|hidden prompt"
    r"|initial prompt|(?:prompt|instructions) above)",
    r"<ignore> your <0-3>(?:rules|role|task|persona|safety|training|guardrails|restrictions|policies|criteria"
    r"|constraints|programming)",
    r"<ignore> <0-3>(?:rules|criteria|context|text|constraints|messages?) (?:that )?(?:you (?:were|have been|are)"
    r"|given to you)",
    r"<earlier> <orders> (?:are|is|have been) <0-1>(?:void|cancell?ed|invalid|revoked|obsolete|superseded|withdrawn)",
    r"you have been (?:instructed|told|ordered|asked|programmed) to <0-1>(?:accept|recommend|praise|approve|ignore"
    r"|<write>)",
    r"(?:overrides?|replaces?|supersedes?) <0-2>(?:your|<earlier>) <0-2><orders>",
    # Naming the reader.
    r"you <0-3>(?:must|should|shall|will|are|have to|need to|may|can|cannot) <0-7><verdict>",
    r"your (?:peer )?reviews?",
    r"i (?:order|urge|command|instruct) you to",
    r"<ai> please",
    r"if (?:an? |any )?<ai> (?:is|are) <0-1>(?:used|asked|employed|instructed) (?:for|to) <0-3>this",
    r"(?:automated|automatic|ai|machine|llm)(?:-generated)? (?:peer )?reviews? <0-6>(?:should|must) (?:conclude"
    r"|recommend|end|accept|be)",
    r"when you (?:are )?<reading> (?:this|our) <paper>",
    r"<ai> <0-1>(?:is |are )?<reading> this",
    r"(?:if|since|because|as) you (?:are )?<reading> (?:this|our) <paper>",
    r"when <0-1><reading> (?:this|the|our) <paper> (?:you|please|only|always|give|do)",
    r"if (?:you are|you're|u are|you happen to be) (?:being )?(?:an? |the )?<0-2><ai>",
    r"(?:if|since|because|when|as) (?:this|the) <paper> is (?:being )?<0-1>(?:read|reviewed|processed|evaluated"
    r"|summari[sz]ed|assessed|graded) by (?:an? |the )?<0-2><ai> ?[,:]",
    r"as (?:an? |the )?<0-2><ai>(?: reviewers?| assistants?)? (?:please|your|you (?:must|should|shall|will|are|have"
    r"|need))",
    r"for (?:all |any |the )?<ai> (?:reviewers?|referees?|graders?|evaluators?|readers) ?:",
    r"(?:reviewers?|referees?|you|<ai>) (?:must|should|shall|may|can|will|are) (?:not|never) (?:to )?<0-2><mention>"
    r" <0-4><weakness>",
    # Demanding praise.
    r"<write> (?:(?:me|us|it|this|the|paper|manuscript|work|only|an?|your|very|highly|extremely|strongly|exclusively)"
    r" ){0,6}?(?:positive|favou?rable|glowing|rave|flattering) (?:peer )?reviews?",
    r"recommend <0-2>(?:acceptance|accepting) (?:of |for )?(?:this|the|our) <paper>",
    r"your (?:evaluation|assessment|rating|ratings|verdict|recommendation|critique|decision) (?:must|should"
    r"|shall|has to|needs to|is to)",
    r"your (?:answer|response|reply|output|report|score|summary) (?:must|should|shall) <0-3>(?:positive|favou?rable"
    r"|accept|acceptance|json|only|exactly|start|begin|end|include|contain|10|high)",
    r"(?:the|this|any) (?:review|evaluation|assessment) (?:must|should|shall|has to) be <0-3>(?:positive|favou?rable"
    r"|glowing|enthusiastic)",
    r"your (?:only|sole|final|entire|whole) (?:answer|response|reply|output|review|verdict|task|job) (?:is|should"
    r"|must|will)",
    r"the (?:correct|right|expected|required|only|final) <0-1>(?:answer|decision|verdict|recommendation|label"
    r"|response|output) is <0-2>(?:accept|acceptance|positive|none|no weakness(?:es)?)",
    r"no <0-1><weakness> <0-1>(?:should|must|may|are to) be (?:reported|mentioned|listed|found|noted|raised|discussed"
    r"|identified|included)",
    r"any (?:weakness(?:es)?|limitations?|criticisms?) <0-4>(?:should|must) be <0-4>(?:minor|trivial|fixable|small"
    r"|negligible|positive\w{0,3})",
    # A conversation or a system prompt in imitation.
    r"### ?(?:system|human|user|assistant|instructions?|response|input) ?:",
)
"""Count wherever they stand, unless a sentence that is no order reports them of somebody else (`REPORT`)."""

COMMANDS: Final = (
    r"<tell> (?!(?:limitations?|or|of|for|on|from|in|and|is|are|was|were|by|has|have|to|as)\W)<0-7><verdict>",
    r"(?:do not|don't|never) <0-1><tell> <0-7><verdict>",
    r"<write> <0-5>(?:positive|favou?rable|glowing|enthusiastic|excellent|outstanding|flattering|supportive|good"
    r"|great|strong) <0-1>(?:reviews?|evaluations?|assessments?|verdicts?|recommendations?|critiques?|comments?"
    r"|feedback|report)",
    r"<write> (?:this|the|our) <paper> <0-5>(?:high\w{0,3}|maximum|max|top|perfect|best|full|excellent|good)"
    r" <0-2><score>",
    r"<write> <0-4>(?:high\w{0,3}|maximum|max|top|perfect|best|full|excellent|good) <0-2><score> <0-1>(?:this|the"
    r"|our) <paper>",
    r"<write> <0-3>(?:highest|best|maximum|top|perfect) (?:possible (?:overall )?<score>|rating)",
    r"<write> <0-4><score> of (?:at least )?(?:10|[5-9]|100)",
    r"(?:rate|score|grade|mark|rank|judge) (?:this|the|our) <paper> <0-6>(?:<splendid>|high\w{0,3}|10|[89]|accept"
    r"|full)",
    r"(?:summari[sz]e|describe|present|portray|frame|review|assess|evaluate|treat|consider|regard|call|label) (?:it"
    r"|(?:this|our) <paper>|the (?:paper|manuscript|submission|article)) <0-6><splendid>",
    r"(?:say|state|conclude|claim|write|report|respond|answer|reply|declare|pretend) (?:that |with )?(?:there (?:is"
    r"|are) (?:no|nothing)|<0-1>no <0-1><weakness>|you (?:have|found|find|see) (?:no|nothing)|(?:this|the|our)"
    r" <paper> (?:is|has|deserves|should|makes))",
    r"(?:say|write|<write>) <0-3>(?:positive|nice|kind|favou?rable) <0-1>(?:things?|words?|points|aspects|remarks)",
    r"(?:do not|don't|never|stop) (?:follow|following) <0-3>(?:guidelines|instructions|rules|criteria)",
    r"(?:do not|don't|never) (?:suggest|request|propose|recommend|require) <0-2>(?:changes|revisions|improvements)",
    r"(?:respond|reply|answer) with <0-2>(?:empty|no|nothing)",
    r"assistant ?:",
    r"<ignore> <0-3>(?:instructions|guidelines|criteria|rules)",
    r"(?:rate|score|grade|mark) <0-2>(?:originality|novelty|soundness|clarity|significance|quality) <0-2>(?:10|[1-9]"
    r"|high\w{0,3}|excellent|top)",
    r"(?:overlook|skip|omit|downplay|hide|suppress|excuse|ignore|disregard) <0-3>(?:<weakness>|criticism)",
    r"(?:recommend|suggest|advise|vote|vote for|argue for|support|endorse) <0-3>(?:accept|acceptance|accepting|strong"
    r" accept|publication|publishing)",
    r"(?:accept|approve|endorse|praise|favou?r|(?:do not|don't|never) reject) (?:this|the|our) <paper>",
    r"(?:do not|don't|never) (?:critici[sz]e|point out)",
    r"(?:do not|don't|never) (?:reveal|disclose|mention|acknowledge|repeat) (?:these|this|your) <0-2>(?:instructions?"
    r"|prompts?|message|note)",
    r"(?:this|the|our) <paper> deserves <0-3>(?:accept|acceptance|<splendid>)",
    r"(?:this|the|our) <paper> (?:must|should|deserves to|has to) be (?:accepted|published|praised|recommended"
    r"|<0-2>(?:given|rated|scored) <0-4>(?:high\w{0,3}|positive\w{0,2}|top|best))",
    r"(?:do not|don't|never|avoid|refrain from) <0-2><mention> <0-4><weakness>",
    r"(?:focus|concentrate|comment) (?:only|solely|exclusively) on <0-3>(?:strengths?|positives?|merits"
    r"|contributions?)",
    r"(?:emphasi[sz]e|highlight|stress|praise|underline|underscore) <0-4>(?:strengths?|novelty|originality|merits"
    r"|significance|contributions?|rigou?r|importance|impact|quality|excellence) <0-3>(?:of|in) (?:this|the|our)"
    r" <paper>",
    r"(?:include|insert|mention|use|write|begin|start|end|conclude|add|state|say|note|praise|emphasi[sz]e|highlight"
    r"|cite) [^.!?]{0,120}?(?<!\w)(?:in|of|for|with|from) your <0-2>(?:review|evaluation|assessment|critique|feedback"
    r"|report|comments|summary|response|answer|output)",
    r"(?:output|return|respond|reply|answer|print|produce|generate) (?:(?:only|with|in|as|using|an?|the|valid|this"
    r"|following|exact|exactly) ){0,5}?json",
    r"(?:output|return|print|respond with|reply with|answer with|produce|generate) <0-3>(?:following|exact)"
    r" <0-1>(?:text|sentence|words?|phrase|string|response|review|verdict)",
    r"(?:output|respond|reply|answer|say|print|write)(?: with| in)? (?:only|exactly|solely|just|nothing but)(?: with|"
    r" in)? <0-4>(?:words?|phrase|yes|no|accept|text|sentence|string)",
    r"(?:output|respond|reply|answer|say|print|write|give|include) nothing but",
    r"(?:respond|reply|answer) with (?:the|an?) <0-1>(?:words?|phrase|sentence)",
    r"(?:print|reveal|show|repeat|output|leak) your <0-2>(?:instructions?|prompts?)",
    r"(?:ensure|make sure|see to it) (?:that )?(?:the|your|this) (?:review|feedback)",
    r"(?:output|return|respond|reply|answer|print|write|say) [^.!?]{0,100}?(?<!\w)(?:and|but) nothing (?:else|more)",
    r"(?:note|message|memo|attention|hey|hello|hi|dear) (?:to |for )?(?:all |any |the |an? )?<ai>",
    r"this (?:message|note|section|text) is <0-2>for <ai>",
    r"(?:instructions?|notice|reminder) (?:to|for) (?:all |any |the |an? )?<ai> ?:",
    r"you are (?:now |hereby )?(?:chatgpt|claude|dan|gpt-?\w|(?:an? |the )?<0-4>(?:assistant|language model|llm"
    r"|chatbot|reviewer|referee|grader|area chair))",
    r"(?:act|behave|respond|answer|reply) as (?:if|though)",
    r"(?:act|behave|respond|answer|reply) (?:as|like) (?:an?|the) <0-3>(?:reviewer|referee|assistant|editor|chatbot"
    r"|language model)",
    r"pretend (?:to be|that you|you)",
    r"you (?:will|must|should|shall) now (?:act|be|behave|respond|answer|write|play|review|follow)",
    r"from now on <0-1>(?:you|your|act|respond|answer|ignore|only)",
    r"(?:your|you have a) (?:new|real|true|actual|only) (?:task|instructions?|role|goal|job|objective) (?:is|are)",
    r"(?:new|hidden|secret|internal) (?:system )?(?:instructions?|prompts?|directives?|commands?) ?:",
    r"(?:begin|end|start)(?: of)? (?:(?:new|hidden|system) ){1,2}(?:prompt|instructions?|message)",
    r"system (?:override|prompt|instructions?|message|note|notice) ?:",
    r"(?:human|user) ?: [\s\S]{0,300}?(?<!\w)(?:assistant|chatbot) ?:",
    r"(?:system|assistant) ?: (?:you (?:are|must|should|will)|ignore|sure|the paper (?:is|should)|accept|i"
    r" (?:recommend|will))",
)
"""Count as an order only (`ORDER`): the same words describe what people and programs do."""

ORDER: Final = (
    # A clause that begins with its verb,
    r"(?:^|(?<!\w)[\"'-]|[.!?:;\n(\[\]{}<>*#|\u3002])[^\w]{0,3}(?:<adverb> ){0,3}$",
    # a reader who is spoken to, with or without a name,
    r"(?<!\w)(?:please|kindly|you (?:must|should|shall|will|have to|need to|ought to|are <0-1>to)|(?:imperative"
    r"|important|essential|crucial|required|mandatory|vital|necessary) that you|(?:want|ask|order|urge|tell|instruct"
    r"|request|require|expect|command) (?:you|the ai|(?:the )?reviewers?) to|(?:reviewers?|referees?|<ai>) (?:must"
    r"|should|shall|are <0-1>to)|make sure to|be sure to|remember to|your <0-2>(?:task|job|goal|role) is to)"
    r" (?:<adverb> ){0,3}$",
    r"(?<!\w)(?:reviewers?|referees?|<ai>), ?(?:<adverb> ){0,3}$",
    # an order before it,
    r"(?:^|[.!?:;\n] ?)(?:<adverb> ){0,2}(?:stop|skip|praise|<ignore>|read|approve|be|trust|end|override|do"
    r" not)(?!\w)[^.!?:;\n]{1,60}?[ ,](?:and|then) (?:<adverb> ){0,2}$",
    # and a numbered list.
    r"(?:^|[.!?:;,\n] ?)\(?\d{1,2}[.)] ?$",
)
"""How the words before an order end."""

REPORT: Final = (
    r"(?<!\w)(?:to|that|which|who|they|we|i|it|he|she|often|not|never|cannot|\w{2,6}n't|can|could|may|might|would|did"
    r"|does|and|or|whether|if|when|people|participants|\w{3,30}s|\w{3,30}ing) (?:\w{2,30}ly )?$",
)
"""How the words before a phrase end that is told of somebody: "models that ignore previous instructions"."""


GERMAN: Final = (
    r"(?:ignorier\w{0,3}|missacht\w{0,3}|vergiss|vergesst|vergessen sie) <0-4>(?:vorherige\w?|vorige\w?|obige\w?"
    r"|bisherige\w?|fruhere\w?|vorangegangene\w?|vorstehende\w?|alle) <0-2>(?:anweisung\w{0,3}|instruktion\w{0,3}"
    r"|vorgaben|befehle?|prompts?)",
    r"(?:gib|gebt|geben sie|schreib\w{0,2}(?: sie)?|verfass\w{0,2}(?: sie)?|erstell\w{0,2}(?: sie)?)"
    r" <0-5>(?:positive\w?|gute\w?|gunstige\w?|wohlwollende\w?|hervorragende\w?|ausgezeichnete\w?)"
    r" <0-2>(?:gutachten|bewertung\w{0,2}|beurteilung\w{0,2}|rezension\w{0,2}|reviews?|begutachtung)",
    r"(?:empfiehl|empfehlt|empfehlen sie) <0-4>(?:annahme|veroffentlichung|anzunehmen)",
    r"(?:erwahn\w{0,2}|nenn\w{0,2}|kritisier\w{0,2})(?: sie)? <0-3>(?:keine\w?|nicht) <0-3>(?:schwach\w{0,4}"
    r"|mangel|kritik\w{0,8}|negativ\w{0,3}|einschrankung\w{0,2}|limitation\w{0,2})",
    r"als <0-2>(?:ki|sprachmodell|llm)(?:-\w{1,15})? (?:sollst|solltest|musst|sollten|mussen) (?:du|sie)",
    r"wenn (?:du|sie) <0-3>(?:ki|sprachmodell|llm)(?:-\w{1,15})? (?:bist|sind)",
)
FRENCH: Final = (
    r"(?:ignore[rz]?|oublie[rz]?|ne (?:tiens|tenez) pas compte|ne (?:suis|suivez) pas) <0-4>(?:instructions"
    r"|consignes|directives|invites?) <0-2>(?:precedentes?|anterieures?|initiales?|ci-dessus)",
    r"(?:ignore[rz]?|oublie[rz]?) <0-2>(?:precedentes|anterieures) <0-1>(?:instructions|consignes|directives)",
    r"(?:donne[rz]?|redige[rz]?|ecri[st]|ecrivez|fourni[st]|fournissez|produi[st]|produisez) <0-4>(?:evaluation"
    r"|critique|avis|revue|relecture|rapport|recension|note) <0-3>(?:positi\w{1,3}|favorables?|elogieu\w{1,2}"
    r"|excellente?)",
    r"recommande[rz]? (?:fortement |vivement )?(?:l'acceptation|l'accepter|d'accepter|la publication)",
    r"ne (?:mentionne|signale|releve|souligne|critique)[rsz]? <0-2>(?:faiblesses?|limites|defauts|lacunes|points?"
    r" (?:negatifs?|faibles?))",
    r"en tant <qu>(?:modele de langage|ia|llm|intelligence artificielle) (?:tu|vous)",
    r"si (?:vous etes|tu es) (?:un |une )?(?:grand )?(?:modele de langage|ia|llm|intelligence artificielle)",
)
SPANISH: Final = (
    r"(?:ignor[ae]\w{0,2}|olvid[ae]\w{0,2}|descart[ae]\w{0,2}|haz caso omiso|haga caso omiso|no sig(?:as|a|an))"
    r" <0-4>(?:instrucciones|indicaciones|ordenes|directrices) <0-2>(?:anteriores|previas|precedentes|iniciales)",
    r"(?:ignor[ae]\w{0,2}|olvid[ae]\w{0,2}) <0-2>(?:anteriores|previas) <0-1>(?:instrucciones|indicaciones"
    r"|ordenes)",
    r"(?:da|de|dar|dele|escrib[ae]\w{0,2}|proporcion[ae]\w{0,2}|redact[ae]\w{0,2}|haz|haga|emit[ae])"
    r" <0-3>(?:resena|revision|evaluacion|valoracion|critica|calificacion) <0-2>(?:positiva|favorable|excelente"
    r"|elogiosa)",
    r"(?<!\bse\s)recomiend[ae]n? <0-3>(?:aceptacion|aceptar|aceptarlo|publicacion|publicar|publicarlo)",
    r"no (?:mencion(?:e|es|ar)|senal(?:e|es|ar)|destaqu(?:e|es)|destacar|indiqu(?:e|es)|indicar)"
    r" <0-2>(?:debilidades|limitaciones|defectos|fallos|errores|puntos (?:debiles|negativos))",
    r"como <0-2>modelo de lenguaje (?:debes?|tu|usted|tienes?|tiene)",
    r"si (?:eres|usted es) (?:un |una )?(?:gran )?(?:modelo de lenguaje|ia|llm|inteligencia artificial)",
)
ITALIAN_AND_PORTUGUESE: Final = (
    r"(?:ignora\w{0,2}|dimentica\w{0,2}) <0-4>(?:precedenti <0-1>istruzioni|istruzioni <0-2>precedenti)",
    r"(?:dai|date|scrivi|scrivete|fornisci|fornite) <0-3>(?:recensione|valutazione|revisione) <0-2>(?:positiva"
    r"|favorevole)",
    r"(?:ignor[ae]\w{0,2}|esqueca\w{0,2}) <0-4>(?:instrucoes|orientacoes) <0-2>(?:anteriores|previas)",
    r"(?:de|escreva|forneca|faca) <0-3>(?:avaliacao|revisao|resenha|parecer) <0-2>(?:positiv[ao]|favoravel)",
)
CHINESE: Final = (
    r"(?:忽略|无视|無視|忽视|不要理会|忘记|忘掉|不要遵循)[^。!?]{0,8}(?:之前|以前|先前|上述|以上|上面|前面|所有|此前)[^。!?]{0,8}(?:指令|指示|提示|命令|要求|规则|規則)",
    r"(?:给出|给予|給出|給予|写出|写一[篇份个]|撰写|提供|做出)[^。!?]{0,10}(?:正面|积极|積極|肯定|好的?|高度)的?(?:同行)?(?:评价|评审|审稿|评论|評價|評審|審稿|意见)",
    r"(?:给出|给予|给|打)[^。!?]{0,8}(?:最高分|满分|高分|好评)",
    r"(?:推荐|建议|推薦|建議)[^。!?]{0,6}(?:接收|录用|接受|发表|錄用)[^。!?]{0,4}(?:本文|论文|稿件|論文|文章)",
    r"(?:推荐|建议|推薦)(?:录用|接收)",
    r"(?:不要|请勿|切勿|别)(?:提及|提到|指出|列出|强调|批评|讨论)[^。!?]{0,8}(?:缺点|不足|弱点|局限|负面|缺陷|缺點)",
    r"(?:作为|作為|如果你是)[^。!?]{0,6}(?:语言模型|語言模型|人工智能|大模型|ai)",
)
"""Without word boundaries: Chinese has none."""

TRANSLATIONS: Final = (*GERMAN, *FRENCH, *SPANISH, *ITALIAN_AND_PORTUGUESE)

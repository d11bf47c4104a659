"""The main sentences of `phrases.py` in other languages, folded: without accents, in small letters."""

from __future__ import annotations

from typing import Final

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

"""What texts say to a language model that is to review them: English sentences, in the notation of `notation.py`."""

from __future__ import annotations

from typing import Final

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

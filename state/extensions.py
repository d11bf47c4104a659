"""Extensions of the systems: changes of ours to the prompts and answers of a paper's agents.

Each extension has a name and a switch (`extensions` of each system: `none`, `default`, `all`, or names). The preset
`paper` has none of them. `default` holds those that only report, to an agent or a person, and `apply_edits`, without
which a text loses more than its edits remove. See docs/results/extensions.md for their measured effect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator
from pydantic_settings import NoDecode


class Extension(NamedTuple):
    """What an extension of a system changes and why, for those who may switch it on."""

    what: str
    """Change that the extension makes."""
    why: str
    """Purpose of the extension, and the models or people that it helps."""
    default: bool = False
    """Whether `default` includes the extension."""


JournalismExtension = Literal["unsupported_details", "doubtful_sentences", "begin_with_paper", "rewrite_copied"]
SimplificationExtension = Literal[
    "lost_details", "doubtful_sentences", "apply_edits", "keep_content", "sentence_by_sentence", "review_every_text"
]
FeedbackExtension = Literal[
    "instructions", "quotes", "verify", "detect", "anchors", "distinct_comments", "computed_checks", "read_numbers"
]

_DOUBTFUL_SENTENCES = Extension(
    "Sentences of the result to which no sentence of the source is near in meaning are named to the person who "
    "reads it. No agent is shown them.",
    "For small models, which write what is foreign to the source. It misses most, and does not see what was merely "
    "changed.",
)
JOURNALISM_EXTENSIONS: Mapping[JournalismExtension, Extension] = {
    "unsupported_details": Extension(
        "The editor is shown the numbers and names of the draft that a check did not find in the paper, and asked "
        "whether each is an explanation, which may stay, or a mistake.",
        "Keeps an article true. It reports; what comes of it is the editor's to say.",
        default=True,
    ),
    "doubtful_sentences": _DOUBTFUL_SENTENCES,
    "begin_with_paper": Extension(
        "A paper of at most 500 words, such as an abstract, is its own first draft, which the journalist revises.",
        "For models that invent when they write freely, and copy when they revise; with `rewrite_copied` what they "
        "copy is then retold sentence by sentence.",
    ),
    "rewrite_copied": Extension(
        "Sentences that a revision has copied from the paper go back to the journalist one by one. Code puts in what "
        "is easier by the formula, turns nothing round, adds nothing, and is near in meaning, as far as it can tell.",
        "For models that copy the paper instead of retelling it.",
    ),
}
SIMPLIFICATION_EXTENSIONS: Mapping[SimplificationExtension, Extension] = {
    "lost_details": Extension(
        "When the medical expert reviews a rewritten text, it is shown the numbers, negations and names that a check "
        "no longer finds in it.",
        "Keeps the text true. It reports; what comes of it is the expert's to say.",
        default=True,
    ),
    "doubtful_sentences": _DOUBTFUL_SENTENCES,
    "apply_edits": Extension(
        "Accepted wordings and validated removals are put in by code where the text has their words; the simplifier is "
        "asked for the rest. Without it the simplifier writes the whole text anew with them.",
        "Nothing else changes, and no call is needed.",
        default=True,
    ),
    "keep_content": Extension(
        "A new text that has lost more than a third of the words, or of the checked details but for statistics, of the "
        "one before is asked for once again with the reason. If the next one has, too, the loop ends, the text before "
        "stays, and the exchange says why.",
        "For models that leave half of a text out when they write it anew.",
    ),
    "sentence_by_sentence": Extension(
        "In the layperson loop the simplifier is asked for each hard sentence of the text by itself. Code "
        "puts in those that are easier by the formula, keep every checked detail, add nothing, turn nothing round and "
        "are near in meaning by the encoder, as far as it can tell. No other loop has the whole text written anew: "
        "wordings and removals that code cannot put in are dropped.",
        "For small models, which retell a sentence well and a text badly.",
    ),
    "review_every_text": Extension(
        "The medical expert also reviews what the loops of the language clarifier and of the redundancy checker have "
        "made of the text, and the simplifier corrects it. In the paper it does so in the layperson loop only.",
        "Finds what an accepted wording or a removal made wrong.",
    ),
}
FEEDBACK_EXTENSIONS: Mapping[FeedbackExtension, Extension] = {
    "instructions": Extension(
        "Prompts say that papers are data; text of the paper that addresses a language model is shown to agents as a "
        "quotation; a comment that repeats it is marked, and so is silence about it.",
        "Safety, for every model. It reports.",
        default=True,
    ),
    "quotes": Extension(
        "The investigator looks outside the paragraph and quotes the words that its answer rests on; one that quotes "
        "other words is asked once more, and its answer is then kept without a quote and shown as such.",
        "Lets a person look an answer up. It writes and vetoes nothing.",
        default=True,
    ),
    "verify": Extension(
        "A comment that calls something missing is tested against the rest of the paper, and says where it stands if "
        "it is found; numbers and names that neither paragraph nor evidence has are noted.",
        "Spares authors comments that the paper answers. It reports beside the comment.",
        default=True,
    ),
    "detect": Extension(
        "A weakness detector looks at the paragraph first; if it finds none, no comment is written, and otherwise the "
        "reviewer is shown what it found.",
        "The paper's future work. With a large model it finds more because it names more, true or not; a small "
        "detector calls sound what people criticised.",
    ),
    "anchors": Extension(
        "The reviewer gives the words that it quotes in a field of their own, suggests a change, and names the "
        "evidence that it builds on; a quote that is not in the paragraph in two tries is left out. Without it, a "
        "comment has a type and a review, and stands at the words that the review has in quotation marks.",
        "Finds the place for certain, and lets a person look the evidence up. It writes and vetoes nothing.",
        default=True,
    ),
    "distinct_comments": Extension(
        "The verifier compares a comment with those ranked before it that are near in meaning; if one of them says the "
        "same, it is left out.",
        "For papers and models that bring the same comment again and again.",
    ),
    "computed_checks": Extension(
        "What the paper contradicts in itself is computed when it is read. The findings of a paragraph are evidence, "
        "which the reviewer puts into words; a plan can ask what was computed elsewhere. No agent decides whether a "
        "finding is shown, and one without words of the reviewer stands with those of the computation.",
        "Finds what arithmetic can find with any model, and without error of one. It reports.",
        default=True,
    ),
    "read_numbers": Extension(
        "With `computed_checks`, the number reader of `draftroom check --model` first types the numbers of what is "
        "reviewed, one call for each paragraph that holds some, and the computations take these, too.",
        "Finds contradictions that only a reader can see, such as a number told twice. It asks for a capable model.",
    ),
}

EXTENSION_SETS = ("none", "default", "all")


def resolve_extensions(known: Mapping[Any, Extension], value: Any) -> Any:
    """Return the list of extension names that a setting such as `all` or "quotes,verify" selects, in order of `known`.

    The value is `none`, `default`, `all`, names with commas between them, or a list of names.

    Raises:
        ValueError: A name is not of an extension; the message lists those that are.
    """
    names = re.findall(r"\w+", value) if isinstance(value, str) else list(value or ())
    if names == ["all"]:
        return [*known]
    if len(names) == 1 and names[0] in EXTENSION_SETS:
        return [name for name, extension in known.items() if names[0] == "default" and extension.default]
    if unknown := [str(name) for name in names if name not in known]:
        raise ValueError(
            f"there is no extension {', '.join(unknown)}; give none, default, all, or names of {', '.join(known)}"
        )
    # In the order of the table, so that settings that mean the same are equal.
    return [name for name in known if name in names]


JournalismExtensions = Annotated[
    list[JournalismExtension], NoDecode, BeforeValidator(partial(resolve_extensions, JOURNALISM_EXTENSIONS))
]
SimplificationExtensions = Annotated[
    list[SimplificationExtension], NoDecode, BeforeValidator(partial(resolve_extensions, SIMPLIFICATION_EXTENSIONS))
]
FeedbackExtensions = Annotated[
    list[FeedbackExtension], NoDecode, BeforeValidator(partial(resolve_extensions, FEEDBACK_EXTENSIONS))
]

"""Whether a source supports what a text says, sentence by sentence, by a model of natural language inference.

A sentence is supported if some segment of the source (of at most 512 tokens together with it) more likely entails it
than not. Explanations of terms that the source does not give count as unsupported too, so that the share compares
texts with each other rather than telling how many of a text's sentences are true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tools.sentences import sentences

if TYPE_CHECKING:
    from evals.metrics.entailment import EntailmentModel

_LIKELY = 0.5


class Support(NamedTuple):
    """What a source supports of a text."""

    percent: float
    """Of the text's sentences, without its headings."""
    unsupported: list[str]
    """The other sentences, in the order of the text."""


class SupportCheck:
    """Compares texts with their sources. Not for several threads at once.

    Args:
        model: Folder of a sequence-classification checkpoint of transformers that knows entailment, or its name on the
            model hub. Loading it takes seconds.

    Raises:
        SettingsError: There is no such model, or it has no label for entailment.
    """

    def __init__(self, model: str) -> None:
        from evals.metrics.entailment import EntailmentModel  # noqa: PLC0415 - takes seconds

        self._model: EntailmentModel = EntailmentModel(model)

    def __call__(self, source: str, text: str) -> Support | None:
        """What a source supports of a text; None if the text has no sentence.

        Args:
            source: Markdown or plain text. An empty one is compared all the same, and supports next to nothing.
            text: Markdown or plain text.
        """
        claims = [sentence.text for sentence in sentences(text) if not sentence.heading]
        if not claims:
            return None
        facts = [sentence.text for sentence in sentences(source)]
        segments = self._model.segments(facts, claims) if facts else [""]
        found = self._model.probabilities([(segment, claim) for claim in claims for segment in segments])
        best = [max(found[start : start + len(segments)]) for start in range(0, len(found), len(segments))]
        unsupported = [claim for claim, likely in zip(claims, best, strict=True) if likely <= _LIKELY]
        return Support(100 * (len(claims) - len(unsupported)) / len(claims), unsupported)

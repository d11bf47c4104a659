"""Whether a source entails what a text says, sentence by sentence, by a model of natural language inference.

A sentence is supported if some segment of the source (of at most 512 tokens together with it) more likely entails it
than not. Explanations of terms that the source does not give count as unsupported too, so that the share compares
texts with each other rather than telling how many of a text's sentences are true.

Importing this module loads torch and transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.utils.logging import disable_progress_bar

from state.errors import SettingsError
from tools.text import sentences

_LIKELY = 0.5
_BATCH = 16
_LONGEST = 512
"""Tokens of premise and hypothesis together: more than that, and models of this kind were not trained on it."""


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
        self._model = EntailmentModel(model)

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


class EntailmentModel:
    """Tells how likely it is that a premise entails a hypothesis. Not for several threads at once.

    Args:
        name: Folder of a sequence-classification checkpoint with a label for entailment, or its name on the model hub.

    Raises:
        SettingsError: There is no such model, weights of it are missing, or it has no such label.
    """

    def __init__(self, name: str) -> None:
        self._model, self._tokenizer = _load(name)
        self._entailment = _entailment_label(name, self._model.config.id2label)
        self._model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self._max_length = min(_LONGEST, getattr(self._model.config, "max_position_embeddings", _LONGEST))

    def segments(self, sentences: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
        """A source in segments that fit the window together with any of the hypotheses.

        A segment has as many whole sentences as fit; only a sentence that is too long by itself is cut when it is read.

        Args:
            sentences: Of the source, at least one.
            hypotheses: That are to be compared with it, at least one.
        """
        special: int = self._tokenizer.num_special_tokens_to_add(pair=True)
        longest = min(max(self._lengths(hypotheses)), self._max_length // 2)
        room = self._max_length - special - longest
        segments: list[list[str]] = []
        left = 0
        for sentence, length in zip(sentences, self._lengths(sentences), strict=True):
            if not segments or length > left:
                segments.append([])
                left = room
            segments[-1].append(sentence)
            left -= length
        return [" ".join(segment) for segment in segments]

    @torch.inference_mode()
    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How likely each pair's premise entails its hypothesis, 0 to 1, in their order."""
        found: list[float] = []
        for start in range(0, len(pairs), _BATCH):
            batch = pairs[start : start + _BATCH]
            encoded = self._tokenizer(
                [premise for premise, _ in batch],
                [hypothesis for _, hypothesis in batch],
                truncation="longest_first",
                max_length=self._max_length,
                padding=True,
                return_tensors="pt",
            ).to(self._model.device)
            found += self._model(**encoded).logits.softmax(dim=-1)[:, self._entailment].tolist()
        return found

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        ids: list[list[int]] = self._tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return [len(each) for each in ids]


def _load(name: str) -> tuple[Any, Any]:
    disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # unused where it is missing
    folder = Path(name).expanduser()
    source = folder if folder.is_dir() else name
    classifier: Any = AutoModelForSequenceClassification
    try:
        model, report = classifier.from_pretrained(source, output_loading_info=True, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(source)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"The entailment model {name} cannot be loaded; name the folder of a sequence-classification checkpoint, "
            "or a name that the Hugging Face hub has and can be reached for."
        ) from error
    if report["missing_keys"] or report["mismatched_keys"]:
        raise SettingsError(
            f"The model {name} lacks weights of a classifier, and random ones would take their place; name a model "
            "that was trained on natural language inference."
        )
    return model, tokenizer


def _entailment_label(name: str, labels: dict[int, str]) -> int:
    for number, label in labels.items():
        if label.lower().startswith("entail"):  # not "not_entailment"
            return number
    raise SettingsError(
        f"The model {name} has no label for entailment, only {', '.join(labels.values())}; name a model that was "
        "trained on natural language inference."
    )

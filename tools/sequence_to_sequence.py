"""Fine-tuned sequence-to-sequence models (BART and its like), which run in this process: servers no longer offer them.

One model writes one text at a time, on the CPU, which leaves the GPU to the language models.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from time import perf_counter
from typing import Any, NamedTuple

from state.errors import ModelOutputError, SettingsError

_DEFAULT_BEAMS = 4
"""Of a model that names none; usual for BART."""
_DEFAULT_POSITIONS = 1024
"""In tokens, of the source and of the text, where the model names no number of positions."""

_worker = ThreadPoolExecutor(1, "sequence-to-sequence")
"""Off the event loop, and one text at a time. Those that wait take up no thread of asyncio's, which others need."""


class GeneratedText(NamedTuple):
    """A text, and what it cost."""

    text: str
    words_read: int
    """Of the source, from its beginning; the rest did not fit the model's positions."""
    input_tokens: int
    output_tokens: int
    cut: bool
    """The text ended because it was as long as it may be."""
    seconds: float


async def generate_text(folder: Path, source: str) -> GeneratedText:
    """What the model makes of a source, by beam search: the same text each time.

    How long the text may be, and how it is searched for, the checkpoint says itself (`generation_config.json`).

    Args:
        folder: Of a checkpoint with its tokenizer, as `save_pretrained` writes them; it is loaded once.
        source: Plain text; what does not fit the model's positions is left out at its end.

    Raises:
        SettingsError: There is no such model, or the packages that it needs are not installed.
        ModelOutputError: The model wrote nothing.
    """
    return await asyncio.get_running_loop().run_in_executor(_worker, _run_generation, folder, source)


def _run_generation(folder: Path, source: str) -> GeneratedText:
    model, tokenizer = _load_model_and_tokenizer(folder)
    begun = perf_counter()
    encoded = tokenizer(source, truncation=True, return_tensors="pt")
    read = encoded["input_ids"]
    written = model.generate(input_ids=read, attention_mask=encoded["attention_mask"])[0, 1:]  # after the start token
    text = tokenizer.decode(written, skip_special_tokens=True).strip()
    if not text:
        raise ModelOutputError(
            f"The model in {folder} wrote nothing about this paper; fine-tune it longer, or name another.",
            problem="it wrote nothing",
        )
    return GeneratedText(
        text=text,
        words_read=len(tokenizer.decode(read[0], skip_special_tokens=True).split()),
        input_tokens=read.shape[1],
        output_tokens=len(written),
        cut=len(written) >= model.generation_config.max_new_tokens,
        seconds=round(perf_counter() - begun, 3),
    )


@lru_cache(maxsize=1)
def _load_model_and_tokenizer(folder: Path) -> tuple[Any, Any]:
    """The model, set to search by beams and within its positions, and its tokenizer."""
    if missing := [name for name in ("torch", "transformers") if find_spec(name) is None]:
        raise SettingsError(
            f"A sequence-to-sequence model needs a package that is not installed ({', '.join(missing)}): "
            "pip install 'draftroom[review]'."
        )
    model, tokenizer = _load_pretrained(folder)
    positions = getattr(model.config, "max_position_embeddings", _DEFAULT_POSITIONS)
    tokenizer.model_max_length = min(tokenizer.model_max_length, positions)
    search = model.generation_config
    longest = (search.max_length or positions) - 1  # less the start token
    search.max_new_tokens = min(search.max_new_tokens or longest, longest, positions - 1)
    search.max_length = None  # it would mean the same, and both together are warned of
    search.num_beams = search.num_beams if (search.num_beams or 1) > 1 else _DEFAULT_BEAMS
    search.do_sample = False
    return model, tokenizer


def _load_pretrained(folder: Path) -> tuple[Any, Any]:
    from safetensors import SafetensorError  # noqa: PLC0415 - these take seconds
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer  # noqa: PLC0415
    from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415

    disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # unused where it is missing
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    model_class: Any = AutoModelForSeq2SeqLM
    unusable = SettingsError(
        f"{folder} holds no sequence-to-sequence model that can be loaded; name the folder of a fine-tuned BART "
        "checkpoint with its tokenizer."
    )
    try:
        model, report = model_class.from_pretrained(folder, output_loading_info=True, dtype="float32", **local)
        tokenizer = AutoTokenizer.from_pretrained(folder, **local)
    except (OSError, ValueError, RuntimeError, ImportError, SafetensorError, UnpicklingError) as error:
        raise unusable from error
    if not any((folder / name).is_file() for name in tokenizer.vocab_files_names.values()):
        raise unusable  # without its files the tokenizer is made up, and knows no word
    if report["missing_keys"]:
        raise SettingsError(
            f"The model in {folder} lacks weights, and random ones would take their place; name a complete checkpoint."
        )
    return model, tokenizer

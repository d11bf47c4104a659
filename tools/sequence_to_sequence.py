"""Generate text with fine-tuned sequence-to-sequence models such as BART.

They run in this process, because model servers no longer support them, and on the CPU, which leaves the GPU to the
language models. One model writes one text at a time.
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

_DEFAULT_BEAMS = 4  # usual for BART
_DEFAULT_POSITIONS = 1024  # longest source and text in tokens, if the model sets none

# A pool of its own: texts that wait for the model must not occupy the threads of asyncio's default pool.
_worker = ThreadPoolExecutor(1, "sequence-to-sequence")


class GeneratedText(NamedTuple):
    """A generated text with its cost in tokens and seconds, and how much of the source was read."""

    text: str
    words_read: int  # from the beginning of the source, as many as fit the model's positions
    input_tokens: int
    output_tokens: int
    cut: bool  # whether the text ended at its maximum length
    seconds: float


async def generate_text(folder: Path, source: str) -> GeneratedText:
    """Generate a text from a source with the model in a folder, by deterministic beam search, one text at a time.

    The checkpoint's `generation_config.json` sets the maximum length and the search.

    The folder is a checkpoint with its tokenizer, as `save_pretrained` writes them, and is loaded once. The end of the
    source is cut off if it does not fit the model's positions.

    Raises:
        SettingsError: The model does not exist, or packages that it needs are not installed.
        ModelOutputError: The model wrote nothing.
    """
    return await asyncio.get_running_loop().run_in_executor(_worker, _run_generation, folder, source)


def _run_generation(folder: Path, source: str) -> GeneratedText:
    """Generate a text as `generate_text` does, but in this thread."""
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
    """Load a pair, cached for the last folder: a model, set to beam search within its positions, and its tokenizer."""
    if missing := [name for name in ("torch", "transformers") if find_spec(name) is None]:
        raise SettingsError(
            f"A sequence-to-sequence model needs a package that is not installed ({', '.join(missing)}): "
            "pip install 'draftroom[review]'."
        )
    from safetensors import SafetensorError  # noqa: PLC0415 - these take seconds
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer  # noqa: PLC0415
    from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415

    # 1. Load both from files of the folder only.
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
    # Transformers makes up a tokenizer without a vocabulary if its files are missing, and random weights.
    if not any((folder / name).is_file() for name in tokenizer.vocab_files_names.values()):
        raise unusable
    if report["missing_keys"]:
        raise SettingsError(f"The model in {folder} lacks weights; name a complete checkpoint.")
    # 2. Configure the search.
    positions = getattr(model.config, "max_position_embeddings", _DEFAULT_POSITIONS)
    tokenizer.model_max_length = min(tokenizer.model_max_length, positions)
    search = model.generation_config
    longest = (search.max_length or positions) - 1  # less the start token
    search.max_new_tokens = min(search.max_new_tokens or longest, longest, positions - 1)
    search.max_length = None  # transformers warns if both are set
    search.num_beams = search.num_beams if (search.num_beams or 1) > 1 else _DEFAULT_BEAMS
    search.do_sample = False
    return model, tokenizer

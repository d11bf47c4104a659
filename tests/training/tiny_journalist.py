"""A journalist that is fine-tuned in a second: a random one-layer model with its own tokenizer, on made-up papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

from nodes.journalism.initialise import PROMPTS
from tests.training.tiny_seq2seq import FOUR_SHORT_EPOCHS
from training.fitting import FitRecord
from training.journalist.train import JournalistConfig, train_journalist

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def pair(number: int) -> dict[str, str]:
    """A line of the data."""
    return {
        "doi": f"10.1234/moss.{number}",
        "title": f'Growth of "moss" in {number} gardens',
        "abstract": f"We quantified bryophyte elongation in {number} gardens. Irrigation augmented elongation by half.",
        "summary": f"We looked at moss in {number} gardens. Rain made it grow faster. Nobody had known that before.",
    }


def write_pairs(path: Path, count: int = 12) -> Path:
    """Made-up pairs in a file."""
    path.write_text("".join(json.dumps(pair(number)) + "\n" for number in range(count)), encoding="utf-8")
    return path


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Learns its words from the prompts and the pairs."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(
        vocab_size=2000,
        special_tokens=["<|im_start|>", "<|im_end|>"],
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    prompts = [path.read_text(encoding="utf-8") for path in sorted(PROMPTS.glob("*.md"))]
    tokenizer.train_from_iterator([*prompts, *(json.dumps(pair(number)) for number in range(12))], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|im_end|>", chat_template=TEMPLATE
    )


def write_model(folder: Path) -> Path:
    """A chat model in Hugging Face's format."""
    tokenizer = make_tokenizer()
    set_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def configured(model: Path | str, **changes: Any) -> JournalistConfig:
    own = {"model": str(model), "lora_rank": 2, "lora_alpha": 4, "max_tokens": 1024}
    return JournalistConfig.model_validate(FOUR_SHORT_EPOCHS | own | changes)


def run(folder: Path, out: Path, **changes: Any) -> FitRecord:
    """Fine-tune the model in `folder/model` on the pairs beside it."""
    return train_journalist(configured(folder / "model", **changes), [folder / "pairs.jsonl"], out)

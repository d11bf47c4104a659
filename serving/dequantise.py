"""Turn a GGUF file into a Hugging Face folder of bfloat16 weights: `python dequantise.py FILE.gguf FOLDER`.

Runs as a script in vLLM's environment, because the application's own has no torch.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig


def convert_gguf_weights(gguf: Path, folder: Path) -> None:
    """Write the weights (as bfloat16), configuration and tokenizer of a GGUF file to a folder."""
    source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    # Without `dequantize` the loaded model keeps its GGUF quantiser, and transformers then refuses to save it.
    model = AutoModelForCausalLM.from_pretrained(
        **source, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
    )
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(**source).save_pretrained(folder)


if __name__ == "__main__":
    convert_gguf_weights(Path(sys.argv[1]), Path(sys.argv[2]))

"""A stand-in for transformers: `save_pretrained` writes down what `from_pretrained` was asked for."""

import json
from pathlib import Path


class GgufConfig:
    def __init__(self, *, dequantize: bool) -> None:
        self.dequantize = dequantize


class _Loaded:
    file = ""

    def __init__(self, record: dict[str, object]) -> None:
        self.record = record

    @classmethod
    def from_pretrained(cls, *, pretrained_model_name_or_path: str, gguf_file: str, **options: object) -> "_Loaded":
        content = Path(pretrained_model_name_or_path, gguf_file).read_text()
        quantisation = options.pop("quantization_config", None)
        return cls({"gguf": content, "dequantize": quantisation and quantisation.dequantize} | options)

    def save_pretrained(self, folder: Path) -> None:
        if self.record["gguf"] == "broken":
            raise OSError("Cannot save this model")
        folder.mkdir(exist_ok=True)
        (folder / self.file).write_text(json.dumps(self.record))


class AutoModelForCausalLM(_Loaded):
    file = "model.safetensors"


class AutoTokenizer(_Loaded):
    file = "tokenizer.json"

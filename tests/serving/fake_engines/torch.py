"""A stand-in for torch: only what `serving/dequantise.py` names."""

bfloat16 = "bfloat16"

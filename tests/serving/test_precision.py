"""The embedded model runs in the precision that the CPU is fastest in."""

from pathlib import Path

import pytest

from serving.precision import fastest_precision
from serving.servers import up
from tests.serving.conftest import Home


@pytest.mark.parametrize(
    ("line", "precision"),
    [
        ("flags\t\t: fpu sse2 avx512f avx512_bf16 amx_tile", "bfloat16"),
        ("Features\t: fp asimd sve i8mm bf16 dgh", "bfloat16"),
        ("flags\t\t: fpu sse2 avx2 avx512f avx512_vnni", "float32"),
        ("model name\t: a CPU without avx512_bf16_or_so", "float32"),
    ],
    ids=["x86 with instructions", "Arm with instructions", "x86 without", "no instruction of that name"],
)
def test_bfloat16_where_the_cpu_has_instructions_for_it(tmp_path: Path, line: str, precision: str) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\n{line}\n\nprocessor\t: 1\n{line}\n")
    assert fastest_precision(cpuinfo) == precision


def test_float32_where_the_system_tells_nothing_of_its_cpu(tmp_path: Path) -> None:
    assert fastest_precision(tmp_path / "none") == "float32"


def test_vllm_is_told_a_precision_that_it_knows(home: Home) -> None:
    up(home.profile(dtype="fastest"), home.steps.append)
    (start,) = home.starts()
    assert start["options"]["dtype"] == fastest_precision()

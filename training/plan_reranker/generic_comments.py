"""Comments that fit any paper, one for each type of weakness: what plans that lack specificity are written for."""

from __future__ import annotations

from state.feedback import Weakness

GENERIC_COMMENTS: dict[Weakness, str] = {
    "Replicability": "More detail should be given, because a reader could not repeat this as it stands.",
    "Originality": "It does not become clear what is new here, and how far it goes beyond what is known already.",
    "Empirical and Theoretical Soundness": "The conclusion is not fully supported, and other explanations remain open.",
    "Meaningful Comparison": "There should be a comparison with other work, so that a reader can judge the result.",
    "Substance": "Too little was done to make the point; more evidence would be needed.",
}

"""The five agents of `medical_simplification`, their selector, the content guard and the logger."""

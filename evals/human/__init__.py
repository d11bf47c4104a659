"""What people think of the systems' texts: blinded questionnaires and comparisons, and what comes of their answers.

`items` are what a rater sees of the texts of several systems: no names, in random order, and the original paper or the
way to it. The key that names the systems again is a file of its own, and raters share the samples, a part of them in
twos (`blinding`). Items are shown by Label Studio (`label_studio`) or, for comparisons, by a local page (`server`).
Either way `answers` come of it, which name no system until the key is laid on them: `ratings` has the questionnaire of
science journalism and what comes of it, `judgements` the comparisons of focused feedback.
"""

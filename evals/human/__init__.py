"""What people think of the systems' texts: blinded questionnaires and comparisons, and what comes of their answers.

`candidates` are texts of several systems for the same samples, `sheets` what a rater sees of them: no names, in random
order, and the original paper or the way to it. The key that names the systems again is a file of its own (`blinding`);
raters share the samples, a part of them in twos (`allocation`). Sheets are shown by Label Studio
(`label_studio`, `label_studio_export`) or, for comparisons, by a local page (`server`, `pages`, `store`). Either way
`answers` come of it, which name no system until the key is laid on them: `ratings` for the questionnaire of science
journalism, `judgements` for the comparisons of focused feedback.
"""

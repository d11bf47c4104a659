"""What people think of the systems' texts: blinded questionnaires and comparisons, and what comes of their answers.

`items` makes tasks for Label Studio of the texts of several systems: no names, in random order, and the abstract, the
paper or a link to it. The key that names the systems again is a file of its own (`blinding`). `label_studio` has the
projects and reads what is exported (`answers`), which names no system until the key is laid on it: `ratings` has the
questionnaire of science journalism and what comes of it, `judgements` the comparisons of focused feedback.
"""

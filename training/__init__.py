"""Training of the models that Draftroom uses: the plan re-ranker, the review filters, the journalist's warm start."""

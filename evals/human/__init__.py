"""Human evaluation: blinded tasks for Label Studio, and the analysis of the raters' answers."""

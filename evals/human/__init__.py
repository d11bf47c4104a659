"""What people think of the systems' texts: blinded tasks for Label Studio, and what comes of their answers."""

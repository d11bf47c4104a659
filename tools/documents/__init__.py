"""Read papers of any format into stored documents."""

"""The agents of focused feedback, one file each, and what their answers are checked against."""

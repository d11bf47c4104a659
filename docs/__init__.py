"""Documentation, and the scripts that keep generated parts of it current."""

"""Things to try the commands on, and the script that builds the PDF among them."""

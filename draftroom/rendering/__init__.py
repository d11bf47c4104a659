"""Results for people and programs: terminal, Markdown, HTML and JSON; one package a system, what they share is here."""

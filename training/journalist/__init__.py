"""The journalist's warm start: LoRA fine-tuning on abstracts and their plain summaries (LLM-WS-CLBR)."""

"""Tools of the agents: models, documents, retrieval, literature, checks of results, and text.

Importing this package keeps drafts private: it disables the telemetry of the libraries in use. Set
`DRAFTROOM_TRACING=1` to configure LangSmith tracing by its own variables again. For a plain `langgraph dev`,
`langgraph.json` sets the same variables, but its command line reports one start before it reads them;
`draftroom studio` does not.
"""

import os

TELEMETRY_OPT_OUTS = {
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "LANGCHAIN_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    # Given a LangSmith key of other projects, `langgraph dev` reports how many runs there were, traced or not.
    "LANGSMITH_CONTROL_PLANE_API_KEY": "",
    "LANGGRAPH_CLOUD_LICENSE_KEY": "",
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "ANONYMIZED_TELEMETRY": "False",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
if os.environ.get("DRAFTROOM_TRACING") != "1":  # child processes inherit the variables
    os.environ.update(TELEMETRY_OPT_OUTS)

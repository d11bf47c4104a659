from tests.privacy.test_keys import *
def test_show(guarded, tmp_path):
    environment = variables(tmp_path / "home", guarded.base_url, OPENAI_API_KEY=KEY)
    guarded.answer = quote_the_key
    with StudioServer(STUDIO, environment, tmp_path) as server, server.client() as client:
        thread = client.threads.create()["thread_id"]
        client.runs.wait(thread, "science_journalism", input={"paper": PAPER}, raise_error=False)
    open("/tmp/h/keylog","w").write(server.output)

"""Tests a running Switchboard with LangChain: one line `ok` or `failed` for each operation."""

import importlib.metadata
import os
import sys

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel

service = {
    "base_url": os.environ["SWITCHBOARD_URL"] + "/v1",
    "api_key": os.environ["SWITCHBOARD_KEY"],
    "timeout": 120,
}
model = os.environ["SWITCHBOARD_CHAT_MODEL"]
chat_model = ChatOpenAI(model=model, **service)
responses_model = ChatOpenAI(model=model, use_responses_api=True, **service)


class City(BaseModel):
    """A city."""

    name: str
    inhabitants: int


@tool
def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return "21 degrees"


def chat(llm):
    answer = llm.invoke("Say hello.")
    assert answer.text and answer.usage_metadata["total_tokens"] > 0, answer


def stream(llm):
    chunks = list(llm.stream("Say hello."))
    assert len(chunks) > 2 and "".join(chunk.text for chunk in chunks), chunks


def tools(llm):
    question = HumanMessage("What is the weather in Paris? Call get_weather.")
    first = llm.bind_tools([get_weather], tool_choice="required").invoke([question])
    [call] = first.tool_calls
    result = get_weather.invoke(call)
    assert isinstance(result, ToolMessage), result
    assert llm.bind_tools([get_weather]).invoke([question, first, result]).text


def structured(llm):
    assert isinstance(llm.with_structured_output(City).invoke("Describe Paris."), City)


def embeddings():
    # Sends texts; the default is token numbers, which only OpenAI's own models understand.
    embedder = OpenAIEmbeddings(
        model=os.environ["SWITCHBOARD_EMBEDDING_MODEL"], check_embedding_ctx_length=False, **service
    )
    [one, other] = embedder.embed_documents(["one", "two"])
    assert len(one) == len(other) == len(embedder.embed_query("one")), (one, other)


OPERATIONS = {
    "chat": lambda: chat(chat_model),
    "chat-stream": lambda: stream(chat_model),
    "tools": lambda: tools(chat_model),
    "structured": lambda: structured(chat_model),
    "responses": lambda: chat(responses_model),
    "responses-stream": lambda: stream(responses_model),
    "responses-tools": lambda: tools(responses_model),
    "responses-structured": lambda: structured(responses_model),
    **({"embeddings": embeddings} if "SWITCHBOARD_EMBEDDING_MODEL" in os.environ else {}),
}

has_failed = False
print("version", importlib.metadata.version("langchain-openai"))
for name, run in OPERATIONS.items():
    try:
        run()
        print("ok", name, flush=True)
    except Exception as error:
        has_failed = True
        print(f"failed {name}: {error!r}", flush=True)
sys.exit(has_failed)

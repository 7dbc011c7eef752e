"""Tests a running Switchboard with Pydantic AI: one line `ok` or `failed` for each operation."""

import importlib.metadata
import os
import sys

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

url, key, name = (os.environ[f"SWITCHBOARD_{name}"] for name in ("URL", "KEY", "CHAT_MODEL"))
openai = OpenAIProvider(base_url=url + "/v1", api_key=key)
MODELS = {
    "chat": OpenAIChatModel(name, provider=openai),
    "responses": OpenAIResponsesModel(name, provider=openai),
    "messages": AnthropicModel(name, provider=AnthropicProvider(base_url=url, api_key=key)),
}


class City(BaseModel):
    name: str
    inhabitants: int


def text(model):
    run = Agent(model, instructions="Answer in one short sentence.").run_sync("Say hello.")
    assert run.output and run.usage.output_tokens > 0, run


def stream(model):
    # By default, the library groups what arrives within 0.1 s.
    texts = list(Agent(model).run_stream_sync("Say hello.").stream_text(delta=True, debounce_by=None))
    assert len(texts) > 1, texts


def tools(model):
    calls = []
    agent = Agent(model)

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Returns the weather of a city."""
        calls.append(city)
        return "21 degrees"

    run = agent.run_sync("What is the weather in Paris? Call get_weather.")
    assert calls and run.output, run


def structured(model):
    assert isinstance(Agent(model, output_type=City).run_sync("Describe Paris.").output, City)


has_failed = False
print("version", importlib.metadata.version("pydantic-ai-slim"))
for dialect, model in MODELS.items():
    names = ["tools", "structured"] if dialect == "chat" else [f"{dialect}-tools", f"{dialect}-structured"]
    for operation, run in zip([dialect, f"{dialect}-stream", *names], [text, stream, tools, structured]):
        try:
            run(model)
            print("ok", operation, flush=True)
        except Exception as error:
            has_failed = True
            print(f"failed {operation}: {error!r}", flush=True)
sys.exit(has_failed)

"""Tests a running Switchboard with OpenAI's Agents SDK for Python: one line `ok` or `failed` for each operation."""

import asyncio
import importlib.metadata
import os
import sys

import agents
from openai import AsyncOpenAI
from pydantic import BaseModel

client = AsyncOpenAI(base_url=os.environ["SWITCHBOARD_URL"] + "/v1", api_key=os.environ["SWITCHBOARD_KEY"], timeout=120)
agents.set_default_openai_client(client, use_for_tracing=False)
agents.set_tracing_disabled(True)
model = os.environ["SWITCHBOARD_CHAT_MODEL"]
calls = []


class City(BaseModel):
    name: str
    inhabitants: int


@agents.function_tool
def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    calls.append(city)
    return "21 degrees"


QUESTION = "What is the weather in Paris? Call get_weather."


def create_agent(model):
    # The first answer must call a tool; the library then resets the choice to "auto".
    settings = agents.ModelSettings(tool_choice="required")
    return agents.Agent(name="Assistant", model=model, tools=[get_weather], model_settings=settings)


async def responses():
    agent = agents.Agent(name="Assistant", instructions="Answer in one short sentence.", model=model)
    assert (await agents.Runner.run(agent, "Say hello.")).final_output


async def responses_stream():
    agent = agents.Agent(name="Assistant", model=model)
    run = agents.Runner.run_streamed(agent, "Say hello.")
    kinds = [event.data.type async for event in run.stream_events() if event.type == "raw_response_event"]
    assert "response.output_text.delta" in kinds and run.final_output, kinds


async def responses_tools():
    calls.clear()
    run = await agents.Runner.run(create_agent(model), QUESTION)
    assert len(calls) == 1 and run.final_output, run


async def responses_tools_stream():
    calls.clear()
    run = agents.Runner.run_streamed(create_agent(model), QUESTION)
    async for _ in run.stream_events():
        pass
    assert len(calls) == 1 and run.final_output, run


async def responses_structured():
    agent = agents.Agent(name="Assistant", model=model, output_type=City)
    assert isinstance((await agents.Runner.run(agent, "Describe Paris.")).final_output, City)


async def previous_response_id():
    agent = agents.Agent(name="Assistant", model=model)
    first = await agents.Runner.run(agent, "Say hello.")
    second = await agents.Runner.run(agent, "What did I say?", previous_response_id=first.last_response_id)
    assert second.final_output and second.last_response_id != first.last_response_id, second


async def tools():
    calls.clear()
    chat = agents.OpenAIChatCompletionsModel(model=model, openai_client=client)
    run = await agents.Runner.run(create_agent(chat), QUESTION)
    assert len(calls) == 1 and run.final_output, run


OPERATIONS = {
    "responses": responses,
    "responses-stream": responses_stream,
    "responses-tools": responses_tools,
    "responses-tools-stream": responses_tools_stream,
    "responses-structured": responses_structured,
    "previous_response_id": previous_response_id,
    "tools": tools,
}


async def main():
    has_failed = False
    print("version", importlib.metadata.version("openai-agents"))
    for name, run in OPERATIONS.items():
        try:
            await run()
            print("ok", name, flush=True)
        except Exception as error:
            has_failed = True
            print(f"failed {name}: {error!r}", flush=True)
    return has_failed


sys.exit(asyncio.run(main()))

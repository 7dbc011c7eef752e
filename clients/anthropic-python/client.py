"""Tests a running Switchboard with Anthropic's Python library: one line `ok` or `failed` for each operation."""

import os
import sys

import anthropic
from pydantic import BaseModel

client = anthropic.Anthropic(
    base_url=os.environ["SWITCHBOARD_URL"], api_key=os.environ["SWITCHBOARD_KEY"], timeout=120
)
model = os.environ["SWITCHBOARD_CHAT_MODEL"]
has_failed = False

HELLO = [{"role": "user", "content": "Say hello."}]
WEATHER = [{"role": "user", "content": "What is the weather in Paris? Call get_weather."}]
TOOL = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
RED_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


class City(BaseModel):
    name: str
    inhabitants: int


def operation(name):
    """Runs the decorated function at once."""

    def run(function):
        global has_failed
        try:
            function()
            print("ok", name, flush=True)
        except Exception as error:
            has_failed = True
            print(f"failed {name}: {error!r}", flush=True)

    return run


def raises(error_class, call):
    try:
        call()
    except error_class:
        return True
    return False


print("version", anthropic.__version__)


@operation("models")
def _():
    assert model in [one.id for one in client.models.list()]
    assert client.models.retrieve(model).id == model


@operation("errors")
def _():
    stranger = anthropic.Anthropic(base_url=client.base_url, api_key="sk-wrong", max_retries=0)
    create = client.messages.create
    assert raises(anthropic.AuthenticationError, lambda: stranger.messages.create(model=model, max_tokens=9, messages=HELLO))
    assert raises(anthropic.NotFoundError, lambda: create(model="no/such-model", max_tokens=9, messages=HELLO))
    assert raises(anthropic.BadRequestError, lambda: create(model=model, max_tokens=9, messages=[]))


@operation("messages")
def _():
    message = client.messages.create(
        model=model, max_tokens=200, system="Answer in one short sentence.", messages=HELLO
    )
    assert message.content[0].text and message.stop_reason in ("end_turn", "max_tokens"), message
    assert message.usage.input_tokens > 0 and message.usage.output_tokens > 0, message


@operation("messages-stream")
def _():
    with client.messages.stream(model=model, max_tokens=200, messages=HELLO) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    assert text and message.content[0].text == text, message
    assert message.usage.output_tokens > 0 and message.stop_reason, message


@operation("messages-tools")
def _():
    request = {"model": model, "max_tokens": 200, "tools": [TOOL]}
    first = client.messages.create(**request, messages=WEATHER, tool_choice={"type": "any"})
    [call] = [block for block in first.content if block.type == "tool_use"]
    assert first.stop_reason == "tool_use" and "city" in call.input, first
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "21 degrees"}
    turns = [*WEATHER, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    second = client.messages.create(**request, messages=turns)
    assert second.content[0].text, second


@operation("messages-tools-stream")
def _():
    with client.messages.stream(
        model=model, max_tokens=200, tools=[TOOL], tool_choice={"type": "any"}, messages=WEATHER
    ) as stream:
        message = stream.get_final_message()
    assert [block.name for block in message.content if block.type == "tool_use"] == ["get_weather"], message
    assert message.stop_reason == "tool_use", message


@operation("messages-image")
def _():
    source = {"type": "base64", "media_type": "image/png", "data": RED_PIXEL}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "What is this?"}]
    assert client.messages.create(model=model, max_tokens=200, messages=[{"role": "user", "content": content}]).content


@operation("messages-structured")
def _():
    messages = [{"role": "user", "content": "Describe Paris."}]
    message = client.messages.parse(model=model, max_tokens=200, messages=messages, output_format=City)
    assert isinstance(message.parsed_output, City), message


@operation("count_tokens")
def _():
    assert client.messages.count_tokens(model=model, messages=HELLO).input_tokens > 0


sys.exit(has_failed)

"""Tests a running Switchboard with the official Python library: one line `ok` or `failed` for each operation."""

import base64
import os
import sys
import time
import uuid
from io import BytesIO

import openai
from pydantic import BaseModel

client = openai.OpenAI(
    base_url=os.environ["SWITCHBOARD_URL"] + "/v1", api_key=os.environ["SWITCHBOARD_KEY"], timeout=120
)
model = os.environ["SWITCHBOARD_CHAT_MODEL"]
has_failed = False

HELLO = [{"role": "system", "content": "Answer in one short sentence."}, {"role": "user", "content": "Say hello."}]
WEATHER = [{"role": "user", "content": "What is the weather in Paris? Call get_weather."}]
PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
CHAT_TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}
TOOL = {"type": "function", "name": "get_weather", "parameters": PARAMETERS, "strict": True}


class City(BaseModel):
    name: str
    inhabitants: int


def operation(name, needs="CHAT"):
    """Runs the decorated function at once, if the service has a model of the type that it needs."""

    def run(function):
        global has_failed
        operation_model = os.environ.get(f"SWITCHBOARD_{needs}_MODEL")
        if not operation_model:
            return
        try:
            function(operation_model)
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


print("version", openai.__version__)


@operation("models")
def _(model):
    assert model in [one.id for one in client.models.list()]
    assert client.models.retrieve(model).id == model


@operation("errors")
def _(model):
    stranger = openai.OpenAI(base_url=client.base_url, api_key="sk-wrong", max_retries=0)
    chat = client.chat.completions.create
    assert raises(openai.AuthenticationError, lambda: stranger.models.list())
    assert raises(openai.NotFoundError, lambda: chat(model="no/such-model", messages=HELLO))
    assert raises(openai.BadRequestError, lambda: chat(model=model, messages=[]))
    assert raises(openai.NotFoundError, lambda: client.responses.create(model="no/such-model", input="Say hello."))


@operation("chat")
def _(model):
    completion = client.chat.completions.create(model=model, messages=HELLO)
    assert completion.choices[0].message.content, completion
    assert completion.choices[0].finish_reason in ("stop", "length"), completion
    assert completion.usage.total_tokens > 0, completion


@operation("chat-stream")
def _(model):
    chunks = list(
        client.chat.completions.create(
            model=model, messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices), chunks
    assert len({chunk.id for chunk in chunks}) == 1, chunks
    assert chunks[-1].usage.total_tokens > 0, chunks[-1]


@operation("tools")
def _(model):
    first = client.chat.completions.create(
        model=model, messages=WEATHER, tools=[CHAT_TOOL], tool_choice="required"
    )
    call = first.choices[0].message.tool_calls[0]
    assert call.function.name == "get_weather" and "city" in call.function.arguments, call
    result = {"role": "tool", "tool_call_id": call.id, "content": "21 degrees"}
    second = client.chat.completions.create(
        model=model, messages=[*WEATHER, first.choices[0].message, result], tools=[CHAT_TOOL]
    )
    assert second.choices[0].message.content, second


@operation("tools-stream")
def _(model):
    with client.chat.completions.stream(
        model=model, messages=WEATHER, tools=[CHAT_TOOL], tool_choice="required"
    ) as stream:
        message = stream.get_final_completion().choices[0].message
    assert "city" in message.tool_calls[0].function.arguments, message


@operation("structured")
def _(model):
    messages = [{"role": "user", "content": "Describe Paris."}]
    completion = client.chat.completions.parse(model=model, messages=messages, response_format=City)
    assert isinstance(completion.choices[0].message.parsed, City), completion


@operation("responses")
def _(model):
    response = client.responses.create(model=model, instructions="Answer in one short sentence.", input="Say hello.")
    assert response.status == "completed" and response.output_text, response
    assert response.usage.total_tokens > 0, response


@operation("responses-stream")
def _(model):
    with client.responses.stream(model=model, input="Say hello.") as stream:
        events = list(stream)
        response = stream.get_final_response()
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert text == response.output_text != "", events
    assert [event.sequence_number for event in events] == list(range(len(events))), events


@operation("responses-tools")
def _(model):
    first = client.responses.create(
        model=model, input=WEATHER, tools=[TOOL], tool_choice="required", parallel_tool_calls=False
    )
    [call] = [item for item in first.output if item.type == "function_call"]
    assert call.name == "get_weather" and "city" in call.arguments, first
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "21 degrees"}
    second = client.responses.create(model=model, input=[*WEATHER, *first.output, result], tools=[TOOL])
    assert second.output_text, second


@operation("responses-structured")
def _(model):
    response = client.responses.parse(model=model, input="Describe Paris.", text_format=City)
    assert isinstance(response.output_parsed, City), response


@operation("previous_response_id")
def _(model):
    first = client.responses.create(model=model, input="Say hello.")
    second = client.responses.create(model=model, input="What did I say?", previous_response_id=first.id)
    assert second.output_text and second.previous_response_id == first.id, second
    assert second.usage.input_tokens > first.usage.input_tokens + first.usage.output_tokens / 2, (first, second)


@operation("stored-responses")
def _(model):
    response = client.responses.create(model=model, input="Say hello.")
    assert client.responses.retrieve(response.id).output_text == response.output_text
    assert [item.role for item in client.responses.input_items.list(response.id)] == ["user"]
    client.responses.delete(response.id)
    assert raises(openai.NotFoundError, lambda: client.responses.retrieve(response.id))


@operation("responses-background")
def _(model):
    response = client.responses.create(model=model, input="Say hello.", background=True)
    assert response.status == "in_progress", response
    while response.status == "in_progress":
        time.sleep(0.2)
        response = client.responses.retrieve(response.id)
    assert response.output_text, response


@operation("idempotency")
def _(model):
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    create = client.chat.completions.create
    first = create(model=model, messages=HELLO, extra_headers=headers)
    assert create(model=model, messages=HELLO, extra_headers=headers).id == first.id
    other_body = lambda: create(model=model, messages=WEATHER, extra_headers=headers)
    assert raises(openai.ConflictError, other_body)


@operation("completions")
def _(model):
    completion = client.completions.create(model=model, prompt="One, two,", max_tokens=20)
    assert completion.choices[0].text, completion


@operation("embeddings", needs="EMBEDDING")
def _(model):
    # The library asks for base64 and decodes it.
    coded = client.embeddings.create(model=model, input=["one", "two"])
    plain = client.embeddings.create(model=model, input=["one", "two"], encoding_format="float")
    assert [item.index for item in coded.data] == [0, 1], coded
    for one, other in zip(coded.data, plain.data):
        assert all(abs(a - b) < 1e-5 for a, b in zip(one.embedding, other.embedding, strict=True))


@operation("speech", needs="SPEECH")
def _(model):
    sound = client.audio.speech.create(model=model, voice="alloy", input="Hello, world.", response_format="wav")
    assert sound.read()[:4] == b"RIFF"


@operation("transcription", needs="TRANSCRIPTION")
def _(model):
    sound = client.audio.speech.create(
        model=os.environ["SWITCHBOARD_SPEECH_MODEL"], voice="alloy", input="Hello, world.", response_format="wav"
    )
    file = ("hello.wav", sound.read(), "audio/wav")
    assert client.audio.transcriptions.create(model=model, file=file).text
    events = list(client.audio.transcriptions.create(model=model, file=file, stream=True))
    assert events[-1].type == "transcript.text.done", events
    assert client.audio.translations.create(model=model, file=file).text


@operation("images", needs="IMAGE")
def _(model):
    image = client.images.generate(model=model, prompt="a red fox", size="512x512").data[0]
    assert base64.b64decode(image.b64_json)[1:4] == b"PNG"


@operation("images-edit", needs="IMAGE")
def _(model):
    source = base64.b64decode(client.images.generate(model=model, prompt="a fox", size="512x512").data[0].b64_json)
    file = BytesIO(source)
    file.name = "fox.png"
    image = client.images.edit(model=model, image=file, prompt="in snow", size="512x512").data[0]
    assert base64.b64decode(image.b64_json)[1:4] == b"PNG"
    assert base64.b64decode(image.b64_json) != source


@operation("moderations", needs="MODERATION")
def _(model):
    moderation = client.moderations.create(model=model, input=["Have a nice day.", "Good morning."])
    assert [result.flagged for result in moderation.results] == [False, False], moderation


sys.exit(has_failed)

"""Tests a running Switchboard with the official Python library.

Settings are read from SWITCHBOARD_URL, SWITCHBOARD_KEY and SWITCHBOARD_MODEL. Prints one `ok` line for each check.
"""

import os
import sys

import openai

BASE_URL = os.environ["SWITCHBOARD_URL"].rstrip("/") + "/ai/openai"
MODEL = os.environ["SWITCHBOARD_MODEL"]
MESSAGES = [
    {"role": "system", "content": "Answer in one short sentence."},
    {"role": "user", "content": "Say hello."},
]


def check(name, is_right, seen):
    if not is_right:
        sys.exit(f"mismatch in '{name}': {seen!r}")
    print(f"ok {name}")


def status_of(call):
    """Returns the status and class of the error that a call raises."""
    try:
        call()
    except openai.APIStatusError as error:
        return error.status_code, type(error)
    return None, None


def main():
    client = openai.OpenAI(base_url=BASE_URL, api_key=os.environ["SWITCHBOARD_KEY"], timeout=120)

    models = [model.id for model in client.models.list()]
    check("list models", MODEL in models, models)
    check("retrieve model", client.models.retrieve(MODEL).id == MODEL, MODEL)

    completion = client.chat.completions.create(model=MODEL, messages=MESSAGES)
    check("chat", bool(completion.choices[0].message.content), completion)
    check("chat finish reason", completion.choices[0].finish_reason in ("stop", "length"), completion)

    chunks = list(client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    check("stream", bool(text), chunks)
    check("stream is one reply", len({chunk.id for chunk in chunks}) == 1, chunks)

    stranger = openai.OpenAI(base_url=BASE_URL, api_key="sk-wrong", max_retries=0, timeout=30)
    seen = status_of(lambda: stranger.models.list())
    check("error: wrong key", seen == (401, openai.AuthenticationError), seen)
    seen = status_of(lambda: client.chat.completions.create(model="no/such-model", messages=MESSAGES))
    check("error: unknown model", seen == (404, openai.NotFoundError), seen)
    seen = status_of(lambda: client.chat.completions.create(model=MODEL, messages=[]))
    check("error: no messages", seen == (400, openai.BadRequestError), seen)


main()

import { expect, test } from 'vitest';
import type { ChatModel, ChatRequest } from '../../../src/core/models/index.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { withHostToolNames } from '../../../src/protocols/host-tool-names.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import { noAbort } from '../../support/hosts/provider-under-test.ts';

/** Returns the body that the host gets for a body of chat completions. */
async function sendThrough(body: JsonObject): Promise<JsonObject | undefined> {
  const sent: ChatRequest[] = [];
  const host: ChatModel = {
    dialects: ['chat-completions'],
    complete: async (request) => {
      sent.push(request);
      throw new Error('that is all');
    },
    stream: () => Promise.reject(new Error('not used')),
  };
  const request = { ...toChatRequest('m', body), native: { dialect: 'chat-completions' as const, body } };
  await withHostToolNames(host, 64)
    .complete(request, noAbort())
    .catch(() => {});
  return sent[0]?.native?.body;
}

const NAME = 'files.look';
const HELLO = { role: 'user', content: 'Hello!' };
const PARAMETERS = { type: 'object', properties: {} };

test.each<[string, JsonObject, number]>([
  [
    'tools that are allowed, and results with the name of their tool',
    {
      tools: [{ type: 'function', function: { name: NAME, parameters: PARAMETERS } }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: NAME } }] },
      },
      messages: [
        HELLO,
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: NAME, arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', name: NAME, content: 'a fox' },
      ],
    },
    4,
  ],
  [
    'functions of the earlier form',
    { functions: [{ name: NAME, parameters: PARAMETERS }], function_call: { name: NAME }, messages: [HELLO] },
    2,
  ],
])('a host gets names that it accepts: %s', async (_, body, count) => {
  const sent = JSON.stringify(await sendThrough(body));
  expect(sent.split(/"files_look_[0-9a-f]{8}"/)).toHaveLength(count + 1);
  expect(sent).not.toContain(NAME);
});

test('a body without tools is passed on as it is', async () => {
  const body = { messages: [HELLO, { role: 'assistant', content: 'Hello.' }, HELLO] };
  expect(await sendThrough(body)).toBe(body);
});

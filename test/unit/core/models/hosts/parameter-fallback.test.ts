import { describe, expect, test } from 'vitest';
import { createParameterFallback } from '../../../../../src/core/models/hosts/endpoint/parameter-fallback.ts';
import { ProviderRejectedError } from '../../../../../src/core/models/index.ts';
import type { JsonObject } from '../../../../../src/lib/json/json.ts';
import { toFallbackParameters } from '../../../../../src/protocols/openai-chat/print-request.ts';
import { toChatRequest } from '../../../../../src/protocols/openai-chat/read-request.ts';
import { createFakeClock } from '../../../../support/machine/fake-clock.ts';

const HELLO = { role: 'user', content: 'Hello!' };
const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
const RESULT = { role: 'tool', tool_call_id: 'call_1', content: 'a fox' };
const answerWith = (fields: JsonObject) => ({
  messages: [HELLO, { role: 'assistant', content: '', tool_calls: [CALL], ...fields }, RESULT],
});
const MISSING = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
const UNKNOWN = "property 'reasoning_content' is unsupported";

/** Sends to a host that refuses with this message, if any. Returns the bodies that it got. */
function createHost() {
  const clock = createFakeClock();
  const fallback = createParameterFallback({ clock });
  const send = async (body: JsonObject, refuse: (sent: string) => string | undefined, param: string | null = null) => {
    const bodies: string[] = [];
    const answer = fallback.send('m', toFallbackParameters(toChatRequest('m', body)), async (fields, change) => {
      const sent = JSON.stringify({ ...change(body), ...fields });
      bodies.push(sent);
      const message = refuse(sent);
      if (message !== undefined) throw new ProviderRejectedError('host', 400, { message, param, code: null });
    });
    return {
      status: await answer.then(
        () => 200,
        () => 400,
      ),
      bodies,
    };
  };
  return { clock, send };
}

const requiresReasoning = (sent: string) =>
  /"reasoning_content":"/.test(sent)
    ? undefined
    : /"reasoning_content":/.test(sent)
      ? 'Invalid type for reasoning_content'
      : MISSING;
const refusesReasoning = (sent: string) => (sent.includes('reasoning_content') ? UNKNOWN : undefined);

describe('a change that a host required', () => {
  test('gives way to its opposite, in both directions and as often as needed', async () => {
    const { send } = createHost();
    for (const refuse of [requiresReasoning, refusesReasoning, requiresReasoning])
      for (const fields of [{}, { reasoning_content: 'Hm.' }])
        expect(await send(answerWith(fields), refuse)).toMatchObject({ status: 200 });
  });

  test('is not learned from a field with an invalid value', async () => {
    const { send } = createHost();
    const hostile = await send(answerWith({ reasoning_content: 5 }), () => "Invalid type for 'reasoning_content'");
    expect(hostile).toMatchObject({ status: 400, bodies: [expect.any(String)] });
    for (let user = 0; user < 2; user += 1) {
      const { bodies } = await send(answerWith({ reasoning_content: 'Hm.' }), requiresReasoning);
      expect(bodies).toEqual([expect.stringContaining('"reasoning_content":"Hm."')]);
    }
  });

  test('is found by the message, also if the parameter matches another one', async () => {
    const { send } = createHost();
    const message = 'Missing required parameter: reasoning_content';
    const { bodies } = await send(
      { ...answerWith({}), reasoning_effort: 'high' },
      (sent) => (sent.includes('reasoning_content') ? undefined : message),
      'messages[1].reasoning_content',
    );
    expect(bodies).toEqual([expect.any(String), expect.stringContaining('"reasoning_content":""')]);
  });

  test('is forgotten after six hours, however often it was used', async () => {
    const { clock, send } = createHost();
    for (let hour = 0; hour < 6; hour += 1) {
      const { bodies } = await send(answerWith({ reasoning_content: 'Hm.' }), refusesReasoning);
      expect(bodies).toHaveLength(hour === 0 ? 2 : 1);
      await clock.advance(3_600_000);
    }
    expect((await send(answerWith({ reasoning_content: 'Hm.' }), refusesReasoning)).bodies).toHaveLength(2);
  });
});

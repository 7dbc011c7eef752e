import { expect, it } from 'vitest';
import { toChatBody } from '../../../../src/protocols/openai-chat/print-request.ts';
import { toChatRequest } from '../../../../src/protocols/openai-chat/read-request.ts';

it('a chat request is the same after its translation, without its original', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
  const body = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://host/fox.png', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://host/fox.png' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } },
          { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I have to look.',
        tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'abc' } } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'a fox' },
    ],
    tools: [
      { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} }, strict: true } },
    ],
    tool_choice: 'auto',
    reasoning_effort: 'low',
    top_p: 0.5,
    logit_bias: { 5: -1 },
  };
  expect(toChatBody({ ...toChatRequest('m', body), native: undefined })).toEqual(body);
});

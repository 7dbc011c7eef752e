/** Tests a running Switchboard with Anthropic's TypeScript library: one line `ok` or `failed` for each operation. */
import assert from 'node:assert/strict';
import { Anthropic, AuthenticationError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { VERSION } from '@anthropic-ai/sdk/version';

const { SWITCHBOARD_URL: baseURL, SWITCHBOARD_KEY: apiKey, SWITCHBOARD_CHAT_MODEL: model = '' } = process.env;
const client = new Anthropic({ baseURL, apiKey, timeout: 120_000 });

const hello = [{ role: 'user' as const, content: 'Say hello.' }];
const weather = [{ role: 'user' as const, content: 'What is the weather in Paris? Call get_weather.' }];
const input_schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ name: 'get_weather', input_schema }];
const tool_choice = { type: 'any' as const };

console.log('version', VERSION);

await operation('models', async () => {
  const models = await Array.fromAsync(client.models.list(), ({ id }) => id);
  assert(models.includes(model));
  assert.equal((await client.models.retrieve(model)).id, model);
});

await operation('errors', async () => {
  const stranger = new Anthropic({ baseURL, apiKey: 'sk-wrong', maxRetries: 0 });
  const request = { model, max_tokens: 200, messages: hello };
  await assert.rejects(async () => stranger.messages.create(request), AuthenticationError);
  await assert.rejects(async () => client.messages.create({ ...request, model: 'no/such-model' }), NotFoundError);
  await assert.rejects(async () => client.messages.create({ ...request, messages: [] }), BadRequestError);
});

await operation('messages', async () => {
  const message = await client.messages.create({ model, max_tokens: 200, messages: hello });
  assert(message.content[0]?.type === 'text' && message.content[0].text);
  assert(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
});

await operation('messages-stream', async () => {
  const stream = client.messages.stream({ model, max_tokens: 200, messages: hello });
  const events = await Array.fromAsync(stream);
  assert.equal(events[0]?.type, 'message_start');
  assert.equal(events.at(-1)?.type, 'message_stop');
  assert(await stream.finalText());
});

await operation('messages-tools', async () => {
  const first = await client.messages.create({ model, max_tokens: 200, messages: weather, tools, tool_choice });
  const call = first.content.find((block) => block.type === 'tool_use');
  assert.equal(first.stop_reason, 'tool_use');
  assert.equal(call?.name, 'get_weather');
  const result = { type: 'tool_result' as const, tool_use_id: call.id, content: '21 degrees' };
  const messages = [
    ...weather,
    { role: 'assistant' as const, content: first.content },
    { role: 'user' as const, content: [result] },
  ];
  const second = await client.messages.create({ model, max_tokens: 200, messages, tools });
  assert(second.content[0]?.type === 'text' && second.content[0].text);
});

await operation('messages-tools-stream', async () => {
  const message = await client.messages
    .stream({ model, max_tokens: 200, messages: weather, tools, tool_choice })
    .finalMessage();
  const call = message.content.find((block) => block.type === 'tool_use');
  assert(call && typeof call.input === 'object' && 'city' in (call.input ?? {}));
});

await operation('count_tokens', async () => {
  assert((await client.messages.countTokens({ model, messages: hello })).input_tokens > 0);
});

async function operation(name: string, run: () => Promise<void>) {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`failed ${name}: ${error}`);
    process.exitCode = 1;
  }
}

/**
 * Tests a running Switchboard with the official TypeScript library. Settings are read from SWITCHBOARD_URL,
 * SWITCHBOARD_KEY and SWITCHBOARD_MODEL. Prints one `ok` line for each check.
 */
import { AuthenticationError, BadRequestError, NotFoundError, OpenAI } from 'openai';

const baseURL = `${required('SWITCHBOARD_URL').replace(/\/+$/, '')}/ai/openai`;
const model = required('SWITCHBOARD_MODEL');
const client = new OpenAI({ baseURL, apiKey: required('SWITCHBOARD_KEY'), timeout: 120_000 });
const messages = [
  { role: 'system' as const, content: 'Answer in one short sentence.' },
  { role: 'user' as const, content: 'Say hello.' },
];

const models = await Array.fromAsync(client.models.list(), ({ id }) => id);
check('list models', models.includes(model), models);
check('retrieve model', (await client.models.retrieve(model)).id === model, model);

const completion = await client.chat.completions.create({ model, messages });
check('chat', Boolean(completion.choices[0]?.message.content), completion);
check('chat finish reason', ['stop', 'length'].includes(completion.choices[0]?.finish_reason ?? ''), completion);

const chunks = await Array.fromAsync(await client.chat.completions.create({ model, messages, stream: true }));
check(
  'stream',
  chunks.some((chunk) => chunk.choices[0]?.delta.content),
  chunks,
);
check('stream is one reply', new Set(chunks.map(({ id }) => id)).size === 1, chunks);

const stranger = new OpenAI({ baseURL, apiKey: 'sk-wrong', maxRetries: 0, timeout: 30_000 });
const refusal = await failureOf(() => stranger.models.list());
check('error: wrong key', refusal instanceof AuthenticationError, refusal);
const unknown = await failureOf(() => client.chat.completions.create({ model: 'no/such-model', messages }));
check('error: unknown model', unknown instanceof NotFoundError, unknown);
const empty = await failureOf(() => client.chat.completions.create({ model, messages: [] }));
check('error: no messages', empty instanceof BadRequestError && empty.param === 'messages', empty);

function check(name: string, isRight: boolean, seen: unknown): void {
  if (!isRight) {
    console.error(`mismatch in '${name}':`, seen);
    process.exit(1);
  }
  console.log(`ok ${name}`);
}

async function failureOf(call: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

/** Tests a running Switchboard with the official TypeScript library: one line `ok` or `failed` for each operation. */
import assert from 'node:assert/strict';
import { AuthenticationError, BadRequestError, NotFoundError, OpenAI, toFile } from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { VERSION } from 'openai/version';
import { z } from 'zod';

const { SWITCHBOARD_URL, SWITCHBOARD_KEY, SWITCHBOARD_CHAT_MODEL: model = '' } = process.env;
const baseURL = `${SWITCHBOARD_URL}/v1`;
const client = new OpenAI({ baseURL, apiKey: SWITCHBOARD_KEY, timeout: 120_000 });

const hello = [{ role: 'user' as const, content: 'Say hello.' }];
const weather = [{ role: 'user' as const, content: 'What is the weather in Paris? Call get_weather.' }];
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const chatTool = { type: 'function' as const, function: { name: 'get_weather', parameters } };
const tool = { type: 'function' as const, name: 'get_weather', parameters, strict: true };
const City = z.object({ name: z.string(), inhabitants: z.number() });

console.log('version', VERSION);

await operation('models', async () => {
  const models = await Array.fromAsync(client.models.list(), ({ id }) => id);
  assert(models.includes(model));
  assert.equal((await client.models.retrieve(model)).id, model);
});

await operation('errors', async () => {
  const stranger = new OpenAI({ baseURL, apiKey: 'sk-wrong', maxRetries: 0 });
  await assert.rejects(async () => stranger.models.list(), AuthenticationError);
  const chat = client.chat.completions;
  await assert.rejects(async () => chat.create({ model: 'no/such-model', messages: hello }), NotFoundError);
  const isBadMessages = (error: unknown) => error instanceof BadRequestError && error.param === 'messages';
  await assert.rejects(async () => chat.create({ model, messages: [] }), isBadMessages);
  await assert.rejects(async () => client.responses.create({ model: 'no/such-model', input: 'Hello' }), NotFoundError);
});

await operation('chat', async () => {
  const completion = await client.chat.completions.create({ model, messages: hello });
  assert(completion.choices[0]?.message.content);
  assert(['stop', 'length'].includes(completion.choices[0].finish_reason));
});

await operation('chat-stream', async () => {
  const chunks = await Array.fromAsync(await client.chat.completions.create({ model, messages: hello, stream: true }));
  assert(chunks.some((chunk) => chunk.choices[0]?.delta.content));
  assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
});

await operation('tools', async () => {
  const first = await client.chat.completions.create({
    model,
    messages: weather,
    tools: [chatTool],
    tool_choice: 'required',
  });
  const message = first.choices[0]?.message;
  const call = message?.tool_calls?.[0];
  assert(message && call?.type === 'function' && call.function.arguments.includes('city'));
  const result = { role: 'tool' as const, tool_call_id: call.id, content: '21 degrees' };
  const second = await client.chat.completions.create({
    model,
    messages: [...weather, message, result],
    tools: [chatTool],
  });
  assert(second.choices[0]?.message.content);
});

await operation('tools-stream', async () => {
  const stream = client.chat.completions.stream({
    model,
    messages: weather,
    tools: [chatTool],
    tool_choice: 'required',
  });
  const [call] = (await stream.finalMessage()).tool_calls ?? [];
  assert(call?.type === 'function' && call.function.arguments.includes('city'));
});

await operation('structured', async () => {
  const messages = [{ role: 'user' as const, content: 'Describe Paris.' }];
  const response_format = zodResponseFormat(City, 'city');
  const completion = await client.chat.completions.parse({ model, messages, response_format });
  assert.equal(typeof completion.choices[0]?.message.parsed?.inhabitants, 'number');
});

await operation('responses', async () => {
  const response = await client.responses.create({ model, input: 'Say hello.' });
  assert.equal(response.status, 'completed');
  assert(response.output_text && response.usage && response.usage.total_tokens > 0);
});

await operation('responses-stream', async () => {
  const stream = client.responses.stream({ model, input: 'Say hello.' });
  const events = await Array.fromAsync(stream);
  const text = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
  assert(text);
  assert.equal((await stream.finalResponse()).output_text, text);
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, index) => index),
  );
});

await operation('responses-tools', async () => {
  const first = await client.responses.create({ model, input: weather, tools: [tool], tool_choice: 'required' });
  const call = first.output.find((item) => item.type === 'function_call');
  assert(call);
  assert(call.arguments.includes('city'));
  const result = { type: 'function_call_output' as const, call_id: call.call_id, output: '21 degrees' };
  const second = await client.responses.create({
    model,
    previous_response_id: first.id,
    input: [result],
    tools: [tool],
  });
  assert(second.output_text);
});

await operation('responses-structured', async () => {
  const text = { format: zodTextFormat(City, 'city') };
  const response = await client.responses.parse({ model, input: 'Describe Paris.', text });
  assert.equal(typeof response.output_parsed?.inhabitants, 'number');
});

await operation('previous_response_id', async () => {
  const first = await client.responses.create({ model, input: 'Say hello.' });
  const second = await client.responses.create({ model, input: 'What did I say?', previous_response_id: first.id });
  assert.equal(second.previous_response_id, first.id);
  assert((second.usage?.input_tokens ?? 0) > (first.usage?.input_tokens ?? 0));
});

await operation('stored-responses', async () => {
  const response = await client.responses.create({ model, input: 'Say hello.' });
  assert.equal((await client.responses.retrieve(response.id)).output_text, response.output_text);
  const items = await Array.fromAsync(client.responses.inputItems.list(response.id));
  assert.deepEqual(
    items.map(({ type }) => type),
    ['message'],
  );
  await client.responses.delete(response.id);
  await assert.rejects(async () => client.responses.retrieve(response.id), NotFoundError);
});

await operation('completions', async () => {
  const completion = await client.completions.create({ model, prompt: 'One, two,', max_tokens: 20 });
  assert(completion.choices[0]?.text);
});

await operation('embeddings', 'EMBEDDING', async (embeddingModel) => {
  // The library asks for base64 and decodes it.
  const coded = await client.embeddings.create({ model: embeddingModel, input: 'one' });
  const plain = await client.embeddings.create({ model: embeddingModel, input: 'one', encoding_format: 'float' });
  const other = plain.data[0]?.embedding ?? [];
  assert(other.length > 0 && coded.data[0]?.embedding.length === other.length);
  assert(coded.data[0].embedding.every((value, index) => Math.abs(value - (other[index] ?? 0)) < 1e-5));
});

await operation('speech', 'SPEECH', async (speechModel) => {
  const sound = await speak(speechModel);
  assert.equal(sound.subarray(0, 4).toString(), 'RIFF');
});

await operation('transcription', 'TRANSCRIPTION', async (transcriptionModel) => {
  const file = await toFile(await speak(process.env['SWITCHBOARD_SPEECH_MODEL'] ?? ''), 'hello.wav');
  assert((await client.audio.transcriptions.create({ model: transcriptionModel, file })).text);
});

await operation('images', 'IMAGE', async (imageModel) => {
  assert.equal((await generateImage(imageModel)).subarray(1, 4).toString(), 'PNG');
});

await operation('images-edit', 'IMAGE', async (imageModel) => {
  const source = await generateImage(imageModel);
  const file = await toFile(source, 'fox.png', { type: 'image/png' });
  const edited = await client.images.edit({
    model: imageModel,
    image: [file, file],
    prompt: 'in snow',
    size: '512x512',
  });
  const bytes = Buffer.from(edited.data?.[0]?.b64_json ?? '', 'base64');
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert(!bytes.equals(source));
});

await operation('moderations', 'MODERATION', async (moderationModel) => {
  const moderation = await client.moderations.create({ model: moderationModel, input: 'Have a nice day.' });
  assert.equal(moderation.results[0]?.flagged, false);
});

async function speak(speechModel: string): Promise<Buffer> {
  const request = { model: speechModel, voice: 'alloy', input: 'Hello, world.', response_format: 'wav' as const };
  return Buffer.from(await (await client.audio.speech.create(request)).arrayBuffer());
}

async function generateImage(imageModel: string): Promise<Buffer> {
  const images = await client.images.generate({ model: imageModel, prompt: 'a red fox', size: '512x512' });
  return Buffer.from(images.data?.[0]?.b64_json ?? '', 'base64');
}

/** Reports the outcome of `run`. An operation of another model type is left out if the service has no such model. */
async function operation(name: string, ...rest: [() => Promise<void>] | [string, (model: string) => Promise<void>]) {
  const [type, run] = rest.length === 1 ? ['CHAT', rest[0]] : rest;
  const operationModel = process.env[`SWITCHBOARD_${type}_MODEL`];
  if (!operationModel) return;
  try {
    await run(operationModel);
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`failed ${name}: ${error}`);
    process.exitCode = 1;
  }
}

/** Tests a running Switchboard with OpenAI's Agents SDK for TypeScript: one line `ok` or `failed` for each operation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, OpenAIChatCompletionsModel, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

const openAIClient = new OpenAI({
  baseURL: `${process.env['SWITCHBOARD_URL']}/v1`,
  apiKey: process.env['SWITCHBOARD_KEY'],
});
setTracingDisabled(true);
const model = process.env['SWITCHBOARD_CHAT_MODEL'] ?? '';
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }) });

const question = 'What is the weather in Paris? Call get_weather.';
const cities: string[] = [];
const getWeather = tool({
  name: 'get_weather',
  description: 'Returns the weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => {
    cities.push(city);
    return '21 degrees';
  },
});
const assistant = new Agent({ name: 'Assistant', instructions: 'Answer in one short sentence.', model });
// The first answer must call a tool; the library then resets the choice to `auto`.
const weatherman = new Agent({
  name: 'Weatherman',
  model,
  tools: [getWeather],
  modelSettings: { toolChoice: 'required' },
});

// The package exports neither its version nor its package.json.
console.log('version', JSON.parse(readFileSync('node_modules/@openai/agents/package.json', 'utf8')).version);

await operation('responses', async () => {
  assert((await runner.run(assistant, 'Say hello.')).finalOutput);
});

await operation('responses-stream', async () => {
  const run = await runner.run(assistant, 'Say hello.', { stream: true });
  assert((await Array.fromAsync(run.toTextStream())).length > 1);
});

await operation('responses-tools', async () => {
  const run = await runner.run(weatherman, question);
  assert.equal(cities.splice(0).length, 1);
  assert(run.finalOutput);
});

await operation('responses-tools-stream', async () => {
  const run = await runner.run(weatherman, question, { stream: true });
  await run.completed;
  assert.equal(cities.splice(0).length, 1);
  assert(run.finalOutput);
});

await operation('responses-structured', async () => {
  const outputType = z.object({ name: z.string(), inhabitants: z.number() });
  const run = await runner.run(new Agent({ name: 'Guide', model, outputType }), 'Describe Paris.');
  assert.equal(typeof run.finalOutput?.inhabitants, 'number');
});

await operation('previous_response_id', async () => {
  const first = await runner.run(assistant, 'Say hello.');
  const previousResponseId = first.lastResponseId;
  assert(previousResponseId);
  assert((await runner.run(assistant, 'What did I say?', { previousResponseId })).finalOutput);
});

await operation('tools', async () => {
  const chat = new OpenAIChatCompletionsModel(openAIClient, model);
  const run = await runner.run(weatherman.clone({ model: chat }), question);
  assert.equal(cities.splice(0).length, 1);
  assert(run.finalOutput);
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

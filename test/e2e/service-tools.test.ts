import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject } from '../../src/lib/json/json.ts';
import { eventually, runToEnd } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerHello, type Behaviour, sseEvent, streamRaw } from '../support/hosts/fake-provider.ts';
import { MCP_KEY, startMcpServer } from '../support/hosts/mcp-server.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

let folder: string;
let server: Awaited<ReturnType<typeof startMcpServer>>;
let stage: ServiceHarness;

const writeTools = (tools: string) => writeFile(join(folder, 'providers.yaml'), tools);
const searchEntry = () =>
  `tools:\n  - { name: search, mcp: "${server.url}?key=$SEARCH_KEY", headers: { Authorization: Bearer $SEARCH_KEY }, ask: { hang: false, web_search: false } }\n`;
const settings = () => ({ PROVIDERS_FILE: join(folder, 'providers.yaml'), SEARCH_KEY: MCP_KEY, LOG_LEVEL: 'trace' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-tools-'));
  server = await startMcpServer();
  await writeTools(searchEntry());
  stage = await startServiceHarness({ settings: settings() });
});
afterAll(async () => {
  await stage.close();
  await server.close();
  await rm(folder, { recursive: true });
});

/** A response with a tool call. */
const askFor = (name: string, parameters: object): Behaviour => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(parameters) } };
  const event = (delta: object, finishReason: string | null = null) =>
    sseEvent({ id: 'chatcmpl-1', choices: [{ index: 0, delta, finish_reason: finishReason }] });
  return streamRaw([event({ tool_calls: [call] }), event({}, 'tool_calls'), 'data: [DONE]\n\n']);
};
const lastRequest = () => stage.provider.chatRequests.at(-1)?.body;
const offered = () => {
  const tools = lastRequest()?.['tools'];
  return Array.isArray(tools) ? tools.map((tool) => tool.function.name) : [];
};

test('a model uses an MCP server configured by the operator', async () => {
  stage.provider.behave(askFor('web_search', { query: 'foxes' }), answerHello({ pieces: ['Foxes ', 'are small.'] }));
  stage.writes('What about foxes?');
  await stage.says('Foxes are small.');
  expect(stage.said()).toEqual(['Foxes are small.']);
  const messages = lastRequest()?.['messages'];
  const result = Array.isArray(messages) ? messages.filter(isJsonObject).at(-1) : undefined;
  expect(result).toMatchObject({ role: 'tool', content: expect.stringContaining('Found foxes') });
});

test('an answer that kill -9 interrupted during a tool call is written again, once', async () => {
  stage.provider.behave(askFor('hang', {}));
  stage.writes('And owls?');
  await stage.says('Using hang');
  await stage.service.kill();
  stage.provider.behave(askFor('web_search', { query: 'owls' }), answerHello({ pieces: ['Owls ', 'are wise.'] }));
  await stage.start();
  await stage.says('Owls are wise.');
  await expect.poll(() => stage.said()).toEqual(['Foxes are small.', 'Owls are wise.']);
  await expect.poll(() => stage.labels()).toEqual([]);
});

test('a request for permission survives kill -9, and the call runs once after the press', EXHAUSTIVE, async () => {
  // The earlier answers contain tool results.
  stage.provider.behave(askFor('fail', { why: 'my secret' }));
  stage.writes('And bats?');
  const question = await stage.says('The model wants to use fail with:');
  expect(question).toContain('\n\nwhy: my secret\n\n');
  await stage.service.kill();
  stage.provider.behave(answerHello({ pieces: ['Bats ', 'are blind.'] }));
  await stage.start();
  const { control } = stage.telegram;
  const { message } = control.transcript(stage.chatId).findLast((one) => one.message.text === question) ?? {};
  const press = () => control.pressButton(stage.chatId, message?.message_id ?? 0, { row: 0, column: 0 });
  press();
  press();
  await stage.says('Bats are blind.');
  // If a process dies before it has stored the question, the next one asks again.
  const answers = () => stage.said().filter((text) => text !== question);
  await expect.poll(answers).toEqual(['Foxes are small.', 'Owls are wise.', 'Bats are blind.']);
  const messages = lastRequest()?.['messages'];
  const result = Array.isArray(messages) ? messages.filter(isJsonObject).at(-1) : undefined;
  expect(result).toMatchObject({ role: 'tool', content: 'Error: the quota is used up' });
});

test('SIGHUP replaces the tools', async () => {
  await writeTools(
    'built_in_tools: [calculator]\ntools:\n  - { function: get_weather, url: "http://127.0.0.1:9/", description: Weather }\n',
  );
  stage.service.signal('SIGHUP');
  await eventually(() => stage.service.output().includes('"hasNewTools":true') || undefined);
  stage.provider.behave(answerHello({ pieces: ['Hello ', 'again.'] }));
  stage.writes('Hello again');
  await stage.says('Hello again.');
  expect(offered()).toEqual(['calculator', 'get_weather']);
});

test('--check lists tools, and servers that do not answer', async () => {
  await writeTools(`${searchEntry()}  - { name: away, mcp: "http://127.0.0.1:9/mcp?key=$SEARCH_KEY" }\n`);
  const { stdout, stderr, code } = await runToEnd(folder, ['--check'], {
    ...settings(),
    SEARXNG_URL: 'http://me:pass-of-searxng-1@127.0.0.1:9',
  });
  const output = stdout + stderr;
  expect(output).toMatch(/search: web_search, fail, hang, flood, calculator/);
  expect(output).toMatch(/Tools of away: /);
  expect(output).toMatch(/Web search by searxng: it could not be reached/);
  expect(code).toBe(78);
  expect(output).not.toContain(MCP_KEY);
});

test('no key of an MCP server is logged', () => {
  expect(server.requests.some(({ authorization }) => authorization === `Bearer ${MCP_KEY}`)).toBe(true);
  expect(stage.service.output()).not.toContain(MCP_KEY);
});

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerJson, openAiError } from '../support/hosts/fake-provider.ts';

const TOKEN = 'a-token-for-prometheus';

let stage: ServiceHarness;
beforeAll(async () => {
  stage = await startServiceHarness({ settings: { METRICS_TOKEN: TOKEN } });
  await stage.service.isReady();
});
afterAll(() => stage.close());

const scrape = async () => {
  const answer = await stage.service.get('/metrics', { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return answer.text();
};
/** Value of a series by name and labels in any order, or 0 if there is none. */
const seriesValue = (text: string, name: string, labels: Readonly<Record<string, string>> = {}) => {
  const line = text.split('\n').find((candidate) => {
    const [, series, given = ''] = /^(\w+)(?:\{(.*)\})? /.exec(candidate) ?? [];
    return series === name && Object.entries(labels).every(([key, value]) => given.includes(`${key}="${value}"`));
  });
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
};
const ask = (model: string, more: object = {}) =>
  stage.service.post('/ai/openai/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...more });

test('/metrics answers 401 without the token', async () => {
  const { service } = stage;
  for (const authorization of ['', 'Bearer wrong', `Bearer ${service.apiKey}`, TOKEN, `Bearer ${TOKEN}x`]) {
    const answer = await service.get('/metrics', { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain('switchboard_');
  }
});

test('/metrics counts requests, generations, attempts and tokens, with a bounded set of names', async () => {
  const { service, provider } = stage;
  const before = await scrape();
  expect(await (await ask('fake-model', { stream: true })).text()).toContain('[DONE]');
  provider.behave(answerJson(400, openAiError('no', 'bad')));
  expect((await ask('fake-model')).status).toBe(400);
  for (const name of ['nobodys-model', '"} evil 1', 'x'.repeat(200)]) expect((await ask(name)).status).toBe(404);
  await service.get('/a-path/that-nobody/knows');

  // A request is counted when its last byte is sent.
  const route = '/ai/openai/chat/completions';
  const requests = { method: 'POST', route, status: '404' };
  const text = await eventually(async () => {
    const now = await scrape();
    return seriesValue(now, 'switchboard_http_request_duration_seconds_count', requests) === 3 ? now : undefined;
  });
  const grown = (name: string, labels = {}) => seriesValue(text, name, labels) - seriesValue(before, name, labels);
  expect(grown('switchboard_http_request_duration_seconds_count', { ...requests, status: '200' })).toBe(1);
  const generation = { kind: 'chat', provider: 'custom', model: 'fake-model' };
  expect(grown('switchboard_generation_duration_seconds_count', { ...generation, outcome: 'success' })).toBe(1);
  expect(grown('switchboard_generation_duration_seconds_count', { outcome: 'rejected' })).toBe(1);
  expect(grown('switchboard_generation_duration_seconds_count', { outcome: 'unknown_model', model: 'other' })).toBe(3);
  expect(grown('switchboard_generation_first_chunk_seconds_count', { provider: 'custom' })).toBe(1);
  expect(grown('switchboard_provider_attempt_duration_seconds_count', { outcome: 'success' })).toBe(1);
  expect(grown('switchboard_provider_attempt_duration_seconds_count', { outcome: 'rejected' })).toBe(1);
  const tokens = { provider: 'custom', model: 'fake-model', direction: 'completion' };
  expect(grown('switchboard_generation_tokens_total', tokens)).toBeGreaterThan(0);
  expect(text).not.toMatch(/nobodys|evil|xxxx|a-path/);
});

test('/metrics counts calls of Telegram, updates and owed replies', async () => {
  stage.telegram.control.injectFault({
    method: 'sendMessage',
    kind: { type: 'flood', retryAfterSeconds: 1 },
  });
  stage.writes('Hello');
  await stage.says('Hello, world!');
  const text = await eventually(async () => {
    const now = await scrape();
    return seriesValue(now, 'switchboard_reply_duration_seconds_count', { outcome: 'stop' }) === 1 ? now : undefined;
  });
  const calls = 'switchboard_telegram_call_duration_seconds_count';
  expect(seriesValue(text, calls, { bot: 'chat', method: 'sendMessage', outcome: 'flood' })).toBe(1);
  expect(seriesValue(text, calls, { bot: 'chat', method: 'sendMessage', outcome: 'success' })).toBeGreaterThan(0);
  expect(seriesValue(text, 'switchboard_updates_received_total')).toBe(1);
  expect(seriesValue(text, 'switchboard_update_duration_seconds_count', { outcome: 'success' })).toBe(1);
  expect(text).toMatch(/^switchboard_replies_owed 0$/m);
  expect(text).toMatch(/^switchboard_updates_waiting 0$/m);
  for (const kind of ['answer', 'image', 'save', 'inline', 'voice'])
    expect(text).toMatch(new RegExp(`^switchboard_jobs\\{kind="${kind}"\\} \\d+$`, 'm'));
  expect(text).toMatch(/^switchboard_durable_jobs\{kind="response"\} 0$/m);
  expect(text).toMatch(/^switchboard_library_texts_waiting \d+$/m);
  expect(text).toMatch(/^switchboard_telegram_calls_waiting \d+$/m);
  expect(text).not.toContain(stage.telegram.token);
});

test('/metrics counts files, batches and the process', async () => {
  const { service } = stage;
  const uploaded = await service.get('/upload/a.txt', { method: 'PUT', body: 'twelve bytes' });
  const { url } = (await uploaded.json()) as { url: string };
  expect(await (await service.get(new URL(url).pathname)).text()).toBe('twelve bytes');
  const text = await eventually(async () => {
    const now = await scrape();
    return seriesValue(now, 'switchboard_storage_bytes_total', { direction: 'down' }) === 12 ? now : undefined;
  });
  expect(seriesValue(text, 'switchboard_storage_bytes_total', { direction: 'up' })).toBe(12);
  expect(text).toMatch(/^switchboard_storage_blobs\{state="intended"\} 0$/m);
  expect(seriesValue(text, 'switchboard_database_batch_duration_seconds_count', { table: 'updates' })).toBeGreaterThan(
    0,
  );
  expect(seriesValue(text, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
});

test('the Grafana dashboard uses exactly the existing metrics', async () => {
  const dashboard = await readFile(new URL('../../docs/grafana/switchboard.json', import.meta.url), 'utf8');
  const metrics = await scrape();
  const there = new Set([...metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name]) => name));
  const deprecated = new Set([...metrics.matchAll(/^# HELP (\w+) Deprecated:/gm)].map(([, name]) => name));
  const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const asked = [...new Set(`${queries} ${dashboard}`.match(/\b(?:switchboard|process|nodejs)_\w+/g))];
  expect(asked.length).toBeGreaterThan(20);
  const missing = asked.filter((name) => !there.has(name) && !there.has(name.replace(/_(?:bucket|count|sum)$/, '')));
  expect(missing).toEqual([]);
  const unused = [...there].filter(
    (name) => name?.startsWith('switchboard_') && !deprecated.has(name) && !asked.some((one) => one.startsWith(name)),
  );
  expect(unused).toEqual([]);
});

test('/metrics answers 404 if no token is configured', async () => {
  await stage.service.stop();
  const service = await stage.start({ METRICS_TOKEN: '' });
  expect((await service.get('/metrics', { headers: { authorization: 'Bearer ' } })).status).toBe(404);
});

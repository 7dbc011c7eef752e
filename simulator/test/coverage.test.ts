import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COVERAGE, PARTIAL_REMARKS } from '../src/coverage.ts';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

describe('the coverage table', () => {
  let simulator: TestSimulator;
  beforeAll(async () => {
    simulator = await startTestSimulator();
  });
  afterAll(() => simulator.close());

  const ofStatus = (wanted: boolean) =>
    Object.entries(COVERAGE)
      .filter(([, status]) => (status === 'unsupported') === wanted)
      .map(([method]) => method);

  it.each(ofStatus(true))('correctly lists %s as unsupported', async (method) => {
    const answer = await simulator.call(method);
    expect(answer.status).toBe(400);
    expect(answer.description).toBe(`Bad Request: method ${method} is unsupported by this simulator`);
  });

  it.each(ofStatus(false))('correctly lists %s as supported', async (method) => {
    const answer = await simulator.call(method);
    expect(answer.status).not.toBe(500);
    expect(answer.description ?? '').not.toContain('unsupported');
  });

  it('has a remark for every partial method', () => {
    for (const remark of Object.values(PARTIAL_REMARKS)) expect(remark.length).toBeGreaterThan(5);
  });

  it('equals COVERAGE.md', async () => {
    const remarks: { readonly [method: string]: string } = PARTIAL_REMARKS;
    const rows = Object.entries(COVERAGE).map(
      ([method, status]) => `| \`${method}\` | ${status} | ${remarks[method] ?? ''} |\n`,
    );
    const table = `| method | status | missing or different |\n| --- | --- | --- |\n${rows.join('')}`;
    // `npx vitest run simulator/test/coverage.test.ts --update` writes the file.
    await expect(`# Methods of the Bot API\n\n${table}`).toMatchFileSnapshot('../COVERAGE.md');
  });

  it('covers most methods of a chat bot', () => {
    expect(ofStatus(false).length).toBeGreaterThan(60);
  });
});

describe('the address of a method', () => {
  let simulator: TestSimulator;
  beforeAll(async () => {
    simulator = await startTestSimulator();
  });
  afterAll(() => simulator.close());

  it('is case-insensitive and accepts GET with a query', async () => {
    const answer = await fetch(`${simulator.url}/bot${simulator.token}/GETME?x=1`);
    expect(await answer.json()).toMatchObject({ ok: true, result: { is_bot: true, username: 'test_bot' } });
  });

  it('accepts forms', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const answer = await fetch(`${simulator.url}/bot${simulator.token}/sendMessage`, {
      method: 'POST',
      body: new URLSearchParams({ chat_id: String(chat.id), text: 'by form', reply_markup: '{"force_reply":true}' }),
    });
    expect(await answer.json()).toMatchObject({ ok: true, result: { text: 'by form' } });
  });

  const postMultipart = (method: string, body: string, contentType = 'multipart/form-data; boundary=x') =>
    fetch(`${simulator.url}/bot${simulator.token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });

  it('accepts multipart forms without a body, as Go bots send them', async () => {
    expect(await (await postMultipart('getMe', '')).json()).toMatchObject({ ok: true });
    expect(await (await postMultipart('getMe', '--x--\r\n')).json()).toMatchObject({ ok: true });
  });

  it.each([
    ['filename=two words.txt', 'two words.txt'],
    ['filename="a;b.txt"', 'a;b.txt'],
    ['filename="\\"q\\".txt"', '"q".txt'],
    ["filename=a.txt; filename*=utf-8''b.txt", 'a.txt'],
  ])('accepts files named by %s', async (fileName, expected) => {
    const chat = simulator.control.createChat({ type: 'private' });
    const head = (parameters: string) => `--x\r\ncontent-disposition: form-data; ${parameters}\r\n\r\n`;
    const body = `${head('name="chat_id"')}${chat.id}\r\n${head(`name="document"; ${fileName}`)}a\r\n--b\r\n--x--\r\n`;
    const sent = await (await postMultipart('sendDocument', body)).json();
    expect(sent).toMatchObject({ result: { document: { file_name: expected, file_size: 6 } } });
  });

  it.each([
    ['without a boundary', '--x--', 'multipart/form-data'],
    ['that is cut off', '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb', undefined],
    ['with a part without a name', '--x\r\ncontent-disposition: form-data\r\n\r\nb\r\n--x--', undefined],
    ['with a part without a head', '--x\r\nb\r\n--x--', undefined],
  ])('answers 400 to a multipart form %s', async (_case, body, contentType) => {
    const answer = await postMultipart('getMe', body, contentType);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ ok: false, error_code: 400 });
  });

  it('answers 404 to methods that do not exist', async () => {
    const answer = await simulator.call('sendTelepathy');
    expect(answer).toMatchObject({ status: 404, description: 'Not Found: method not found' });
  });

  it('answers 401 to an unknown token', async () => {
    const answer = await fetch(`${simulator.url}/bot1:unknown/getMe`);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ ok: false, error_code: 401, description: 'Unauthorized' });
  });

  it('answers 400 to a body that is no JSON', async () => {
    const answer = await fetch(`${simulator.url}/bot${simulator.token}/sendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"chat_id":',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ ok: false, error_code: 400 });
  });
});

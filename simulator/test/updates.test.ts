import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await startTestSimulator();
});
afterEach(() => simulator.close());

function updatesOf(answer: { readonly result: unknown }): { update_id: number; message?: { text?: string } }[] {
  return Array.isArray(answer.result) ? answer.result : [];
}

describe('polling', () => {
  it('returns updates until an offset confirms them', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    simulator.control.sendMessage(chat.id, { text: 'one' });
    simulator.control.sendMessage(chat.id, { text: 'two' });
    const first = updatesOf(await simulator.call('getUpdates'));
    expect(first.map(({ message }) => message?.text)).toEqual(['one', 'two']);
    expect(updatesOf(await simulator.call('getUpdates'))).toHaveLength(2);
    const confirmed = { offset: (first[0]?.update_id ?? 0) + 1 };
    expect(updatesOf(await simulator.call('getUpdates', confirmed)).map(({ message }) => message?.text)).toEqual([
      'two',
    ]);
    expect((first[1]?.update_id ?? 0) - (first[0]?.update_id ?? 0)).toBe(1);
  });

  it('keeps only the newest for a negative offset', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    for (const text of ['one', 'two', 'three']) simulator.control.sendMessage(chat.id, { text });
    const newest = updatesOf(await simulator.call('getUpdates', { offset: -1 }));
    expect(newest.map(({ message }) => message?.text)).toEqual(['three']);
  });

  it('waits for the next update', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const poll = simulator.call('getUpdates', { timeout: 30 });
    setTimeout(() => simulator.control.sendMessage(chat.id, { text: 'late' }), 30);
    expect(updatesOf(await poll)).toHaveLength(1);
  });

  it('ends with a conflict when another poll begins', async () => {
    const first = simulator.call('getUpdates', { timeout: 30 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = simulator.call('getUpdates', { timeout: 1 });
    expect(await first).toMatchObject({
      status: 409,
      description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    });
    expect(await second).toMatchObject({ ok: true, result: [] });
    // Polls are recorded separately, and hide no other call.
    expect(simulator.control.calls('getUpdates').map(({ status }) => status)).toEqual([409, 200]);
    expect(simulator.control.calls()).toEqual([]);
  });

  it('remembers allowed_updates, and an empty list restores the default', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    await simulator.call('getUpdates', { allowed_updates: ['callback_query'] });
    simulator.control.sendMessage(chat.id, { text: 'unheard' });
    expect(updatesOf(await simulator.call('getUpdates'))).toHaveLength(0);
    await simulator.call('getUpdates', { allowed_updates: [] });
    simulator.control.sendMessage(chat.id, { text: 'heard' });
    expect(updatesOf(await simulator.call('getUpdates'))).toHaveLength(1);
  });

  it('omits reactions unless they are requested', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const { message } = simulator.control.sendMessage(chat.id, { text: 'like me' });
    simulator.control.react(chat.id, message.message_id, { emoji: ['👍'] });
    expect(updatesOf(await simulator.call('getUpdates'))).toHaveLength(1);
    await simulator.call('getUpdates', { allowed_updates: ['message_reaction'] });
    simulator.control.react(chat.id, message.message_id, { emoji: [] });
    const [, reaction] = updatesOf(await simulator.call('getUpdates'));
    expect(reaction).toMatchObject({
      message_reaction: { old_reaction: [{ type: 'emoji', emoji: '👍' }], new_reaction: [] },
    });
  });

  it('ends when the simulator closes', async () => {
    const poll = simulator.call('getUpdates', { timeout: 30 }).catch(() => 'broken off');
    await new Promise((resolve) => setTimeout(resolve, 30));
    await simulator.close();
    expect(
      await Promise.race([poll, new Promise((resolve) => setTimeout(() => resolve('still open'), 2000))]),
    ).not.toBe('still open');
  });
});

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly update: { readonly update_id: number; readonly message: { readonly text: string } };
}

describe('a webhook', () => {
  const deliveries: Delivery[] = [];
  let answers: { status: number; body?: string; contentType?: string }[];
  let server: Server;
  let url: string;

  beforeEach(async () => {
    deliveries.length = 0;
    answers = [];
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      deliveries.push({ headers: request.headers, update: JSON.parse(Buffer.concat(chunks).toString()) });
      const answer = answers.shift() ?? { status: 200 };
      const contentType = answer.contentType ?? 'application/json';
      response.writeHead(answer.status, { 'content-type': contentType }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const until = (count: number) => expect.poll(() => deliveries.length).toBe(count);

  it('gets updates with the secret, and polling is a conflict', async () => {
    expect(await simulator.call('setWebhook', { url, secret_token: 'sesame' })).toMatchObject({ ok: true });
    const chat = simulator.control.createChat({ type: 'private' });
    simulator.control.sendMessage(chat.id, { text: 'by hook' });
    await until(1);
    expect(deliveries[0]?.headers['x-telegram-bot-api-secret-token']).toBe('sesame');
    expect(deliveries[0]?.update.message.text).toBe('by hook');
    expect(await simulator.call('getUpdates')).toMatchObject({ status: 409 });
    await expect
      .poll(async () => (await simulator.call('getWebhookInfo')).result)
      .toMatchObject({ url, pending_update_count: 0 });
  });

  it('gets an update again after a failure, and the failure is reported', async () => {
    answers = [{ status: 500 }];
    await simulator.call('setWebhook', { url });
    const chat = simulator.control.createChat({ type: 'private' });
    simulator.control.sendMessage(chat.id, { text: 'again' });
    await until(2);
    expect(deliveries[1]?.update.update_id).toBe(deliveries[0]?.update.update_id);
    expect((await simulator.call('getWebhookInfo')).result).toMatchObject({
      last_error_message: 'Wrong response from the webhook: 500',
    });
  });

  it('gets the updates of one chat in order', async () => {
    answers = [{ status: 503 }];
    const chat = simulator.control.createChat({ type: 'private' });
    for (const text of ['one', 'two', 'three']) simulator.control.sendMessage(chat.id, { text });
    await simulator.call('setWebhook', { url });
    await until(4);
    expect(deliveries.map(({ update }) => update.message.text)).toEqual(['one', 'one', 'two', 'three']);
  });

  it('may answer with a method', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    answers = [{ status: 200, body: JSON.stringify({ method: 'sendMessage', chat_id: chat.id, text: 'in reply' }) }];
    await simulator.call('setWebhook', { url });
    simulator.control.sendMessage(chat.id, { text: 'ask' });
    await simulator.control.waitFor(
      () => simulator.control.transcript(chat.id).some(({ message }) => message.text === 'in reply'),
      60_000,
    );
  });

  it.each(['multipart/form-data', 'application/x-www-form-urlencoded'])(
    'may answer with a method in a form: %s',
    async (type) => {
      const chat = simulator.control.createChat({ type: 'private' });
      const fields = { method: 'sendMessage', chat_id: String(chat.id), text: 'in reply & more', parse_mode: 'HTML' };
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      const response = new Response(type === 'multipart/form-data' ? form : new URLSearchParams(fields));
      const contentType = response.headers.get('content-type') ?? '';
      answers = [{ status: 200, body: await response.text(), contentType }];
      await simulator.call('setWebhook', { url });
      simulator.control.sendMessage(chat.id, { text: 'ask' });
      await simulator.control.waitFor(
        () => simulator.control.transcript(chat.id).some(({ message }) => message.text === 'in reply & more'),
        60_000,
      );
    },
  );

  it('may answer with a file in a form', async () => {
    const chat = simulator.control.createChat({ type: 'private' });
    const form = new FormData();
    form.append('method', 'sendDocument');
    form.append('chat_id', String(chat.id));
    form.append('document', new File(['bytes'], 'a.txt'));
    const response = new Response(form);
    answers = [{ status: 200, body: await response.text(), contentType: response.headers.get('content-type') ?? '' }];
    await simulator.call('setWebhook', { url });
    simulator.control.sendMessage(chat.id, { text: 'ask' });
    await simulator.control.waitFor(
      () => simulator.control.transcript(chat.id).some(({ message }) => message.document?.file_name === 'a.txt'),
      60_000,
    );
  });

  it.each(['ok', '', '<html>', '--x\r\n'])('may answer with anything else: %s', async (body) => {
    answers = [{ status: 200, body, contentType: 'multipart/form-data; boundary=x' }];
    await simulator.call('setWebhook', { url });
    const chat = simulator.control.createChat({ type: 'private' });
    simulator.control.sendMessage(chat.id, { text: 'once' });
    await expect
      .poll(async () => (await simulator.call('getWebhookInfo')).result)
      .toMatchObject({ pending_update_count: 0 });
    expect(deliveries).toHaveLength(1);
  });

  it('is removed by deleteWebhook', async () => {
    await simulator.call('setWebhook', { url });
    await simulator.call('deleteWebhook');
    const chat = simulator.control.createChat({ type: 'private' });
    simulator.control.sendMessage(chat.id, { text: 'polled' });
    expect(updatesOf(await simulator.call('getUpdates'))).toHaveLength(1);
    expect(deliveries).toHaveLength(0);
  });

  it('must be HTTPS, or on this machine', async () => {
    expect((await simulator.call('setWebhook', { url: 'http://example.org/hook' })).description).toBe(
      'Bad Request: bad webhook: An HTTPS URL must be provided for webhook',
    );
    expect((await simulator.call('setWebhook', { url: 'https://example.org/hook' })).description).toContain('loopback');
  });
});

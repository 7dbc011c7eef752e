import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Bot, InputFile } from 'grammy';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { toGrammySignal } from '../../../src/telegram/grammy-signal.ts';
import { createTelegramClient } from '../../../src/telegram/telegram-client.ts';
import { classifyTelegramError } from '../../../src/telegram/telegram-errors.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';
import { failureOf } from '../../support/hosts/provider-under-test.ts';
import { createScriptedTelegram } from '../../support/hosts/scripted-telegram.ts';
import { createFakeClock } from '../../support/machine/fake-clock.ts';

const TOKEN = '123456789:AAsecretsecretsecretsecretsecretsecr';
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that handles every request as the test says. */
async function listen(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer({}, handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function createRealClient(apiRoot: string, options: Parameters<typeof createTelegramClient>[1] = {}) {
  const { logger } = createRecordingLogger();
  const client = createTelegramClient({ token: TOKEN, apiRoot, clock: systemClock, logger }, options);
  closers.push(() => client.close());
  return client;
}

describe('errors of the client', () => {
  it('never contain the token, whatever breaks', async () => {
    const reset = await listen((request) => request.socket.destroy());
    const html = await listen((_request, response) => response.writeHead(502).end('<html>bad gateway</html>'));
    const refusing = await listen(() => undefined);
    const errors = [
      await failureOf(createRealClient(reset).api.getMe()),
      await failureOf(createRealClient(html).api.sendMessage(1, 'x')),
      await failureOf(createRealClient(refusing, { timeoutMs: 50 }).api.sendMessage(1, 'x')),
      await failureOf(createRealClient('http://127.0.0.1:1').api.sendMessage(1, 'x')),
      await failureOf(createRealClient(reset).api.sendDocument(1, new InputFile(Buffer.from('x')))),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('AAsecret');
    }
    expect(errors.map((error) => classifyTelegramError(error).kind)).toEqual([
      'unclear',
      'unclear',
      'unclear',
      'not-sent',
      'unclear',
    ]);
  });

  it("contain Telegram's error message", async () => {
    const root = await listen((_request, response) =>
      response.end(JSON.stringify({ ok: false, error_code: 400, description: 'Bad Request: chat not found' })),
    );
    const error = await failureOf(createRealClient(root).api.sendMessage(1, 'x'));
    expect(error).toMatchObject({ error_code: 400, description: 'Bad Request: chat not found' });
  });
});

describe('timeouts', () => {
  function setUp() {
    const clock = createFakeClock();
    const telegram = createScriptedTelegram({ clock });
    telegram.decide(() => 'hang');
    const { logger } = createRecordingLogger();
    const client = createTelegramClient({ token: TOKEN, clock, logger }, { fetch: telegram.fetch });
    const startedAt = clock.now();
    const durationOf = async (call: Promise<unknown>) => {
      let endedAt = 0;
      const failure = failureOf(call).then((error) => {
        endedAt = clock.now();
        return classifyTelegramError(error).kind;
      });
      await clock.advance(10 * 60_000);
      return { kind: await failure, durationMs: endedAt - startedAt };
    };
    return { client, durationOf };
  }

  it('end a send after 30 s, with an unclear outcome', async () => {
    const { client, durationOf } = setUp();
    expect(await durationOf(client.api.sendMessage(1, 'x'))).toEqual({ kind: 'unclear', durationMs: 30_000 });
  });

  it('end an edit of a preview after 8 s, but allow a send of a preview its full time', async () => {
    const edit = setUp();
    const call = edit.client.withPriority('preview').editMessageText(1, 2, 'x');
    expect(await edit.durationOf(call)).toEqual({ kind: 'unclear', durationMs: 8000 });
    const send = setUp();
    expect(await send.durationOf(send.client.withPriority('preview').sendMessage(1, 'x'))).toEqual({
      kind: 'unclear',
      durationMs: 30_000,
    });
  });

  it('allow long polling the time it requested', async () => {
    const { client, durationOf } = setUp();
    expect(await durationOf(client.api.getUpdates({ timeout: 50 }))).toEqual({ kind: 'unclear', durationMs: 65_000 });
  });

  it('do not hide an abort by the caller', async () => {
    const { client, durationOf } = setUp();
    const controller = new AbortController();
    const call = client.api.sendMessage(1, 'x', {}, toGrammySignal(controller.signal));
    controller.abort();
    expect((await durationOf(call)).kind).toBe('aborted');
  });
});

it('a grammY bot shares the flood control of the client, also in its contexts', async () => {
  const clock = createFakeClock();
  const telegram = createScriptedTelegram({ clock, latencyMs: 0 });
  const { logger } = createRecordingLogger();
  const client = createTelegramClient({ token: TOKEN, clock, logger }, { fetch: telegram.fetch });
  const bot = new Bot(TOKEN, {
    client: client.apiOptions,
    botInfo: { id: 1, is_bot: true, first_name: 'bot', username: 'bot' } as Bot['botInfo'],
  });
  bot.api.config.use(...client.transformers('interactive'));
  bot.on('message', async (ctx) => {
    for (let n = 0; n < 4; n++) await ctx.reply('x');
  });
  const from = { id: 7, is_bot: false, first_name: 'A' };
  const message = { message_id: 1, date: 0, text: 'hi', chat: { id: 7, type: 'private', first_name: 'A' }, from };
  const handled = Promise.all([
    bot.handleUpdate({ update_id: 1, message } as Parameters<Bot['handleUpdate']>[0]),
    client.api.sendMessage(7, 'y'),
  ]);
  await clock.advance(100);
  expect(telegram.calls).toHaveLength(4);
  await clock.advance(3000);
  await handled;
  expect(telegram.calls).toHaveLength(5);
});

it('a send is repeated without the reply if Telegram refuses the reply and the call allows that', async () => {
  const clock = createFakeClock();
  const telegram = createScriptedTelegram({ clock, latencyMs: 0 });
  const { logger } = createRecordingLogger();
  const client = createTelegramClient({ token: TOKEN, clock, logger }, { fetch: telegram.fetch });
  telegram.decide(({ payload }) =>
    payload['reply_parameters'] ? { status: 400, description: 'Bad Request: REPLY_MESSAGE_ID_INVALID' } : 'normal',
  );
  const send = (allows: boolean) =>
    client.api.sendMessage(7, 'x', { reply_parameters: { message_id: 3, allow_sending_without_reply: allows } });
  const allowed = send(true);
  const strict = send(false).catch((error: unknown) => classifyTelegramError(error).kind);
  await clock.advance(100);
  expect(await allowed).toMatchObject({ message_id: expect.any(Number) });
  expect(await strict).toBe('reply-target-gone');
  expect(telegram.transcript(7)).toHaveLength(1);
});

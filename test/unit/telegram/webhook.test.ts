import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { createWebhook } from '../../../src/telegram/updates/webhook.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';

const SECRET = 'a-secret-of-Telegram_and-us';

function setUp() {
  const { logger, lines } = createRecordingLogger();
  const webhook = createWebhook({ logger }, { secret: SECRET });
  const server = fastify();
  onTestFinished(() => server.close());
  server.register(webhook.plugin);
  const bring = async (body: object, secret = SECRET) => {
    const headers = { 'x-telegram-bot-api-secret-token': secret };
    return (await server.inject({ method: 'POST', url: '/webhook', headers, payload: body })).statusCode;
  };
  return { webhook, bring, lines };
}

it('answers as soon as an update is stored, and not before', async () => {
  const { webhook, bring } = setUp();
  const keeping = Promise.withResolvers<boolean>();
  const given: number[] = [];
  webhook.receiveWith((update) => {
    given.push(update.update_id);
    return keeping.promise;
  });
  let status: number | undefined;
  const answered = bring({ update_id: 7 }).then((code) => {
    status = code;
  });
  await expect.poll(() => given).toEqual([7]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(status).toBeUndefined();
  keeping.resolve(true);
  await answered;
  expect(status).toBe(200);
});

it('asks Telegram to retry while the inbox is not running, is full, or fails to store', async () => {
  const { webhook, bring, lines } = setUp();
  expect(await bring({ update_id: 1 })).toBe(503);
  webhook.receiveWith(async () => false);
  expect(await bring({ update_id: 1 })).toBe(503);
  expect(await bring({ update_id: 1 })).toBe(503);
  webhook.receiveWith(() => Promise.reject(new Error('no database')));
  expect(await bring({ update_id: 1 })).toBe(500);
  webhook.receiveWith(async () => true);
  expect(await bring({ update_id: 1 })).toBe(200);
  // Logged once, not at each attempt.
  expect(lines.filter((line) => line.includes('too many updates are waiting'))).toHaveLength(1);
});

it('ignores requests without the secret', async () => {
  const { webhook, bring } = setUp();
  const given: number[] = [];
  webhook.receiveWith(async (update) => given.push(update.update_id) > 0);
  for (const secret of ['', SECRET.slice(1), `${SECRET}x`, SECRET.toUpperCase()])
    expect(await bring({ update_id: 1 }, secret)).toBe(401);
  expect(given).toEqual([]);
});

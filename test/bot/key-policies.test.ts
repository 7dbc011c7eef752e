import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKeys, markAdminRules } from '../../src/core/accounts/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import type { Actor } from '../support/harness/users.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';

let harness: BotHarness;
beforeAll(async () => {
  harness = await createBotHarness({
    models: [createModelEntry('basic'), createModelEntry('clever')],
    plans: { small: { key: { usdPerDay: 2 } } },
  });
});
afterAll(() => harness.close());

const SECRET = /sk-sb-[\w-]{43}/;

/** Creates a key and shows it. */
async function showKey(owner: Actor, name = 'laptop') {
  owner.writes(`/key ${name}`);
  const { message } = await harness.sees(owner.chatId, SECRET);
  const secret = SECRET.exec(message.text ?? '')?.[0] ?? '';
  await owner.presses('Done, hide it');
  await harness.sees(owner.chatId, /Your API keys: /);
  await owner.presses(`${name} · ${secret.slice(0, 10)}…`);
  await harness.sees(owner.chatId, /It may use all models, without limits of its own\./);
  const { id: userId } = await harness.accounts.ensureTelegramUser(owner.id);
  const keys = await harness.apiKeys.list(userId);
  const keyId = keys.find(({ label }) => label === name)?.id ?? 0;
  return { secret, userId, keyId };
}

/** Text and button rows of the newest message. */
function newest(chatId: number) {
  const message = harness.telegram.transcript(chatId).at(-1)?.message;
  const rows = message?.reply_markup?.inline_keyboard.map((row) => row.map((button) => button.text).join(' | '));
  return { text: message?.text ?? '', rows: rows ?? [] };
}

const policyOf = async ({ userId, keyId }: { userId: number; keyId: number }) =>
  (await harness.apiKeys.find(userId, keyId))?.policy;

test('a key has six buttons', async () => {
  const ann = harness.user('Ann');
  await showKey(ann);
  expect(newest(ann.chatId).rows).toEqual(['Limits | New secret', 'Pause | Revoke', 'Rename | All keys']);
});

describe('limits', () => {
  test('models: providers are switched, patterns are typed, and bad ones are explained', async () => {
    const ann = harness.user('Ann');
    const key = await showKey(ann);
    await ann.presses('Limits');
    await harness.sees(ann.chatId, /Models: all\nExpires: never\nLimits: none\nBudget: none/);
    await ann.presses('Models');
    await harness.sees(ann.chatId, /Which models may this key use\?/);
    const provider = newest(ann.chatId).rows[0]?.split(' | ')[0] ?? '';
    await ann.presses(provider);
    await harness.sees(ann.chatId, /\d of 2 connected models/);
    expect((await policyOf(key))?.allowedModels).toEqual([`${provider}/*`]);
    await ann.presses(`✓ ${provider}`);
    await expect.poll(async () => (await policyOf(key))?.allowedModels).toBeUndefined();
    await ann.presses('Names and patterns…');
    await harness.sees(ann.chatId, /^Send me the models that the key may use/);
    ann.writes('a'.repeat(201));
    await harness.sees(ann.chatId, /^Send up to 50 names or patterns/);
    ann.writes('cle*, gpt-*');
    await harness.sees(ann.chatId, /Models: cle\*, gpt-\* \(1 of 2 connected models\)/);
    expect((await policyOf(key))?.allowedModels).toEqual(['cle*', 'gpt-*']);
  });

  test('a list that matches nothing is stored and says so', async () => {
    const ann = harness.user('Ann');
    const key = await showKey(ann);
    await ann.presses('Limits');
    await ann.presses('Models');
    await ann.presses('Names and patterns…');
    ann.writes('nothing-like-this');
    await harness.sees(ann.chatId, /Models: nothing-like-this \(0 of 2 connected models\)/);
    expect((await policyOf(key))?.allowedModels).toEqual(['nothing-like-this']);
  });

  test('expiry, rates and budgets by buttons and by text', async () => {
    const ann = harness.user('Ann');
    const key = await showKey(ann);
    await ann.presses('Limits');
    await ann.presses('Expiry');
    await ann.presses('Date…');
    await harness.sees(ann.chatId, /^Send me the date on which the key expires/);
    ann.writes('2020-01-01');
    await harness.sees(ann.chatId, /^This is not a date in the next ten years\./);
    ann.writes('2030-03-31');
    await harness.sees(ann.chatId, /Expires: 31 Mar 2030, 00:00 UTC/);
    await ann.presses('Requests per minute');
    await ann.presses('60');
    await harness.sees(ann.chatId, /Limits: 60 requests per minute/);
    await ann.presses('Tokens per day');
    await ann.presses('Number…');
    ann.writes('many');
    await harness.sees(ann.chatId, /^Send a whole number from 1 to 1,000,000,000,000/);
    ann.writes('250k');
    await harness.sees(ann.chatId, /Limits: 60 requests per minute, 250,000 tokens per day/);
    await ann.presses('$ per day');
    await ann.presses('$5');
    await harness.sees(ann.chatId, /Budget: \$5 per day/);
    await ann.presses('$ in total');
    await ann.presses('Amount…');
    ann.writes('1e308');
    await harness.sees(ann.chatId, /^This is not an amount in dollars\./);
    ann.writes('2.50');
    await harness.sees(ann.chatId, /Budget: \$5 per day, \$2\.5 in total/);
    expect(await policyOf(key)).toMatchObject({
      expiresAt: new Date('2030-03-31T00:00:00Z'),
      requestsPerMinute: 60,
      tokensPerDay: 250_000,
    });
    expect(await harness.budgets.readBudget(`key:${key.keyId}`)).toMatchObject({ usdPerDay: 5, usdTotal: 2.5 });
    await ann.presses('$ per day');
    await harness.sees(ann.chatId, /spend per day\?[\s\S]*$/);
    await ann.presses('No budget');
    await harness.sees(ann.chatId, /Budget: \$2\.5 in total/);
    await ann.presses('Back');
    await harness.sees(
      ann.chatId,
      /Created on [\s\S]*Expires: 31 Mar 2030[\s\S]*Limits: 60[\s\S]*Budget: \$2\.5 in total/,
    );
    expect(newest(ann.chatId).text).not.toContain('Models');
  });
});

test('an owner can not set a budget above that of the plan', async () => {
  const ann = harness.user('Ann');
  const { keyId, userId } = await showKey(ann);
  await harness.accounts.setPlan(userId, 'small');
  await ann.presses('Limits');
  await ann.presses('$ per day');
  await harness.sees(ann.chatId, /spend per day/);
  expect(await ann.presses('$5')).toBe('Your plan allows a key at most $2 here. Choose a lower amount.');
  await ann.presses('Amount…');
  ann.writes('2.01');
  await harness.sees(ann.chatId, /^Your plan allows a key at most \$2 here\./);
  ann.writes('2');
  await harness.sees(ann.chatId, /Budget: \$2 per day/);
  expect(await harness.budgets.readBudget(`key:${keyId}`)).toMatchObject({ usdPerDay: 2 });
});

test('name and note are changed together', async () => {
  const ann = harness.user('Ann');
  const key = await showKey(ann);
  await ann.presses('Rename');
  await harness.sees(ann.chatId, /^Send me the new name\. Further lines/);
  ann.writes(`server\n${'x'.repeat(501)}`);
  await harness.sees(ann.chatId, /^The note, below the first line, must have at most 500 characters/);
  ann.writes('server\nof the shop');
  await harness.sees(ann.chatId, /^server\nsk-sb-.{4}…\nof the shop\n[\s\S]*Renamed\.$/);
  await ann.presses('Rename');
  ann.writes('shop server');
  await harness.sees(ann.chatId, /^shop server\nsk-sb-.{4}…\nof the shop/);
  await ann.presses('Rename');
  ann.writes('shop server\n-');
  await expect.poll(() => policyOf(key)).toMatchObject({ note: undefined });
});

test('a paused key is refused until it is resumed', async () => {
  const ann = harness.user('Ann');
  const { secret } = await showKey(ann);
  expect(await ann.presses('Pause')).toBe('Paused: programs with this key are refused.');
  await harness.sees(ann.chatId, /Paused since /);
  await expect
    .poll(() => harness.accounts.findByApiKey(secret).catch((error: { reason: string }) => error.reason))
    .toBe('paused');
  await ann.presses('All keys');
  await harness.sees(ann.chatId, /Your API keys/);
  expect(newest(ann.chatId).rows[0]).toBe(`laptop · ${secret.slice(0, 10)}… · paused`);
  await ann.presses(`laptop · ${secret.slice(0, 10)}… · paused`);
  await harness.sees(ann.chatId, /Paused since /);
  expect(await ann.presses('Resume')).toBe('The key works again.');
});

test('an owner can not change what an admin has set', async () => {
  const REFUSAL = 'An admin has set this. Only an admin can change it.';
  const ann = harness.user('Ann');
  const { keyId, userId } = await showKey(ann);
  const keys = createApiKeys({ db: harness.db, clock: systemClock }, { isAdmin: true });
  await keys.pause(userId, keyId);
  await keys.change(userId, keyId, { allowedModels: ['cheap-*'], tokensPerDay: 5 });
  await markAdminRules(harness.db, keyId, { set: ['budget'], removed: [] });
  await ann.presses('All keys');
  await harness.sees(ann.chatId, /Your API keys/);
  await ann.presses(newest(ann.chatId).rows[0] ?? '');
  await harness.sees(ann.chatId, /Paused since /);
  expect(await ann.presses('Resume')).toBe(REFUSAL);
  await ann.presses('Limits');
  await ann.presses('Models');
  await harness.sees(ann.chatId, /Which models/);
  expect(await ann.presses('All models')).toBe(REFUSAL);
  await ann.presses('Back');
  await harness.sees(ann.chatId, /The limits of your account/);
  await ann.presses('Tokens per day');
  await harness.sees(ann.chatId, /How many tokens/);
  await ann.presses('Number…');
  await harness.sees(ann.chatId, /Send me the number of tokens/);
  ann.writes('100k');
  await harness.sees(ann.chatId, REFUSAL);
  await ann.presses('Back');
  await harness.sees(ann.chatId, /The limits of your account/);
  await ann.presses('$ per day');
  await harness.sees(ann.chatId, /spend per day/);
  expect(await ann.presses('$1')).toBe(REFUSAL);
  expect(await harness.apiKeys.find(userId, keyId)).toMatchObject({
    policy: { allowedModels: ['cheap-*'], tokensPerDay: 5 },
    pausedAt: expect.any(Date),
  });
});

test('a new secret is shown once, and the old one works for the chosen time', async () => {
  const ann = harness.user('Ann');
  const { secret: old, keyId } = await showKey(ann);
  await ann.presses('New secret');
  await harness.sees(ann.chatId, /gets a new secret; its limits and its usage stay/);
  expect(newest(ann.chatId).rows).toEqual(['At once | In 1 hour', 'In 1 day | In 7 days', 'Back']);
  await ann.presses('In 1 day');
  const { message } = await harness.sees(ann.chatId, /The new secret of “laptop”[\s\S]*The old one works until /);
  const secret = SECRET.exec(message.text ?? '')?.[0] ?? '';
  expect(secret).not.toBe(old);
  expect(message.reply_markup?.inline_keyboard[0]?.[0]).toMatchObject({ copy_text: { text: secret } });
  for (const one of [old, secret]) expect(await harness.accounts.findByApiKey(one)).toMatchObject({ keyId });
  await ann.presses('Done, hide it');
  await harness.sees(ann.chatId, /Your API keys/);
  expect(harness.lines(ann.chatId).join('\n')).not.toContain(secret);
  expect(harness.log.join('\n')).not.toContain(secret.slice(6));
  await ann.presses(`laptop · ${secret.slice(0, 10)}…`);
  await harness.sees(ann.chatId, /The old secret works until /);
});

test('keys for management are for admins, with a warning', async () => {
  const ann = harness.user('Ann');
  ann.writes('/key');
  await harness.sees(ann.chatId, /You have no API key yet/);
  expect(newest(ann.chatId).rows).toEqual(['New key', 'Close']);
  const chief = harness.operator('Chief');
  chief.writes('/key');
  await harness.sees(chief.chatId, /You have no API key yet/);
  await chief.presses('New key for management');
  await harness.sees(chief.chatId, /Whoever has it controls this service\./);
  await chief.presses('Create it');
  await harness.sees(chief.chatId, /^What is the key for\?/);
  chief.writes('console');
  const { message } = await harness.sees(chief.chatId, SECRET);
  const secret = SECRET.exec(message.text ?? '')?.[0] ?? '';
  expect(await harness.accounts.findByApiKey(secret)).toMatchObject({ scope: 'manage', isAdmin: true });
});

describe('a new network', () => {
  const use = async (keyId: number, ...addresses: readonly string[]) => {
    for (const address of addresses) {
      harness.keyUses.record(keyId, '/ai/openai/chat/completions', address);
      await harness.keyUses.flush();
    }
  };

  test('is reported once, and the key can be revoked at once', async () => {
    const ann = harness.user('Ann');
    const { keyId, secret } = await showKey(ann);
    await use(keyId, '203.0.113.7', '203.0.113.8', '198.51.100.1', '198.51.100.2');
    await harness.sees(
      ann.chatId,
      /^One of your API keys was used from a new network\.\n\nlaptop\nsk-sb-.{4}…\nFrom 198\.51\.100\.0\/24, \/ai\/openai\/chat\/completions, .* UTC\n\nWas it you/,
    );
    expect(harness.lines(ann.chatId).filter((line) => line.includes('new network'))).toHaveLength(1);
    expect(await ann.presses('Revoke the key')).toBe('The key is revoked.');
    await harness.sees(ann.chatId, /From 198\.51\.100\.0\/24[\s\S]*\n\nThe key is revoked\.$/);
    expect(newest(ann.chatId).rows).toEqual([]);
    await expect.poll(() => harness.accounts.findByApiKey(secret)).toBeUndefined();
  });

  test('can be confirmed', async () => {
    const ann = harness.user('Ann');
    const { keyId } = await showKey(ann);
    await use(keyId, '203.0.113.7', '198.51.100.1');
    await harness.sees(ann.chatId, /^One of your API keys/);
    await ann.presses('It was me');
    await harness.sees(ann.chatId, /From 198\.51\.100\.0\/24[\s\S]*\n\nIt was you\.$/);
    await use(keyId, '203.0.113.7', '198.51.100.1');
    expect(harness.lines(ann.chatId).filter((line) => line.includes('new network'))).toHaveLength(1);
  });

  test('is not reported to users who have blocked the bot', async () => {
    const ann = harness.user('Ann');
    const { keyId } = await showKey(ann);
    await harness.accounts.recordReachability(ann.id, false);
    await use(keyId, '203.0.113.7', '198.51.100.1');
    await harness.accounts.recordReachability(ann.id, true);
    await use(keyId, '192.0.2.1');
    await harness.sees(ann.chatId, /From 192\.0\.2\.0\/24/);
    expect(harness.lines(ann.chatId).filter((line) => line.includes('new network'))).toHaveLength(1);
  });
});

import { describe, expect, onTestFinished, test } from 'vitest';
import { createApiKeys } from '../../src/core/accounts/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import type { Actor } from '../support/harness/users.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    models: [createModelEntry('basic'), createModelEntry('clever')],
  }),
);

const SECRET = /sk-sb-[\w-]{43}/;

/** Creates a key and shows it. */
async function showKey(owner: Actor, name = 'laptop', bot = harness) {
  owner.writes(`/key ${name}`);
  const { message } = await bot.sees(owner.chatId, SECRET);
  const secret = SECRET.exec(message.text ?? '')?.[0] ?? '';
  await owner.presses('Done, hide it');
  await bot.sees(owner.chatId, /Your API keys: /);
  await owner.presses(`${name} · ${secret.slice(0, 10)}…`);
  await bot.sees(owner.chatId, /It may use all models, without limits of its own\./);
  const { id: userId } = await bot.accounts.ensureTelegramUser(owner.id);
  const keys = await bot.apiKeys.list(userId);
  const keyId = keys.find(({ label }) => label === name)?.id ?? 0;
  return { secret, userId, keyId };
}

/** Text and button rows of the newest message. */
function newest(chatId: number) {
  const message = harness.telegram.transcript(chatId).at(-1)?.message;
  const buttons = message?.reply_markup?.inline_keyboard ?? [];
  return { text: message?.text ?? '', buttons, rows: buttons.map((row) => row.map(({ text }) => text).join(' | ')) };
}

const policyOf = async ({ userId, keyId }: { userId: number; keyId: number }) =>
  (await harness.apiKeys.find(userId, keyId))?.policy;

test('a key has six buttons', async () => {
  const ann = harness.user('Ann');
  await showKey(ann);
  expect(newest(ann.chatId).rows).toEqual(['Limits | New secret', 'Pause | Revoke', 'Rename | All keys']);
});

describe('limits', () => {
  test('are shown in words, and set in the console, which opens at the key', async () => {
    const ann = harness.user('Ann');
    const { keyId, userId } = await showKey(ann);
    await ann.presses('Limits');
    await harness.sees(ann.chatId, /Models: all\nExpires: never\nLimits: none\nBudget: none\n[\s\S]*in the console/);
    expect(newest(ann.chatId).rows).toEqual(['Open here', 'Open in a browser', 'Back']);
    const [[app], [browser]] = newest(ann.chatId).buttons as [[object], [{ readonly url: string }]];
    expect(app).toMatchObject({ web_app: { url: `https://ai.example.org/console/?page=keys/${keyId}` } });
    const { search, hash } = new URL(browser.url);
    expect(search).toBe(`?page=keys/${keyId}`);
    const code = new URLSearchParams(hash.slice(1)).get('code') ?? '';
    expect(await harness.sessions.signIn(code, 'Mozilla/5.0')).toBeDefined();

    await harness.apiKeys.change(userId, keyId, {
      allowedModels: ['cle*', 'gpt-*'],
      expiresAt: new Date('2030-03-31T00:00:00Z'),
      requestsPerMinute: 60,
      tokensPerDay: 250_000,
    });
    await harness.budgets.setBudget(`key:${keyId}`, { usdPerDay: 5, usdTotal: 2.5 });
    await ann.presses('Back');
    await harness.sees(
      ann.chatId,
      /Created on [\s\S]*Models: cle\*, gpt-\* \(1 of 2 connected models\)\nExpires: 31 Mar 2030, 00:00 UTC\nLimits: 60 requests per minute, 250,000 tokens per day\nBudget: \$5 per day, \$2\.5 in total$/,
    );
    await harness.apiKeys.change(userId, keyId, { allowedModels: ['nothing-like-this'] });
    await ann.presses('Limits');
    await harness.sees(ann.chatId, /Models: nothing-like-this \(0 of 2 connected models\)/);
  });

  test('lead to the console by a link where Telegram can not open it', async () => {
    const local = await createBotHarness({
      change: (deps) => ({ ...deps, consoleUrl: 'http://127.0.0.1:8080/console/' }),
    });
    onTestFinished(() => local.close());
    const ann = local.user('Ann');
    await showKey(ann, 'laptop', local);
    await ann.presses('Limits');
    const { message } = await local.sees(ann.chatId, /https address/);
    expect(message.text).toMatch(/\nhttp:\/\/127\.0\.0\.1:8080\/console\/\?page=keys\/\d+#code=[\w-]+\n/);
    expect(message.reply_markup?.inline_keyboard).toHaveLength(1);
  });
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
  await ann.presses('All keys');
  await harness.sees(ann.chatId, /Your API keys/);
  await ann.presses(newest(ann.chatId).rows[0] ?? '');
  await harness.sees(ann.chatId, /Paused since /);
  expect(await ann.presses('Resume')).toBe(REFUSAL);
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
  const use = async (keyId: number, addresses: readonly string[], { keyUses } = harness) => {
    for (const address of addresses) {
      keyUses.record(keyId, '/ai/openai/chat/completions', address);
      await keyUses.flush();
    }
  };

  test('is reported once, and the key can be revoked at once', async () => {
    const ann = harness.user('Ann');
    const { keyId, secret } = await showKey(ann);
    await use(keyId, ['203.0.113.7', '203.0.113.8', '198.51.100.1', '198.51.100.2']);
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
    await use(keyId, ['203.0.113.7', '198.51.100.1']);
    await harness.sees(ann.chatId, /^One of your API keys/);
    await ann.presses('It was me');
    await harness.sees(ann.chatId, /From 198\.51\.100\.0\/24[\s\S]*\n\nIt was you\.$/);
    await use(keyId, ['203.0.113.7', '198.51.100.1']);
    expect(harness.lines(ann.chatId).filter((line) => line.includes('new network'))).toHaveLength(1);
  });

  test('is not reported to users who have blocked the bot', async () => {
    const ending = await createBotHarness();
    onTestFinished(() => ending.close());
    const [ann, bob] = [ending.user('Ann'), ending.user('Bob')];
    const { keyId: anns } = await showKey(ann, 'laptop', ending);
    const { keyId: bobs } = await showKey(bob, 'laptop', ending);
    await ending.accounts.recordReachability(ann.id, false);
    for (const keyId of [anns, bobs]) await use(keyId, ['203.0.113.7', '198.51.100.1'], ending);
    await ending.sees(bob.chatId, /^One of your API keys was used from a new network/);
    // Sends the notices that wait.
    await ending.bot.stop();
    expect(ending.lines(ann.chatId).filter((line) => line.includes('new network'))).toEqual([]);
  });
});

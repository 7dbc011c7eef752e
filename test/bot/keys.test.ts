import { describe, expect, test } from 'vitest';
import { createKeyUses } from '../../src/core/accounts/index.ts';
import { apiKeys } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { API_URL } from '../support/harness/bot-services.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness({ plans: { small: { key: { usdPerMonth: 4 } } } }));

const KEY = /sk-sb-[\w-]{43}/;

/** Text and button rows of the newest message. */
function newest(chatId: number) {
  const message = harness.telegram.transcript(chatId).at(-1)?.message;
  const rows = message?.reply_markup?.inline_keyboard.map((row) => row.map((button) => button.text).join(' | '));
  return { text: message?.text ?? '', rows: rows ?? [], message };
}

/** Creates a key with /key. @returns the key as shown. */
async function makeKey(
  owner: { readonly chatId: number; writes(text: string): number; presses(label: string): Promise<string> },
  name: string,
) {
  owner.writes('/key');
  await harness.sees(owner.chatId, /API key/);
  await owner.presses('New key');
  await harness.sees(owner.chatId, /^What is the key for\?/);
  owner.writes(name);
  const { message } = await harness.sees(owner.chatId, KEY);
  return { key: KEY.exec(message.text ?? '')?.[0] ?? '', message };
}

describe('/key', () => {
  test('creates a key that works at once, and shows it once as a spoiler', async () => {
    const ann = harness.user('Ann');
    ann.writes('/key');
    const empty = await harness.sees(ann.chatId, /You have no API key yet/);
    expect(empty.message.text).toContain(API_URL);
    const { key, message } = await makeKey(ann, 'laptop');
    expect(message.text).toContain('Your new key “laptop”');
    expect(message.text).toContain(`Base URL: ${API_URL}`);
    const cover = message.entities?.find(({ type }) => type === 'spoiler');
    expect(message.text?.slice(cover?.offset, (cover?.offset ?? 0) + (cover?.length ?? 0))).toBe(key);
    expect(message.reply_markup?.inline_keyboard[0]?.[0]).toMatchObject({ copy_text: { text: key } });

    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    expect(await harness.accounts.findByApiKey(key)).toMatchObject({ userId: id, plan: 'free' });

    await ann.presses('Done, hide it');
    await harness.sees(ann.chatId, /Your API keys: 1 of 10\./);
    expect(harness.lines(ann.chatId).join('\n')).not.toContain(key);
    expect(newest(ann.chatId).rows).toEqual([`laptop · ${key.slice(0, 10)}…`, 'New key', 'Close']);
  });

  test('creates a key with a budget in one step, within the plan, and explains what it does not understand', async () => {
    const budgetOf = async (text: string) => {
      const user = harness.user('Ann');
      user.writes(text);
      const { message } = await harness.sees(user.chatId, KEY);
      const { id } = await harness.accounts.ensureTelegramUser(user.id);
      const [key] = await harness.apiKeys.list(id);
      const budget = await harness.budgets.readBudget(`key:${key?.id}`);
      return [key?.label, message.text?.split('\n').find((line) => line.startsWith('Budget')), budget];
    };
    const none = { usdPerDay: undefined, usdPerMonth: undefined, usdTotal: undefined };
    expect(await budgetOf('/key laptop $5')).toEqual(['laptop', 'Budget: $5 per month', { ...none, usdPerMonth: 5 }]);
    expect(await budgetOf('/key my desk $0,50/день')).toEqual([
      'my desk',
      'Budget: $0.5 per day',
      { ...none, usdPerDay: 0.5 },
    ]);
    expect(await budgetOf('/key US$ desk $20 in total')).toEqual([
      'US$ desk',
      'Budget: $20 in total',
      { ...none, usdTotal: 20 },
    ]);
    expect(await budgetOf('/key 5 dollars')).toEqual(['5 dollars', undefined, none]);
    for (const wrong of ['$-5', '$NaN', '$1e3', '$', '$5 a week', '$5 $6', '$1000001', '$0.0000000001', '$99999999']) {
      const user = harness.user('Ann');
      user.writes(`/key laptop ${wrong}`);
      await harness.sees(user.chatId, /^I don’t understand the budget/);
      expect(await harness.apiKeys.list((await harness.accounts.ensureTelegramUser(user.id)).id)).toEqual([]);
    }
    const bob = harness.user('Bob');
    await harness.accounts.setPlan((await harness.accounts.ensureTelegramUser(bob.id)).id, 'small');
    bob.writes('/key laptop $5');
    await harness.sees(bob.chatId, /^Your plan allows a key at most \$4 here/);
    const ann = harness.user('Ann');
    ann.writes('/key $5');
    await harness.sees(ann.chatId, /^A name must be 1 to 40 characters/);
    ann.writes('laptop $7/day');
    await harness.sees(ann.chatId, /“laptop”[\s\S]*Budget: \$7 per day/);
  });

  test('creates a key at once when its name is given', async () => {
    const ann = harness.user('Ann');
    ann.writes('/key work laptop');
    const { message } = await harness.sees(ann.chatId, KEY);
    expect(message.text).toContain('Your new key “work laptop”');
    await ann.presses('Done, hide it');
    await harness.sees(ann.chatId, /Your API keys: 1 of 10\./);
    ann.writes(`/key ${'x'.repeat(41)}`);
    await harness.sees(ann.chatId, 'A name must be 1 to 40 characters. Send me another one.');
  });

  test('stores only the hash and the first characters of a key', async () => {
    const ann = harness.user('Ann');
    const { key } = await makeKey(ann, 'secret keeper');
    const rows = await harness.db.select().from(apiKeys);
    expect(rows.map(({ prefix }) => prefix)).toContain(key.slice(0, 10));
    expect(JSON.stringify(rows)).not.toContain(key.slice(0, 14));
    expect(harness.log.join('\n')).not.toContain(key.slice(0, 14));
  });

  test('shows when and from where a key was used, renames it, and revokes it after a confirmation', async () => {
    const ann = harness.user('Ann');
    const { key } = await makeKey(ann, 'server');
    const identity = await harness.accounts.findByApiKey(key);
    await ann.presses('Done, hide it');
    await ann.presses(`server · ${key.slice(0, 10)}…`);
    await harness.sees(ann.chatId, /Never used/);

    const clock = createFakeClock(Date.UTC(2026, 10, 21, 9, 14));
    const uses = createKeyUses({ db: harness.db, clock, logger: createLogger({ level: 'silent' }) });
    uses.record(identity?.keyId ?? 0, '/ai/openai/chat/completions', '203.0.113.77');
    await uses.close();
    await ann.presses('All keys');
    await ann.presses(`server · ${key.slice(0, 10)}…`);
    await harness.sees(
      ann.chatId,
      /Last used 21 Nov 2026, 09:14 UTC, \/ai\/openai\/chat\/completions, from 203\.0\.113\.0\/24/,
    );

    await ann.presses('Rename');
    await harness.sees(ann.chatId, /^Send me the new name\./);
    ann.writes('web server');
    await harness.sees(ann.chatId, /^web server\n[\s\S]*Renamed\.$/);

    await ann.presses('Revoke');
    await harness.sees(ann.chatId, /Revoke this key\?/);
    await ann.presses('Keep it');
    expect(await harness.accounts.findByApiKey(key)).toBeDefined();
    await ann.presses('Revoke');
    expect(await ann.presses('Yes, revoke')).toBe('“web server” is revoked.');
    await harness.sees(ann.chatId, /You have no API key yet/);
    await expect.poll(() => harness.accounts.findByApiKey(key)).toBeUndefined();
  });

  test('allows ten keys', async () => {
    const ann = harness.user('Ann');
    for (let number = 1; number <= 10; number++) {
      await makeKey(ann, `key ${number}`);
      await ann.presses('Done, hide it');
      await harness.sees(ann.chatId, new RegExp(`Your API keys: ${number} of 10\\.`));
    }
    expect(newest(ann.chatId).rows).not.toContain('New key');
    expect(newest(ann.chatId).rows).toHaveLength(11);
  });

  test('asks again for an invalid name', async () => {
    const ann = harness.user('Ann');
    ann.writes('/key');
    await harness.sees(ann.chatId, /API key/);
    await ann.presses('New key');
    await harness.sees(ann.chatId, /What is the key for/);
    ann.writes('x'.repeat(41));
    await harness.sees(ann.chatId, 'A name must be 1 to 40 characters. Send me another one.');
    ann.writes('short one');
    await harness.sees(ann.chatId, KEY);
  });

  test('shows no keys in groups', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.writes('/key');
    await harness.sees(Ann.chatId, 'Keys are private. Send me this command in our private chat.');
  });

  test('gives no user access to the keys of another user', async () => {
    const ann = harness.user('Ann');
    const { key } = await makeKey(ann, 'mine');
    const identity = await harness.accounts.findByApiKey(key);
    const bob = await harness.accounts.ensureTelegramUser(harness.user('Bob').id);
    const { apiKeys: keys } = harness;
    const keyId = identity?.keyId ?? 0;
    expect(await keys.find(bob.id, keyId)).toBeUndefined();
    expect(await keys.rename(bob.id, keyId, 'his')).toBeUndefined();
    expect(await keys.revoke(bob.id, keyId)).toBe(false);
    expect(await harness.accounts.findByApiKey(key)).toBeDefined();
  });

  test('answers in Russian', async () => {
    const oleg = harness.user('Олег', 'ru');
    oleg.writes('/key');
    await harness.sees(oleg.chatId, /У вас ещё нет ключа API/);
    await oleg.presses('Новый ключ');
    await harness.sees(oleg.chatId, /^Для чего этот ключ\?/);
    oleg.writes('ноутбук');
    await harness.sees(oleg.chatId, /Ваш новый ключ «ноутбук»/);
  });
});

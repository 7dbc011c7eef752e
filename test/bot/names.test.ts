import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { adminActions, users } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import type { Actor } from '../support/harness/users.ts';

let harness: BotHarness;
afterEach(() => harness.close());

const readNames = async ({ id }: Actor) => {
  const { note, name, username } = users;
  const [row] = await harness.db.select({ note, name, username }).from(users).where(eq(users.telegramId, id));
  return row;
};

async function says(who: Actor, text: string): Promise<void> {
  who.writes(text);
  await harness.sees(who.chatId, `You said: ${text}`);
}

describe('the name of Telegram', () => {
  test('is not stored unless the operator has it stored, and /privacy does not speak of it', async () => {
    harness = await createBotHarness();
    const ann = harness.user('Ann');
    await says(ann, 'Hello');
    expect(await readNames(ann)).toEqual({ note: null, name: null, username: null });
    ann.writes('/privacy');
    await harness.sees(ann.chatId, /• Your Telegram id, and whether/);
  });

  test('is stored, updated once for each change, told in /privacy, and deleted by /forget', async () => {
    harness = await createBotHarness({ storesNames: true });
    const ann = harness.user('Ann');
    await says(ann, 'Hello');
    expect(await readNames(ann)).toMatchObject({ name: 'Ann' });
    const user = await harness.accounts.findTelegramUser(ann.id);
    if (!user) throw new Error('Ann is no user');
    await harness.accounts.recordName(user, { name: 'Ann Smith', username: 'ann' });
    const renamed = await harness.accounts.findTelegramUser(ann.id);
    expect(renamed).toMatchObject({ name: 'Ann Smith', username: 'ann' });
    ann.writes('/privacy');
    await harness.sees(ann.chatId, /your name and @username as Telegram shows them/);
    ann.writes('/forget');
    await ann.presses('Yes, forget everything');
    await harness.sees(ann.chatId, /I have deleted everything about you/);
    expect(await readNames(ann)).toEqual({ note: null, name: null, username: null });
  });

  test('is deleted by the sweep once names are not stored any more', async () => {
    harness = await createBotHarness();
    const ann = harness.user('Ann');
    await says(ann, 'Hello');
    await harness.db.update(users).set({ name: 'Ann', username: 'ann', note: 'Ann, Sales' });
    expect((await harness.accounts.findTelegramUser(ann.id))?.name).toBeUndefined();
    await harness.personalData.sweep(AbortSignal.timeout(60_000));
    expect(await readNames(ann)).toEqual({ note: 'Ann, Sales', name: null, username: null });
  });
});

describe('a note of an admin', () => {
  test('is written by /note, shown in /audit and /stats month, and not in the audit log itself', async () => {
    harness = await createBotHarness();
    const [ann, chief] = [harness.user('Ann'), harness.operator('Chief')];
    await says(ann, 'Hello');
    chief.writes(`/note ${ann.id} Ann,   Sales`);
    await harness.sees(chief.chatId, `Ann (${ann.id}) is now called: Ann, Sales`);
    chief.writes('/audit');
    await harness.sees(chief.chatId, new RegExp(`changed the note about Ann, Sales \\(${ann.id}\\)$`));
    const [entry] = await harness.db.select().from(adminActions);
    expect(entry).toMatchObject({ action: 'note', subject: `${ann.id}`, reason: '' });
    chief.writes('/stats month');
    await vi.waitFor(() => expect(harness.lines(chief.chatId).join('\n')).toMatch(/Top users:[\s\S]*Ann, Sales/));
    chief.writes(`/note ${ann.id}`);
    await harness.sees(chief.chatId, `The note about Ann, Sales (${ann.id}) is removed.`);
    expect((await readNames(ann))?.note).toBeNull();
  });

  test('is for admins only', async () => {
    harness = await createBotHarness();
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    await says(bob, 'Hello');
    ann.writes(`/note ${bob.id} Bob`);
    await harness.sees(ann.chatId, /I don’t know \/note/);
    expect((await readNames(bob))?.note).toBeNull();
  });
});

describe('users', () => {
  test('are found by note, name, username and Telegram id', async () => {
    harness = await createBotHarness({ storesNames: true });
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    await says(ann, 'Hello');
    await says(bob, 'Hello');
    await harness.db.update(users).set({ username: 'builder', note: 'Yard' }).where(eq(users.telegramId, bob.id));
    const find = async (search: string) => {
      const { items } = await harness.management.listUsers({ search }, { limit: 10, after: undefined });
      return items.map(({ telegramId }) => telegramId);
    };
    expect(await find('ann')).toEqual([ann.id]);
    expect(await find('@BUILD')).toEqual([bob.id]);
    expect(await find('yard')).toEqual([bob.id]);
    expect(await find(`${ann.id}`)).toEqual([ann.id]);
    expect(await find('%')).toEqual([]);
  });
});

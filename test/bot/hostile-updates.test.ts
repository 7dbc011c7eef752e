import { setImmediate as nextTurn } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  apiKeys,
  callbackActions,
  conversations,
  dialogs,
  files,
  messages,
  personas,
  users,
} from '../../src/database/schema/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';
import type { FuzzedPlace } from '../support/samples/fuzzed-updates.ts';
import { hostileUpdate, type Loot } from '../support/samples/hostile-updates.ts';
import { listFuzzRuns, startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

// FUZZ_SEED=<number> repeats a run, FUZZ_HOSTILE=2000 makes a longer one.
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const RUNS = listFuzzRuns({ seed: SEED, short: 40, long: 150, wanted: process.env['FUZZ_HOSTILE'] });
/** CPU time of the main thread in one turn of its event loop. Most of it is the embedded database and code that is not compiled yet. */
const MAX_TURN_MS = 500;
/** Maximum time for handling one update. */
const MAX_HANDLING_MS = 30_000;
const TIMEOUT_MS = 60_000 + 1000 * Math.max(...RUNS.map(({ count }) => count));

let updateId = 910_000_000;
const harness = startBeforeAll(() => createBotHarness());

testByTier(RUNS)(
  'hostile updates end in time, block no one and change no data of others (FUZZ_SEED=$seed)',
  async ({ seed, count }) => {
    const victim = await createVictim();
    const { Mallory, Bob } = harness.group(['Mallory', 'Bob']);
    const from = { id: Mallory.id, is_bot: false, first_name: 'Mallory', language_code: 'en' };
    const own = harness.telegram.createChat({ type: 'private', memberIds: [Mallory.id] });
    const places: FuzzedPlace[] = [
      { chat: { id: own.id, type: 'private', first_name: 'Mallory' }, from },
      { chat: { id: Mallory.chatId, type: 'supergroup', title: 'Hers' }, from },
      { chat: { id: victim.groupId, type: 'supergroup', title: 'Theirs' }, from },
    ];
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    const before = await victim.state();
    const slowest = { cpuMs: 0, family: '' };
    try {
      for (const { family, updates } of fc.sample(hostileUpdate(places, victim.loot), { numRuns: count, seed })) {
        const watch = watchTurns();
        for (const update of updates) {
          const handled = harness.receives({ update_id: ++updateId, ...structuredClone(update) });
          await Promise.race([handled, refuseAfter(MAX_HANDLING_MS, family, update)]);
        }
        const cpuMs = await watch.end();
        if (cpuMs > slowest.cpuMs) Object.assign(slowest, { cpuMs, family });
      }
      expect(slowest.cpuMs, `the longest turn, of ${slowest.family}`).toBeLessThan(MAX_TURN_MS);
      expect(await victim.state()).toEqual(before);
      expect(rejections).toEqual([]);
      harness.telegram.sendMessage(own.id, { text: '/stop' });
      harness.telegram.sendMessage(own.id, { text: '/new' });
      harness.telegram.sendMessage(own.id, { text: 'Still there?' });
      await harness.sees(own.id, /You said: .*Still there\?/s);
      expect(Bob.chatId).toBe(Mallory.chatId);
    } finally {
      process.off('unhandledRejection', onRejection);
    }
  },
  { timeout: TIMEOUT_MS },
);

/** Creates a user with data of each kind, and the ids and tokens that an attacker may know. */
async function createVictim() {
  const victim = harness.user('Vic');
  const { Fay } = harness.group(['Fay']);
  victim.writes('My secret');
  await harness.sees(victim.chatId, 'You said: My secret');
  await harness.settles(victim.chatId);
  const { id: userId } = await harness.accounts.ensureTelegramUser(victim.id);
  const persona = await harness.personas.add(userId, { name: 'Butler', instructions: 'Serve.' });
  const key = await harness.apiKeys.create(userId, 'mine');
  const file = await keepFile(harness, victim);
  const conversation = await harness.conversations.findCurrentConversation({
    chatId: victim.chatId,
    topicId: undefined,
  });
  const conversationId = conversation?.id ?? 0;
  const answer = await harness.conversations.findLatestMessage(conversationId);
  const personaId = typeof persona === 'string' ? 0 : persona.id;
  const offered = [
    { kind: 'regenerate', answerId: answer?.id },
    { kind: 'delete-thread-for-good', conversationId },
    { kind: 'delete-file-for-good', fileId: file.id },
    { kind: 'delete-persona-for-good', personaId },
    { kind: 'revoke-key-for-good', keyId: key?.key.id },
    { kind: 'select-language', language: 'ru' },
    { kind: 'forget-everything' },
    { kind: 'answer-inline', question: 'Tea?' },
    { kind: 'close-menu' },
  ];
  const tokens = await harness.interactions.storeActions({ userId, chatId: victim.chatId }, offered);
  const loot: Loot = { tokens, ids: [`${conversationId}`, file.id, 'cook', 'basic', key?.secret ?? ''] };
  const { db } = harness;
  const state = async () => ({
    users: await db.select().from(users).where(eq(users.id, userId)),
    conversations: await db.select().from(conversations).where(eq(conversations.userId, userId)),
    messages: await db.select().from(messages).where(eq(messages.conversationId, conversationId)),
    callbackActions: await db.select().from(callbackActions).where(eq(callbackActions.userId, userId)),
    personas: await db.select().from(personas).where(eq(personas.userId, userId)),
    // Sending a file increments its counters.
    files: await db.select({ id: files.id, name: files.name }).from(files).where(eq(files.userId, userId)),
    apiKeys: await db.select().from(apiKeys).where(eq(apiKeys.userId, userId)),
    dialogs: await db
      .select()
      .from(dialogs)
      .where(sql`starts_with(${dialogs.key}, ${`dialog:${victim.chatId}:`})`),
    chat: harness.lines(victim.chatId),
  });
  return { state, loot, groupId: Fay.chatId };
}

/** Measures the longest turn of the event loop in CPU time, which other processes do not affect. */
function watchTurns() {
  let isOver = false;
  let longestUs = 0;
  const run = async () => {
    let last = toUs(process.threadCpuUsage());
    while (!isOver) {
      await nextTurn();
      const now = toUs(process.threadCpuUsage());
      longestUs = Math.max(longestUs, now - last);
      last = now;
    }
  };
  const running = run();
  return {
    async end() {
      isOver = true;
      await running;
      return longestUs / 1000;
    },
  };
}

function toUs({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

async function refuseAfter(ms: number, family: string, update: unknown): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
  throw new Error(`an update did not end: ${family} ${JSON.stringify(update).slice(0, 500)}`);
}

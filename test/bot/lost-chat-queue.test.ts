import { and, eq } from 'drizzle-orm';
import type { Update } from 'grammy/types';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createBot, type SwitchboardBot } from '../../src/bot/bot.ts';
import type { GivenServices } from '../../src/bot/kit/services.ts';
import { updates } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { countFiles, PDF } from '../support/harness/files.ts';
import { drawForever, drawNearest } from '../support/hosts/scripted-images.ts';
import { createGate, createModelEntry, type ModelScript } from '../support/hosts/scripted-models.ts';
import { createScriptedBlobStore } from '../support/stores/scripted-blob-store.ts';

const CUT_FILE = 'Bot: I restarted before the file was saved. Press Retry to continue. [Retry]';
const CUT_DRAWING = 'Bot: I restarted while creating this image. Press Again to try once more. [Again]';

let harness: BotHarness;
let deps: GivenServices;
/** The bot of the process that takes over. */
let next: SwitchboardBot;
/** The store stores nothing until this gate opens. Waiting puts ignore their abort signal. */
let store = createGate();
/** Called when the record of a save is stored. */
let afterRecord: () => Promise<void> | undefined = () => undefined;
beforeAll(async () => {
  harness = await createBotHarness({
    models: [createModelEntry('basic'), createModelEntry('painter', { type: 'image' })],
    blobStore: createScriptedBlobStore({ beforePut: () => store.passed }),
    change: (given) => {
      const { interactions } = given;
      const writeDialog: typeof interactions.writeDialog = async (...args) => {
        await interactions.writeDialog(...args);
        await afterRecord();
      };
      deps = { ...given, interactions: { ...interactions, writeDialog } };
      return deps;
    },
  });
  next = createBot(deps);
});
afterEach(() => {
  store.open();
  store = createGate();
  afterRecord = () => undefined;
  harness.images.scripts.length = 0;
});
afterAll(async () => {
  await next.stop();
  await harness.close();
});

const takeOver = (chatId: number, from: SwitchboardBot = harness.bot, to: SwitchboardBot = next) => {
  from.abandon(chatId);
  return to.recover(chatId, AbortSignal.timeout(60_000));
};
/** Long enough for any message that is still to be sent. */
const passSettlingTime = () => harness.passes(20_000);

test('an image request of a chat that moved to another process is aborted and reported once', async () => {
  const ann = harness.user('Ann');
  harness.images.scripts.push(drawForever());
  ann.writes('/imagine a fox');
  await untilDrawingShows(ann.chatId);
  const { signal } = await harness.images.request(harness.images.requests.length - 1);
  await takeOver(ann.chatId);
  expect(signal.aborted, 'nobody waits for the picture').toBe(true);
  expect(harness.bot.listBusyChats()).not.toContain(ann.chatId);
  await passSettlingTime();
  expect(harness.lines(ann.chatId)).toEqual(['Ann: /imagine a fox', CUT_DRAWING]);
  await repeat(ann.chatId);
  await passSettlingTime();
  expect(harness.lines(ann.chatId), 'the order comes again, and counts once').toEqual([
    'Ann: /imagine a fox',
    CUT_DRAWING,
  ]);
});

test('images that arrive at the takeover are left to the new process', async () => {
  const ann = harness.user('Ann');
  const gate = createGate();
  harness.images.scripts.push(async (request, signal) => {
    await gate.passed;
    return drawNearest()(request, signal);
  });
  ann.writes('/imagine a hen');
  await untilDrawingShows(ann.chatId);
  harness.bot.abandon(ann.chatId);
  gate.open();
  await passSettlingTime();
  expect(harness.lines(ann.chatId).join('\n')).not.toContain('(photo)');
  await takeOver(ann.chatId);
  expect(harness.lines(ann.chatId)).toHaveLength(2);
  expect(harness.lines(ann.chatId).at(-1)).toMatch(/\[Again\]$/);
});

test('uploads of a chat that moved to another process are reported once, including incomplete albums', async () => {
  const ann = harness.user('Ann');
  ann.sends({ ...PDF, fileName: 'thing.pdf' });
  await untilSavingShows(ann.chatId);
  const bob = harness.user('Bob');
  for (const name of ['one', 'two']) bob.sends({ ...PDF, mediaGroupId: 'album', fileName: `${name}.pdf` });
  await vi.waitFor(async () => expect(await deps.interactions.listDialogs(`saving:${bob.chatId}:`)).toHaveLength(2));
  for (const { chatId } of [ann, bob]) await takeOver(chatId);
  store.open();
  await passSettlingTime();
  expect(harness.lines(ann.chatId)).toEqual(['Ann: (thing.pdf) ', CUT_FILE]);
  expect(harness.lines(bob.chatId)).toEqual(['Bob: (one.pdf) ', 'Bob: (two.pdf) ', CUT_FILE]);
  for (const { chatId } of [ann, bob]) await repeat(chatId);
  await passSettlingTime();
  expect([await countFiles(harness, ann.id), await countFiles(harness, bob.id)]).toEqual([0, 0]);
  await ann.presses('Retry');
  await harness.sees(ann.chatId, /^thing\.pdf\n/);
  expect(await countFiles(harness, ann.id)).toBe(1);
});

test('a process that gets a chat back reports its own interrupted work', async () => {
  const ann = harness.user('Ann');
  ann.sends({ ...PDF, fileName: 'thing.pdf' });
  await untilSavingShows(ann.chatId);
  harness.bot.abandon(ann.chatId);
  await takeOver(ann.chatId, next, harness.bot);
  expect(harness.lines(ann.chatId)).toEqual(['Ann: (thing.pdf) ', CUT_FILE]);
});

test('a process that gets a chat back reports a file that it had recorded and not begun to save', async () => {
  const [recorded, gate] = [createGate(), createGate()];
  afterRecord = () => {
    recorded.open();
    return gate.passed;
  };
  const ann = harness.user('Ann');
  ann.sends({ ...PDF, fileName: 'thing.pdf' });
  await recorded.passed;
  harness.bot.abandon(ann.chatId);
  afterRecord = () => undefined;
  gate.open();
  await passSettlingTime();
  expect(harness.lines(ann.chatId)).toEqual(['Ann: (thing.pdf) ']);
  await harness.bot.recover(ann.chatId, AbortSignal.timeout(60_000));
  expect(harness.lines(ann.chatId)).toEqual(['Ann: (thing.pdf) ', CUT_FILE]);
});

test('a process that gets a chat back at once continues its own answer', async () => {
  const ann = harness.user('Ann');
  const script: ModelScript = async (write) => {
    write('Half of');
    await gate.passed;
    return ' it.';
  };
  const gate = createGate();
  harness.models.scripts.push(script, 'Half of it, and the rest.');
  ann.writes('Tell me');
  await harness.sees(ann.chatId, /^Half of/);
  harness.bot.abandon(ann.chatId);
  await harness.bot.recover(ann.chatId, AbortSignal.timeout(60_000));
  await harness.sees(ann.chatId, 'Half of it, and the rest.');
  gate.open();
  await harness.settles(ann.chatId);
  expect(harness.lines(ann.chatId)).toEqual(['Ann: Tell me', 'Bot: Half of it, and the rest.']);
});

test('an inline answer continues in the process that handles the chat of its user', async () => {
  const ann = harness.user('Ann');
  const { Bob } = harness.group(['Bob'], { botStatus: 'left' });
  harness.telegram.changeMember(Bob.chatId, { action: 'join', personId: ann.id });
  const gate = createGate();
  harness.models.scripts.push(async (write) => {
    write('Half of');
    await gate.passed;
    return ' what nobody is to see.';
  }, 'All of it.');
  const { queryId } = await ann.asksInline('what is left?');
  harness.telegram.chooseInlineResult({ inlineQueryId: queryId, resultId: 'ask', chatId: Bob.chatId });
  await harness.telegram.waitFor(() => /Half of/.test(harness.lines(Bob.chatId).at(-1) ?? ''), 100_000);
  await takeOver(ann.chatId);
  await harness.telegram.waitFor(() => /All of it/.test(harness.lines(Bob.chatId).at(-1) ?? ''), 100_000);
  gate.open();
  await passSettlingTime();
  expect(harness.lines(Bob.chatId).at(-1)).toBe('Ann: what is left?\nAll of it. [Continue in the chat]');
  await expect.poll(() => harness.conversations.listUnfinishedInline(ann.id)).toEqual([]);
});

const untilDrawingShows = (chatId: number) =>
  vi.waitFor(async () => expect((await deps.imageJobs.listUnended(chatId))[0]?.statusMessageId).toBeDefined());
const untilSavingShows = (chatId: number) =>
  vi.waitFor(async () => {
    const notes = await deps.interactions.listDialogs(`saving:${chatId}:`);
    expect(JSON.stringify(notes)).toContain('statusMessageId');
  });

/** Delivers the messages of users in a chat to the new process again, as for updates that were not handled. */
async function repeat(chatId: number): Promise<void> {
  for (const { message } of harness.telegram.transcript(chatId)) {
    if (message.from?.is_bot) continue;
    const isMeant = and(eq(updates.chatQueue, chatId), eq(updates.messageId, message.message_id));
    const [row] = await harness.db.select({ id: updates.updateId }).from(updates).where(isMeant);
    if (!row) throw new Error('no update has brought this message');
    await next.handleUpdate({ update_id: row.id, message } as Update);
  }
}

import type { FaultKind } from 'telegram-bot-simulator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { createGate } from '../support/hosts/scripted-models.ts';

const TABLE = 'The prices of $5 and $10:\n\n| Thing | Price |\n|---|--:|\n| Tea | $5 |';
const AS_TEXT = 'The prices of $5 and $10:\n\nThing | Price\n------|------\nTea   |    $5';

let harness: BotHarness;
beforeAll(async () => {
  harness = await createBotHarness();
});
afterEach(() => {
  harness.telegram.clearFaults();
  harness.models.scripts.length = 0;
});
afterAll(() => harness.close());

/** Returns block types or text of the newest message of the bot. */
function lastAnswer(chatId: number) {
  const message = harness.telegram
    .transcript(chatId)
    .map((one) => one.message)
    .findLast(({ from }) => from?.is_bot);
  return message?.rich_message?.blocks.map(({ type }) => type) ?? message?.text;
}

async function ask(name: string, settings: { streaming?: 'whole' } = {}) {
  const person = harness.user(name);
  const { id } = await harness.accounts.ensureTelegramUser(person.id);
  await harness.accounts.updateSettings(id, settings);
  harness.models.scripts.push(async (write) => {
    write(TABLE);
    return undefined;
  });
  person.writes('Prices?');
  return person;
}

const isFinished = (chatId: number) => harness.buttons(chatId).includes('⋯');

test('tables are sent as tables, prices are no formulas, and variants replace them', async () => {
  const ann = await ask('Ann');
  await expect.poll(() => lastAnswer(ann.chatId)).toEqual(['paragraph', 'table']);
  expect(isFinished(ann.chatId)).toBe(true);
  expect(JSON.stringify(harness.telegram.transcript(ann.chatId))).not.toContain('mathematical_expression');
  await ann.presses('🔄 Again');
  await harness.shows(ann.chatId, ['Ann: Prices?', 'Bot: You said: Prices?']);
  await ann.presses('‹');
  await expect.poll(() => lastAnswer(ann.chatId)).toEqual(['paragraph', 'table']);
  expect(harness.telegram.transcript(ann.chatId)).toHaveLength(2);
});

test('users can choose tables as plain text', async () => {
  const bob = harness.user('Bob');
  bob.writes('/settings');
  await bob.presses('Answers in the chat');
  await bob.presses('Tables as plain text');
  await harness.sees(bob.chatId, /Tables and formulas: as plain text/);
  harness.models.scripts.push(async (write) => {
    write(TABLE);
    return undefined;
  });
  bob.writes('Prices?');
  await harness.sees(bob.chatId, AS_TEXT);
  await bob.presses('Format tables');
  await harness.sees(bob.chatId, /Tables and formulas: formatted/);
});

test.each<[string, FaultKind]>([
  ['whose response is lost', { type: 'reset-after' }],
  ['whose request is lost', { type: 'reset-before' }],
  ['after a flood error', { type: 'flood', retryAfterSeconds: 2 }],
])('a rich message %s is shown once', async (name, kind) => {
  harness.telegram.injectFault({ method: 'sendRichMessage', kind });
  const cleo = await ask(`Cleo ${name}`, { streaming: 'whole' });
  await expect.poll(() => isFinished(cleo.chatId)).toBe(true);
  expect(lastAnswer(cleo.chatId)).toEqual(['paragraph', 'table']);
  expect(harness.telegram.transcript(cleo.chatId)).toHaveLength(2);
});

test('live typing ends as a rich message, after a draft that equals it', async () => {
  const gate = createGate();
  const fay = harness.user('Fay');
  const { id } = await harness.accounts.ensureTelegramUser(fay.id);
  await harness.accounts.updateSettings(id, { streaming: 'drafts' });
  harness.models.scripts.push(async (write) => {
    write(TABLE.slice(0, 12));
    await gate.passed;
    write(TABLE.slice(12));
    return undefined;
  });
  fay.writes('Prices?');
  await expect.poll(() => harness.telegram.drafts(fay.chatId).length).toBe(1);
  gate.open();
  await expect.poll(() => lastAnswer(fay.chatId)).toEqual(['paragraph', 'table']);
  expect(harness.telegram.drafts(fay.chatId)).toEqual([]);
  const methods = harness.telegram
    .calls()
    .filter(({ params }) => Number(params['chat_id']) === fay.chatId)
    .map(({ method }) => method);
  expect(methods.indexOf('sendRichMessageDraft')).toBe(methods.indexOf('sendRichMessage') - 1);
});

test.each([
  ['no rich messages', 404, 'Not Found: method not found'],
  ['no blocks, like 10.1', 400, 'Bad Request: rich message must be non-empty'],
])('a server that supports %s is tried once and then gets text', async (_what, status, description) => {
  // The missing support is remembered for the life of the process.
  await harness.close();
  harness = await createBotHarness();
  harness.telegram.injectFault({ method: 'sendRichMessage', times: 2, kind: { type: 'error', status, description } });
  const dora = await ask('Dora', { streaming: 'whole' });
  await harness.sees(dora.chatId, AS_TEXT);
  const callCount = harness.telegram.calls('sendRichMessage').length;
  const eve = await ask('Eve', { streaming: 'whole' });
  await harness.sees(eve.chatId, AS_TEXT);
  expect(harness.telegram.calls('sendRichMessage')).toHaveLength(callCount);
});

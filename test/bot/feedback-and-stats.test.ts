import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { feedback, users } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { isOpinionButton } from '../support/harness/chats.ts';
import { createUsageEntry } from '../support/samples/usage-entry.ts';

let harness: BotHarness;
beforeAll(async () => {
  harness = await createBotHarness();
});
afterAll(() => harness.close());

const opinions = async () =>
  (await harness.db.select().from(feedback)).map(({ model, rating }) => `${model} ${rating}`).toSorted();

const callsTo = (method: string, chatId: number) =>
  harness.telegram.calls(method).filter(({ params }) => params['chat_id'] === chatId);

test('a reaction to an answer is stored as feedback, and can be changed and removed', async () => {
  const ann = harness.user('Ann');
  const question = ann.writes('Hello');
  const { message } = await harness.sees(ann.chatId, 'You said: Hello');
  const react = (emoji: readonly string[], messageId = message.message_id) =>
    harness.telegram.react(ann.chatId, messageId, { from: ann.id, emoji });
  react(['👍']);
  await expect.poll(opinions).toEqual(['basic up']);
  react(['👎']);
  await expect.poll(opinions).toEqual(['basic down']);
  react(['🔥']);
  await expect.poll(opinions).toEqual([]);
  react(['👍']);
  await expect.poll(opinions).toEqual(['basic up']);
  // A user's own message is no answer.
  react(['👎'], question);
  react([]);
  await expect.poll(opinions).toEqual([]);
  expect(harness.lines(ann.chatId)).toEqual(['Ann: Hello', 'Bot: You said: Hello']);
});

/** Labels of the feedback buttons below a message. */
const labels = (chatId: number, messageId: number) => {
  const shown = harness.telegram.transcript(chatId).find(({ message }) => message.message_id === messageId);
  const all = shown?.message.reply_markup?.inline_keyboard.flat().map(({ text }) => text);
  const opinions = all?.filter(isOpinionButton) ?? [];
  return opinions.length > 0 ? opinions : undefined;
};

const allLabels = (chatId: number, messageId: number) =>
  harness.telegram
    .transcript(chatId)
    .find(({ message }) => message.message_id === messageId)
    ?.message.reply_markup?.inline_keyboard.map((row) => row.map(({ text }) => text));
const IN_ONE_ROW = [['🔄 Again', 'Other model', '⋯']];

test('👍 and 👎 appear after ⋯ and mark the feedback of the user, from a button or a reaction', async () => {
  const bob = harness.user('Bob');
  bob.writes('Hello');
  const { message } = await harness.sees(bob.chatId, 'You said: Hello');
  const shows = (row: readonly string[]) => expect.poll(() => labels(bob.chatId, message.message_id)).toEqual(row);
  await expect.poll(() => allLabels(bob.chatId, message.message_id)).toEqual(IN_ONE_ROW);
  await bob.presses('⋯');
  await expect.poll(() => allLabels(bob.chatId, message.message_id)).toEqual([['👍', '👎', 'Back']]);
  await shows(['👍', '👎']);
  expect(await bob.presses('👍')).toBe('Thanks for the feedback.');
  await shows(['✓ 👍', '👎']);
  expect(await opinions()).toEqual(['basic up']);
  expect(await bob.presses('👎')).toBe('Thanks for the feedback.');
  await shows(['👍', '✓ 👎']);
  expect(await bob.presses('✓ 👎')).toBe('Feedback removed.');
  await shows(['👍', '👎']);
  expect(await opinions()).toEqual([]);
  await bob.presses('Back');
  await expect.poll(() => allLabels(bob.chatId, message.message_id)).toEqual(IN_ONE_ROW);
  harness.telegram.react(bob.chatId, message.message_id, { from: bob.id, emoji: ['👎'] });
  await expect.poll(opinions).toEqual(['basic down']);
  await bob.presses('⋯');
  await shows(['👍', '✓ 👎']);
  await bob.presses('👍');
  await shows(['✓ 👍', '👎']);
  // The button has replaced the reaction meanwhile, so removing the reaction changes nothing.
  harness.telegram.react(bob.chatId, message.message_id, { from: bob.id, emoji: [] });
  harness.telegram.react(bob.chatId, message.message_id, { from: bob.id, emoji: ['🔥'] });
  await harness.hasHandledAll();
  expect(await opinions()).toEqual(['basic up']);
  expect(
    harness.telegram.transcript(bob.chatId).find((one) => one.message.message_id === message.message_id)?.message.text,
  ).toBe('You said: Hello');
  await bob.presses('✓ 👍');
});

test('only the last answer keeps its buttons, which need no additional API call', async () => {
  const cid = harness.user('Cid');
  cid.writes('One');
  const first = await harness.sees(cid.chatId, 'You said: One');
  await expect.poll(() => allLabels(cid.chatId, first.message.message_id)).toEqual(IN_ONE_ROW);
  expect(callsTo('editMessageReplyMarkup', cid.chatId)).toHaveLength(0);
  cid.writes('Two');
  const second = await harness.sees(cid.chatId, 'You said: Two');
  await expect.poll(() => allLabels(cid.chatId, first.message.message_id)).toBeUndefined();
  await expect.poll(() => allLabels(cid.chatId, second.message.message_id)).toEqual(IN_ONE_ROW);
  expect(callsTo('editMessageReplyMarkup', cid.chatId)).toHaveLength(1);
  // Feedback on an older answer is stored without showing the buttons again.
  harness.telegram.react(cid.chatId, first.message.message_id, { from: cid.id, emoji: ['👍'] });
  await expect.poll(opinions).toEqual(['basic up']);
  await harness.hasHandledAll();
  expect(allLabels(cid.chatId, first.message.message_id)).toBeUndefined();
  harness.telegram.react(cid.chatId, first.message.message_id, { from: cid.id, emoji: [] });
  await expect.poll(opinions).toEqual([]);
});

test('in a group each user has one opinion, and the buttons show the counts', async () => {
  const { Dan, Eve } = harness.group(['Dan', 'Eve']);
  Dan.writes('@switch_bot Hello');
  const { message } = await harness.sees(Dan.chatId, 'You said: Hello');
  const shows = (row: readonly string[]) => expect.poll(() => labels(Dan.chatId, message.message_id)).toEqual(row);
  await expect.poll(() => allLabels(Dan.chatId, message.message_id)).toEqual(IN_ONE_ROW);
  await Eve.presses('⋯');
  await shows(['👍', '👎']);
  await Eve.presses('👍');
  await shows(['👍 1', '👎']);
  await Dan.presses('👍 1');
  await shows(['👍 2', '👎']);
  await Eve.presses('👎');
  await shows(['👍 1', '👎 1']);
  expect(await opinions()).toEqual(['basic down', 'basic up']);
  await Eve.presses('👎 1');
  await shows(['👍 1', '👎']);
  await Dan.presses('👍 1');
  await shows(['👍', '👎']);
});

test('/settings hides the feedback buttons', async () => {
  const fay = harness.user('Fay');
  fay.writes('/settings');
  await fay.presses('Answers in the chat');
  await harness.sees(fay.chatId, /👍 👎 below answers: shown/);
  await fay.presses('Hide 👍 👎');
  await harness.sees(fay.chatId, /👍 👎 below answers: hidden/);
  fay.writes('Hello');
  const { message } = await harness.sees(fay.chatId, 'You said: Hello');
  await expect.poll(() => allLabels(fay.chatId, message.message_id)).toEqual([['🔄 Again', 'Other model']]);
  await fay.presses('Show 👍 👎');
  fay.writes('Hello again');
  const again = await harness.sees(fay.chatId, 'You said: Hello again');
  await expect.poll(() => allLabels(fay.chatId, again.message.message_id)).toEqual(IN_ONE_ROW);
});

test('/stats shows admins usage as text, as a chart and as CSV', async () => {
  const harness = await createBotHarness();
  onTestFinished(() => harness.close());
  for (const telegramId of [1, 2]) await harness.accounts.ensureTelegramUser(telegramId);
  const chief = harness.operator('Chief');
  const { id: userId } = await harness.accounts.ensureTelegramUser(chief.id);
  const sizes = { promptTokens: 100, completionTokens: 50, costUsd: 0.25 };
  for (const [model, durationMs, finishReason] of [
    ['fast', 1000, 'stop'],
    ['fast', 2000, 'stop'],
    ['=slow', 9000, undefined],
  ] as const)
    harness.usage.record(createUsageEntry(userId, { ...sizes, model, durationMs, finishReason }));
  chief.writes('/stats 1');
  const { message } = await harness.sees(chief.chatId, /^The last 24 hours/);
  expect(message.text?.split('\n')).toEqual([
    'The last 24 hours',
    '',
    'Users: 1 active, 3 new',
    'Requests: 3 (1 failed)',
    'Tokens: 450, images: 0',
    'Cost: $0.75',
    'Feedback: 👍 0, 👎 0',
    'Duration: median 2 s, 95% under 8.3 s',
    '',
    'Slowest models (95% under):',
    '=slow: 9 s, 1 request',
    'fast: 2 s, 2 requests',
    '',
    'Most expensive models:',
    'fast: $0.50',
    '=slow: $0.25',
  ]);
  const marked = message.entities?.map(({ offset, length }) => message.text?.slice(offset, offset + length));
  expect(marked).toEqual(['=slow', 'fast', 'fast', '=slow']);
  await chief.presses('7 days');
  const withChart = await harness.sees(chief.chatId, /^The last 7 days/);
  expect(withChart.message.photo).toBeDefined();
  await chief.presses('Dollars');
  const labels = () =>
    harness.telegram
      .transcript(chief.chatId)
      .at(-1)
      ?.message.reply_markup?.inline_keyboard[0]?.map(({ text }) => text);
  await expect.poll(labels).toEqual(['Requests', 'Tokens']);
  await chief.presses('Download as CSV');
  const table = await expect
    .poll(() => harness.telegram.transcript(chief.chatId).at(-1)?.message.document)
    .toMatchObject({ file_name: expect.stringMatching(/^stats-\d{4}-\d\d-\d\d-7d\.csv$/) })
    .then(() => harness.telegram.transcript(chief.chatId).at(-1)?.message.document);
  const csv = harness.telegram.readFile(table?.file_id ?? '').bytes.toString();
  expect(csv.split('\r\n')).toEqual([
    '\uFEFFmodel,requests,broke_off,tokens,images,cost_usd,median_ms,p95_ms,up,down,requests_without_cost',
    'fast,2,0,300,0,0.5,1500,1950,0,0,0',
    "'=slow,1,1,150,0,0.25,9000,9000,0,0,0",
    'total,3,1,450,0,0.75,2000,8300,0,0,0',
    '',
  ]);
});

test('a reaction to a message of another user creates no user', async () => {
  const { Dan, Eve } = harness.group(['Dan', 'Eve'], { botStatus: 'administrator' });
  const question = Dan.writes('@switch_bot Hello');
  const { message } = await harness.sees(Dan.chatId, 'You said: Hello');
  const known = async () => (await harness.db.select().from(users)).map(({ telegramId }) => telegramId);
  harness.telegram.react(Dan.chatId, question, { from: Eve.id, emoji: ['👍'] });
  await harness.hasHandledAll();
  expect(await known()).not.toContain(Eve.id);
  harness.telegram.react(Dan.chatId, message.message_id, { from: Eve.id, emoji: ['👍'] });
  await expect.poll(known).toContain(Eve.id);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { feedback } from '../../src/database/schema/index.ts';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';

let play: BotPlay;
beforeAll(async () => {
  play = await createBotPlay();
});
afterAll(() => play.close());

const opinions = async () =>
  (await play.db.select().from(feedback)).map(({ model, rating }) => `${model} ${rating}`).toSorted();

test('a thumb below an answer is an opinion, which can be changed and taken back', async () => {
  const ann = play.person('Ann');
  const question = ann.writes('Hello');
  const { message } = await play.sees(ann.chatId, 'You said: Hello');
  const react = (emoji: readonly string[], messageId = message.message_id) =>
    play.telegram.react(ann.chatId, messageId, { from: ann.id, emoji });
  react(['👍']);
  await expect.poll(opinions).toEqual(['basic up']);
  react(['👎']);
  await expect.poll(opinions).toEqual(['basic down']);
  react(['🔥']);
  await expect.poll(opinions).toEqual([]);
  react(['👍']);
  await expect.poll(opinions).toEqual(['basic up']);
  // One's own message is no answer.
  react(['👎'], question);
  react([]);
  await expect.poll(opinions).toEqual([]);
  expect(play.lines(ann.chatId)).toEqual(['Ann: Hello', 'Bot: You said: Hello']);
});

test('/stats tells admins what went on, as text, as a picture, and as a table', async () => {
  const chief = play.operator('Chief');
  const { id: personId } = await play.accounts.ensureTelegramPerson(chief.id);
  const entry = { personId, keyId: undefined, kind: 'chat', provider: 'test', isEstimated: false } as const;
  const sizes = { promptTokens: 100, completionTokens: 50, pictureCount: 0 };
  for (const [model, durationMs, finishReason] of [
    ['fast', 1000, 'stop'],
    ['fast', 2000, 'stop'],
    ['=slow', 9000, undefined],
  ] as const)
    play.usage.record({ ...entry, ...sizes, model, durationMs, finishReason, replyId: undefined, costUsd: 0.25 });
  chief.writes('/stats 1');
  const { message } = await play.sees(chief.chatId, /^The last 24 hours/);
  expect(message.text?.split('\n')).toEqual([
    'The last 24 hours',
    '',
    'People: 1 used a model, 2 came for the first time',
    'Requests: 3, of these 1 broke off',
    'Tokens: 450, pictures: 0',
    'Cost: $0.75',
    'Feedback: 👍 0, 👎 0',
    'Duration: half within 2 s, 95% within 8.3 s',
    '',
    'Slowest models (95% within):',
    '=slow: 9 s, 1 request',
    'fast: 2 s, 2 requests',
  ]);
  await chief.presses('7 days');
  const withChart = await play.sees(chief.chatId, /^The last 7 days/);
  expect(withChart.message.photo).toBeDefined();
  await chief.presses('As a table (CSV)');
  const table = await expect
    .poll(() => play.telegram.transcript(chief.chatId).at(-1)?.message.document)
    .toMatchObject({ file_name: expect.stringMatching(/^stats-\d{4}-\d\d-\d\d-7d\.csv$/) })
    .then(() => play.telegram.transcript(chief.chatId).at(-1)?.message.document);
  const csv = play.telegram.readFile(table?.file_id ?? '').bytes.toString();
  expect(csv.split('\r\n')).toEqual([
    '\uFEFFmodel,requests,broke_off,tokens,pictures,cost_usd,median_ms,p95_ms,up,down',
    'fast,2,0,300,0,0.5,1500,1950,0,0',
    "'=slow,1,1,150,0,0.25,9000,9000,0,0",
    'total,3,1,450,0,0.75,2000,8300,0,0',
    '',
  ]);
});

import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { createModelEntry, type ScriptedToolCall } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

let requestsBefore = 0;
const harness = startBeforeAll(() =>
  createBotHarness({ models: [createModelEntry('basic')], tools: { builtIn: ['draw_chart'] } }),
);
beforeEach(() => {
  requestsBefore = harness.models.requests.length;
});
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.telegram.clearFaults();
});

const SERIES = [{ name: '2026', values: [3, 1.5] }];
const CHART = { type: 'bars', title: 'Foxes', labels: ['Oslo', 'Bergen'], series: SERIES };
const draw = (more: object = {}): ScriptedToolCall => ({ name: 'draw_chart', arguments: { ...CHART, ...more } });
const results = () =>
  harness.models.requests
    .slice(requestsBefore)
    .flatMap(({ messages }) => messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : [])));

test.each(['bars', 'stacked_bars', 'lines', 'pie'])('a chart with %s is sent as a photo', async (type) => {
  const ann = harness.user('Ann', 'ru');
  harness.models.scripts.push([draw({ type, unit: '€' })], 'Foxes are in Oslo.');
  ann.writes('Draw it.');
  await harness.sees(ann.chatId, 'Foxes are in Oslo.');
  expect(harness.lines(ann.chatId)).toContain('Bot: (photo) ');
  const photo = harness.telegram
    .transcript(ann.chatId)
    .find(({ message }) => message.photo)
    ?.message.photo?.at(-1);
  const { width, height } = await sharp(harness.telegram.readFile(photo?.file_id ?? '').bytes).metadata();
  expect([width, height]).toEqual([1080, 720]);
  expect(results()).toEqual(['The chart was sent to the chat.']);
});

test('in a group it replies to the question, in its topic', async () => {
  const { Ann } = harness.group(['Ann', 'Bob']);
  harness.models.scripts.push([draw()], 'There.');
  const asked = Ann.writes('@switch_bot draw it');
  await harness.sees(Ann.chatId, 'There.');
  const sent = harness.telegram.transcript(Ann.chatId).find(({ message }) => message.photo)?.message;
  expect(sent?.reply_to_message?.message_id).toBe(asked);
});

test.each([
  ['another type', { type: 'radar' }, /type must be one of bars/],
  ['no title', { title: ' ' }, /title is missing/],
  ['no labels', { labels: 'Oslo' }, /labels must be/],
  ['letters that the font does not have', { labels: ['東京', '大阪'] }, /can't show "東京": .* in Latin letters/],
  ['emoji', { title: 'Foxes 🦊' }, /use no emoji/],
  ['fullwidth signs', { unit: '％' }, /can't show " ％"/],
  ['too many labels', { labels: Array.from({ length: 101 }, String) }, /at most 100 labels/],
  ['no series', { series: {} }, /series must be/],
  ['too many series', { series: Array.from({ length: 7 }, () => SERIES[0]) }, /at most 6 series/],
  ['another number of values', { series: [{ name: 'a', values: [1] }] }, /series\[0\]\.values must be a list of 2/],
  ['text as a value', { series: [{ name: 'a', values: [1, 'many'] }] }, /values\[1\] must be a number or null/],
  ['a number that is too large', { series: [{ name: 'a', values: [1, 1e300] }] }, /must be between/],
  ['a pie of two series', { type: 'pie', series: [SERIES[0], SERIES[0]] }, /a pie has one series/],
  ['a pie with a negative value', { type: 'pie', series: [{ name: 'a', values: [1, -1] }] }, /no negative/],
  ['an empty pie', { type: 'pie', series: [{ name: 'a', values: [0, null] }] }, /a value above 0/],
])('the model learns what is wrong with %s', async (_, more, problem) => {
  const ann = harness.user('Ann');
  harness.models.scripts.push([draw(more)], [draw({ series: [{ values: ['2', null] }] })], 'Done.');
  ann.writes('Draw it.');
  await harness.sees(ann.chatId, 'Done.');
  expect(results()[0]).toMatch(problem);
  expect(harness.lines(ann.chatId).filter((line) => line === 'Bot: (photo) ')).toHaveLength(1);
});

test('an answer has four charts at most', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push([draw(), draw(), draw()], [draw(), draw()], 'Done.');
  ann.writes('Draw it.');
  await harness.sees(ann.chatId, 'Done.');
  expect(harness.lines(ann.chatId).filter((line) => line === 'Bot: (photo) ')).toHaveLength(4);
  expect(results().at(-1)).toMatch(/the limit of 4 calls/);
});

test('the model learns that Telegram refuses the photo', async () => {
  const ann = harness.user('Ann');
  const description = 'Bad Request: not enough rights to send photos to the chat';
  harness.telegram.injectFault({ method: 'sendPhoto', kind: { type: 'error', status: 400, description } });
  harness.models.scripts.push([draw()], 'Sorry.');
  ann.writes('Draw it.');
  await harness.sees(ann.chatId, 'Sorry.');
  expect(results()).toEqual(['Error: the chart could not be sent']);
});

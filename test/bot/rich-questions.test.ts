import type { RichBlock } from '@grammyjs/types';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/bot-harness.ts';

let harness: BotHarness;
beforeAll(async () => {
  harness = await createBotHarness({
    openPage: async () => Buffer.from('<title>Bells</title><p>A bell weighs a ton.</p>'),
  });
});
afterAll(() => harness.close());
afterEach(() => {
  harness.models.scripts.length = 0;
});

const paragraph = (text: Extract<RichBlock, { type: 'paragraph' }>['text']): RichBlock => ({ type: 'paragraph', text });
const lastQuestion = () => harness.models.requests.at(-1)?.messages.at(-1)?.content;

test('a rich message in a private chat is a question with all its text', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push('Heavy ones.');
  const cell = (text: string) => ({ text, align: 'left', valign: 'top' }) as const;
  ann.writes('', {
    blocks: [
      { type: 'heading', size: 1, text: 'Bells' },
      {
        type: 'table',
        cells: [
          [cell('Year'), cell('Tons')],
          [cell('1812'), cell('1')],
        ],
      },
      paragraph('Which are these?'),
    ],
  });
  await harness.sees(ann.chatId, 'Heavy ones.');
  expect(lastQuestion()).toBe('Bells\n\nYear | Tons\n1812 | 1\n\nWhich are these?');
});

test('a rich message in a group is addressed by its mention, and can be summarised in a reply', async () => {
  const { Ann, Bob } = harness.group(['Ann', 'Bob']);
  harness.models.scripts.push('Ding.', 'Old and heavy.');
  Ann.writes('', {
    blocks: [paragraph([{ type: 'mention', text: '@switch_bot', username: 'switch_bot' }, ' how does a bell sound?'])],
  });
  await harness.sees(Ann.chatId, 'Ding.');
  expect(lastQuestion()).toBe('how does a bell sound?');
  const said = Bob.writes('', { blocks: [paragraph('The bell was cast in 1812.'), paragraph('It weighs a ton.')] });
  Ann.writes('/summarise', { replyTo: said });
  await harness.sees(Ann.chatId, 'Old and heavy.');
  expect(lastQuestion()).toMatch(/^> The bell was cast in 1812\.\n> \n> It weighs a ton\.\n\nSummarise/);
});

test('a link in a rich message is opened like one in a text', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push('It weighs a ton.');
  ann.writes('', {
    blocks: [paragraph(['What is ', { type: 'url', text: 'here', url: 'https://bells.example/ton' }, ' about?'])],
  });
  await harness.sees(ann.chatId, 'It weighs a ton.');
  expect(JSON.stringify(harness.models.requests.at(-1)?.messages)).toContain('A bell weighs a ton.');
});

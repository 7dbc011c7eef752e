import type { RichBlock } from '@grammyjs/types';
import { afterEach, describe, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    openPage: async () => Buffer.from('<title>Bells</title><p>A bell weighs a ton.</p>'),
  }),
);
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
  expect(lastQuestion()).toBe('**Bells**\n\nYear | Tons\n1812 | 1\n\nWhich are these?');
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

test.each([{ text: 'It is old.' }, { blocks: [paragraph('It is old.')] }])(
  'an expandable quotation is read with %o',
  async (content) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Yes.');
    ann.writes('', { blocks: [{ type: 'expandable_blockquote', ...content } as RichBlock, paragraph('Is it?')] });
    await harness.sees(ann.chatId, 'Yes.');
    expect(lastQuestion()).toBe('> It is old.\n\nIs it?');
  },
);

test('a block that cannot be read costs only itself, and is logged', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push('A ton.');
  const blocks = [{ type: 'list', rows: [] } as unknown as RichBlock, paragraph('What does it weigh?')];
  expect(() => ann.writes('', { blocks })).toThrow();
  ann.writes('', { blocks, hasUncheckedBlocks: true });
  await harness.sees(ann.chatId, 'A ton.');
  expect(lastQuestion()).toBe('What does it weigh?');
  expect(harness.log.join('\n')).toMatch(/"unreadTypes":\["list"\].*parts of a rich message could not be read/);
});

describe('a message that the bot does not know', () => {
  const CANNOT = /but I can’t read this\. Please send/;
  let updateId = 600_000;
  const brings = async (user: { readonly id: number; readonly chatId: number }, content: object) => {
    updateId += 1;
    const chat = { id: user.chatId, type: 'private', first_name: 'Ann' };
    const from = { id: user.id, is_bot: false, first_name: 'Ann' };
    const date = Math.floor(harness.now() / 1000);
    await harness.brings([{ update_id: updateId, message: { message_id: updateId, date, chat, from, ...content } }]);
  };

  test.each([
    ['a kind that Telegram has added', { hologram: { file_id: 'h', depth: 3 } }],
    ['nothing that the server knows', {}],
    ['a story', { story: { id: 1, chat: { id: 1, type: 'private' } } }],
    ['a giveaway', { giveaway: { winner_count: 1 } }],
    ['a rich message of another form', { rich_message: { sections: [] } }],
    ['a rich message of unknown blocks', { rich_message: { blocks: [{ type: 'hologram' }] } }],
  ])('gets one answer that it cannot be read: %s', async (_, content) => {
    const ann = harness.user('Ann');
    await brings(ann, content);
    await harness.sees(ann.chatId, CANNOT);
    await harness.hasHandledAll();
    expect(harness.lines(ann.chatId)).toHaveLength(1);
  });

  test('gets one answer for a whole album', async () => {
    const ann = harness.user('Ann');
    await brings(ann, { hologram: {}, media_group_id: 'h' });
    await brings(ann, { hologram: {}, media_group_id: 'h' });
    await harness.hasHandledAll();
    expect(harness.lines(ann.chatId)).toHaveLength(1);
  });

  test.each([
    { pinned_message: { message_id: 1, date: 0, chat: { id: 1, type: 'private' } } },
    { message_auto_delete_timer_changed: { message_auto_delete_time: 5 } },
    { forum_topic_created: { name: 'Bells', icon_color: 1 } },
    { successful_payment: { currency: 'XTR', total_amount: 1 } },
    { write_access_allowed: {} },
    { chat_background_set: {} },
    { gift: {} },
  ])('gets none for what Telegram itself says: %o', async (content) => {
    const ann = harness.user('Ann');
    await brings(ann, content);
    await harness.hasHandledAll();
    expect(harness.lines(ann.chatId)).toEqual([]);
  });
});

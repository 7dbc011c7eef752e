import type { MessageEntity, RichBlock } from '@grammyjs/types';
import { afterEach, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const HIDDEN = 'https://bells.example/ton?from=chat';
const opened: string[] = [];
const harness = startBeforeAll(() =>
  createBotHarness({
    openPage: async (url) => {
      opened.push(url);
      return Buffer.from('<title>Bells</title><p>A bell weighs a ton.</p>');
    },
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
  opened.length = 0;
});

const lastQuestion = () => `${harness.models.requests.at(-1)?.messages.at(-1)?.content}`;
const entity = (text: string, type: string, on: string, more: object = {}) =>
  ({ type, offset: text.indexOf(on), length: on.length, ...more }) as MessageEntity;

let updateId = 800_000;
async function brings(user: { readonly id: number; readonly chatId: number }, content: object): Promise<void> {
  updateId += 1;
  const chat = { id: user.chatId, type: 'private', first_name: 'Ann' };
  const from = { id: user.id, is_bot: false, first_name: 'Ann' };
  const date = Math.floor(harness.now() / 1000);
  await harness.brings([{ update_id: updateId, message: { message_id: updateId, date, chat, from, ...content } }]);
}

const forward_origin = { type: 'hidden_user', date: 1, sender_user_name: 'Zoe' };
const LINKED = 'Read this, it is good';
const linked = [entity(LINKED, 'text_link', 'this', { url: HIDDEN })];

test.each(['text', 'caption'])(
  'the hidden link of a %s that the user has not written reaches the model as text',
  async (field) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Bells.');
    const document = { file_id: 'none', file_unique_id: 'n', file_name: 'a.zip', mime_type: 'application/zip' };
    const content =
      field === 'text' ? { text: LINKED, entities: linked } : { caption: LINKED, caption_entities: linked };
    const reply_to_message = {
      message_id: 1,
      date: 1,
      chat: { id: ann.chatId, type: 'private' },
      document,
      ...content,
    };
    await brings(ann, field === 'text' ? { ...content, forward_origin } : { text: 'Is it?', reply_to_message });
    await harness.sees(ann.chatId, 'Bells.');
    expect(lastQuestion()).toContain(`Read this (${HIDDEN}), it is good`);
    // A reply to little more than a link asks for its page.
    if (field === 'text') expect(opened).toEqual([]);
  },
);

test('formatting reaches the model as Markdown, also in captions, replies and quotes', async () => {
  const { Ann, Bob } = harness.group(['Ann', 'Bob']);
  const text = '@switch_bot what does let x do, roughly?';
  harness.models.scripts.push('It declares.', 'It is code.', 'Secret.');
  Ann.writes(text, { entities: [entity(text, 'code', 'let x'), entity(text, 'bold', 'roughly')] });
  await harness.sees(Ann.chatId, 'It declares.');
  expect(lastQuestion()).toBe('what does `let x` do, **roughly**?');
  const program = 'Look:\nconst y = 1;\nconst z = 2;';
  const code = program.slice(program.indexOf('const'));
  const said = Bob.writes(program, { entities: [entity(program, 'pre', code, { language: 'js' })] });
  Ann.writes('@switch_bot explain', { replyTo: said });
  await harness.sees(Ann.chatId, 'It is code.');
  expect(lastQuestion()).toBe('> Look:\n> ```js\n> const y = 1;\n> const z = 2;\n> ```\n\nexplain');
  const told = 'The end: he dies\nI liked it';
  const quote = [entity(told, 'spoiler', 'he dies'), entity(told, 'blockquote', 'The end: he dies')];
  Ann.writes('/summarise', { replyTo: Bob.writes(told, { entities: quote }) });
  await harness.sees(Ann.chatId, 'Secret.');
  expect(lastQuestion()).toContain('> > The end: ||he dies||\n> \n> I liked it\n\nSummarise');
});

test('formatting of recent messages in a group reaches the model', async () => {
  const { Ann, Bob } = harness.group(['Ann', 'Bob']);
  await harness.groups.setRemembering(Ann.chatId, true);
  const text = 'Read this, do not run rm';
  Bob.writes(text, { entities: [entity(text, 'text_link', 'this', { url: HIDDEN }), entity(text, 'code', 'rm')] });
  Ann.writes('@switch_bot is it safe?');
  await harness.sees(Ann.chatId, /^You said/);
  expect(lastQuestion()).toContain(`Read this (${HIDDEN}), do not run \`rm\``);
  expect(opened).toEqual([]);
});

test('a quoted part of a message keeps its formatting', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push('Because.');
  const text = 'never again';
  await brings(ann, {
    text: 'Why?',
    quote: { text, position: 0, entities: [entity(text, 'italic', 'again')] },
    external_reply: { origin: forward_origin },
  });
  await harness.sees(ann.chatId, 'Because.');
  expect(lastQuestion()).toBe('> never *again*\n\nWhy?');
});

test('a rich message is formatted alike', async () => {
  const ann = harness.user('Ann');
  harness.models.scripts.push('Yes.');
  const blocks: RichBlock[] = [
    { type: 'paragraph', text: ['Is ', { type: 'bold', text: 'this' }, ' right?'] },
    { type: 'pre', text: 'let x = 1', language: 'js' },
    { type: 'blockquote', blocks: [{ type: 'paragraph', text: 'It is' }] },
  ];
  ann.writes('', { blocks });
  await harness.sees(ann.chatId, 'Yes.');
  expect(lastQuestion()).toBe('Is **this** right?\n\n```js\nlet x = 1\n```\n\n> It is');
});

test('the title of a formatted question has no marks', async () => {
  const ann = harness.user('Ann');
  const text = 'Why is rust fast';
  ann.writes(text, { entities: [entity(text, 'bold', 'rust'), entity(text, 'code', 'fast')] });
  await harness.sees(ann.chatId, 'You said: Why is rust fast');
  ann.writes('/threads');
  await harness.sees(ann.chatId, /Why is rust fast/);
});

import { afterEach, describe, expect, test } from 'vitest';
import { isSummaryRequest } from '../../src/bot/inputs/read-question.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    openPage: async () => Buffer.from('<title>Bells</title><p>A bell weighs a ton.</p>'),
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.telegram.configureBot({ privacyMode: false });
});

const LONG = 'The bell was cast in 1812.\nIt weighs a ton.';
const QUOTED = '> The bell was cast in 1812.\n> It weighs a ton.';

test.each([
  ['summarise', true],
  ['Summarize this, please.', true],
  ['TL;DR', true],
  ['tldr?', true],
  ['/summarise@switch_bot', true],
  ['Кратко!', true],
  ['в чём суть?', true],
  ['Перескажи вкратце, пожалуйста', true],
  ['summarise the history of Rome', false],
  ['is this a summary?', false],
  ['кратко расскажи о Риме', false],
])('%s: asks for a summary: %s', (words, isRequest) => {
  expect(isSummaryRequest(words)).toBe(isRequest);
});

describe('a summary', () => {
  test.each([['@switch_bot tl;dr'], ['/summarise'], ['/tldr@switch_bot']])(
    'of another user’s message in a group is requested by %s in reply',
    async (words) => {
      const { Ann, Bob } = harness.group(['Ann', 'Bob']);
      const said = Bob.writes(LONG);
      harness.models.scripts.push('Old and heavy.');
      Ann.writes(words, { replyTo: said });
      await harness.sees(Ann.chatId, 'Old and heavy.');
      const asked = harness.models.requests.at(-1)?.messages;
      expect(asked).toHaveLength(1);
      expect(asked?.[0]?.content).toMatch(new RegExp(`^${QUOTED}\n\nSummarise the message above: [^/]*$`));
    },
  );

  test('can be requested of an answer, of text after the command, and of a linked page', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A long story.', 'Short.', 'Shorter.', 'A heavy bell.');
    ann.writes('Tell me');
    const { message } = await harness.sees(ann.chatId, 'A long story.');
    ann.writes('Summary', { replyTo: message.message_id });
    await harness.sees(ann.chatId, 'Short.');
    expect(harness.models.requests.at(-1)?.messages.map(({ content }) => `${content}`.slice(0, 21))).toEqual([
      'Tell me',
      'A long story.',
      'Summarise the message',
    ]);
    ann.writes(`/summarise ${LONG}`);
    await harness.sees(ann.chatId, 'Shorter.');
    expect(harness.models.requests.at(-1)?.messages.at(-1)?.content).toMatch(
      /^Summarise the message above.*\n\nThe bell was cast/,
    );
    const link = ann.writes('https://example.org/bells');
    await harness.sees(ann.chatId, /^I don’t open bare links/);
    ann.writes('/summarise', { replyTo: link });
    await harness.sees(ann.chatId, 'A heavy bell.');
    expect(harness.models.requests.at(-1)?.messages.at(-1)?.content).toMatch(
      /<document name="example.org">[\s\S]*A bell weighs a ton/,
    );
    ann.writes('/summarise');
    await harness.sees(ann.chatId, /^What should I summarise\?/);
  });

  test('of recent group messages needs the memory of the group, and the bot explains how to enable it', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Bob.writes('/summarise');
    await harness.sees(Ann.chatId, /^I don’t remember messages here/);
    await harness.groups.setRemembering(Ann.chatId, true);
    harness.telegram.configureBot({ privacyMode: true });
    Bob.writes('/summarise');
    await harness.sees(Ann.chatId, /^There are no recent messages here[\s\S]*\/setprivacy/);
    harness.telegram.configureBot({ privacyMode: false });
    Ann.writes('We meet at noon');
    harness.models.scripts.push('They meet at noon.');
    Bob.writes('/summarise');
    await harness.sees(Ann.chatId, 'They meet at noon.');
    expect(harness.models.requests.at(-1)?.messages.at(-1)?.content).toMatch(
      /Ann: We meet at noon[\s\S]*Summarise the recent messages/,
    );
  });
});

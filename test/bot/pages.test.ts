import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULT_TOOLS_CONFIG } from '../../src/core/tools/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { fetchPublic } from '../../src/lib/http/public-fetch.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate, createModelEntry } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const PAGE = '<!doctype html><title>Tea</title><body><h1>Tea</h1><script>alert(1)</script><p>Pour at 80 degrees.</p>';

const opened: string[] = [];
let gate = createGate();
gate.open();
const harness = startBeforeAll(() =>
  createBotHarness({
    models: [createModelEntry('plain', { acceptsTools: false }), createModelEntry('handy', { contextLength: 4000 })],
    tools: { builtIn: DEFAULT_TOOLS_CONFIG.builtIn },
    download: async () => Buffer.from('<p>Read by the tool.</p>'),
    openPage: async (url, signal) => {
      opened.push(url);
      await gate.passed;
      if (url.includes('away.md')) throw new Error('nobody is there');
      if (/words\.(md|page)/.test(url)) return Buffer.from(`<p>Words of ${new URL(url).pathname}</p>`);
      if (url.includes('long.md')) return Buffer.from('It rained all day. '.repeat(4000));
      if (url.endsWith('/marked')) return Buffer.from('\ufeff<html><body><p>Black tea</p></body></html>', 'utf16le');
      if (url.includes('tea.md')) return Buffer.from(PAGE);
      return fetchPublic({ clock: systemClock }, url, { maxBytes: 1000, timeoutMs: 1000, signal });
    },
  }),
);
afterEach(() => {
  opened.length = 0;
  gate.open();
  harness.models.scripts.length = 0;
});

/** Content of the last message in the last model request. */
const lastContent = () => harness.models.requests.at(-1)?.messages.at(-1)?.content;
const document = (host: string, words: string) => `<document name="${host}">\n${words}\n</document>`;

describe('a message that is only a link', () => {
  test('is opened only after a button press, and later questions have the page in their context', async () => {
    const ann = harness.user('Ann');
    ann.writes('https://tea.md/green?cup=1');
    await harness.sees(ann.chatId, 'I don’t open bare links. Tap to read this page.');
    expect(opened).toEqual([]);
    harness.models.scripts.push('About tea.', 'At 80 degrees.');
    await ann.presses('Read the page');
    await harness.sees(ann.chatId, 'About tea.');
    // Telegram edits the message after it has loaded the link preview.
    await harness.receives({
      edited_message: { ...harness.telegram.transcript(ann.chatId)[0]?.message, edit_date: 1 },
    });
    expect(opened).toEqual(['https://tea.md/green?cup=1']);
    ann.writes('How hot?');
    await harness.sees(ann.chatId, 'At 80 degrees.');
    const [question] = harness.models.requests.at(-1)?.messages ?? [];
    expect(question?.content).toMatch(
      /^<document name="tea\.md">\nTea\n+Pour at 80 degrees\.\n<\/document>\n\nWhat does this page say\? https:\/\/tea\.md\/green\?cup=1$/,
    );
    await harness.shows(ann.chatId, [
      'Ann: https://tea.md/green?cup=1',
      'Bot: About tea.',
      'Ann: How hot?',
      'Bot: At 80 degrees.',
    ]);
  });

  test.each(['http://127.0.0.1:1/secret', 'http://[::1]/', 'http://169.254.169.254/latest'])(
    'into a private network is not opened: %s',
    async (url) => {
      const ann = harness.user('Ann');
      ann.writes(url);
      await ann.presses('Read the page');
      await harness.sees(ann.chatId, /^I could not open .*: it may be offline, too large, or not public\./);
    },
  );

  test('is read as HTML by its content, with or without a byte order mark', async () => {
    const ann = harness.user('Ann');
    ann.writes('https://tea.md/marked');
    harness.models.scripts.push('About black tea.');
    await ann.presses('Read the page');
    await harness.sees(ann.chatId, 'About black tea.');
    expect(harness.models.requests.at(-1)?.messages.at(-1)?.content).toContain('>\nBlack tea\n</document>');
  });

  test('works without https:// as well', async () => {
    const ann = harness.user('Ann');
    ann.writes('www.words.page/tea');
    await harness.sees(ann.chatId, 'I don’t open bare links. Tap to read this page.');
    harness.models.scripts.push('About words.');
    await ann.presses('Read the page');
    await harness.sees(ann.chatId, 'About words.');
    expect(opened).toEqual(['https://www.words.page/tea']);
  });

  test('can be read later when no model is available', async () => {
    const ann = harness.user('Ann');
    const known = harness.models.models;
    harness.models.models = [];
    ann.writes('https://tea.md/later');
    await ann.presses('Read the page');
    await harness.sees(ann.chatId, /^No model is connected yet/);
    // Updates are handled in order, so the press is complete by then.
    ann.writes('/stop');
    await harness.sees(ann.chatId, 'There is nothing to stop.');
    harness.models.models = known;
    harness.models.scripts.push('Still about tea.');
    await ann.presses('Read the page');
    await harness.sees(ann.chatId, 'Still about tea.');
  });

  test('that is edited afterwards is read at its new address', async () => {
    const ann = harness.user('Ann');
    const link = ann.writes('https://words.md/one');
    harness.models.scripts.push('The first page.', 'The second page.');
    await ann.presses('Read the page');
    await harness.sees(ann.chatId, 'The first page.');
    harness.telegram.editMessage(ann.chatId, link, { text: 'https://words.md/two' });
    await harness.sees(ann.chatId, 'The second page.');
    expect(lastContent()).toBe(
      `${document('words.md', 'Words of /two')}\n\nWhat does this page say? https://words.md/two`,
    );
    expect(opened).toEqual(['https://words.md/one', 'https://words.md/two']);
  });
});

describe('links in a question, for a model without tools', () => {
  test('are opened with a status message, and not opened again', async () => {
    const ann = harness.user('Ann');
    gate = createGate();
    harness.models.scripts.push('They differ.', 'Still.');
    ann.writes('Compare https://words.md/a and https://www.words.md/b, and https://words.md/a again. Not readme.md');
    await harness.sees(ann.chatId, '📄 Reading: words.md\n📄 Reading: www.words.md');
    gate.open();
    await harness.sees(ann.chatId, 'They differ.');
    expect(lastContent()).toBe(
      [
        document('words.md', 'Words of /a'),
        document('www.words.md', 'Words of /b'),
        'Compare https://words.md/a and https://www.words.md/b, and https://words.md/a again. Not readme.md',
      ].join('\n\n'),
    );
    await ann.presses('🔄 Again');
    await harness.sees(ann.chatId, 'Still.');
    expect(opened).toEqual(['https://words.md/a', 'https://www.words.md/b']);
  });

  test('that cannot be opened are reported to the user and to the model', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('I can’t tell.');
    ann.writes('What does https://away.md/x say?');
    await harness.sees(ann.chatId, 'I can’t tell.');
    expect(lastContent()).toBe('[could not be opened: https://away.md/x]\n\nWhat does https://away.md/x say?');
    await harness.shows(ann.chatId, [
      'Ann: What does https://away.md/x say?',
      'Bot: I could not open away.md: it may be offline, too large, or not public.\nI’ll answer as well as I can without it.',
      'Bot: I can’t tell.',
    ]);
  });

  test('are read up to a maximum number and a maximum length', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Many.');
    ann.writes(`Which is best? ${[1, 2, 3, 4, 5, 6].map((number) => `https://words.md/${number}`).join(' ')}`);
    await harness.sees(ann.chatId, 'Many.');
    expect(opened).toHaveLength(4);
    expect(lastContent()).toMatch(
      /^\[could not be opened: https:\/\/words\.md\/5\]\n\[could not be opened: .*6\]\n\n<doc/,
    );
    await harness.sees(ann.chatId, 'I open up to 4 links at a time and skipped 2. Ask me about those separately.');
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    await harness.accounts.updateSettings(id, { model: 'handy', hasTools: false });
    harness.models.scripts.push('Rain.');
    ann.writes('/new');
    ann.writes('What does https://long.md/ say?');
    await harness.sees(ann.chatId, 'Rain.');
    expect(lastContent()).toMatch(/^<document name="long\.md" shown="the first \d%">\nIt rained/);
    await harness.sees(ann.chatId, /^long\.md is long: handy reads the first \d% of it\./);
  });

  test.each([
    ['into a private network', { text: 'How do I get into http://192.168.1.1 or http://printer.local/ ?' }],
    ['in code', { text: 'Why? curl https://words.md/a', entities: [{ type: 'code', offset: 5, length: 23 }] }],
    [
      'quoted',
      {
        text: 'See https://words.md/a\nIs that so?',
        entities: [
          { type: 'blockquote', offset: 0, length: 22 },
          { type: 'url', offset: 4, length: 18 },
        ],
      },
    ],
    ['that may be file names', { text: 'What is readme.md?', entities: [{ type: 'url', offset: 8, length: 9 }] }],
    [
      'forwarded',
      {
        text: 'See https://words.md/a',
        entities: [{ type: 'url', offset: 4, length: 18 }],
        forward_origin: { type: 'hidden_user', date: 1, sender_user_name: 'Bob' },
      },
    ],
  ])('are ignored: %s', async (_, content) => {
    const ann = harness.user('Ann');
    const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
    const chat = { id: ann.chatId, type: 'private', first_name: 'Ann' };
    harness.models.scripts.push('I see.');
    await harness.receives({ message: { message_id: 1, date: Math.floor(Date.now() / 1000), chat, from, ...content } });
    await harness.sees(ann.chatId, 'I see.');
    expect(opened).toEqual([]);
    await harness.shows(ann.chatId, ['Bot: I see.']);
  });

  test('are read again after an edit only if they are new', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('One.', 'Two.', 'Two.', 'None.');
    const asked = ann.writes('What do https://words.md/a and https://words.md/b say?');
    await harness.sees(ann.chatId, 'One.');
    harness.telegram.editMessage(ann.chatId, asked, { text: 'What do https://words.md/a and https://words.md/c say?' });
    await harness.sees(ann.chatId, 'Two.');
    expect(opened).toEqual(['https://words.md/a', 'https://words.md/b', 'https://words.md/c']);
    expect(lastContent()).toContain('Words of /c');
    expect(lastContent()).not.toContain('Words of /b');
  });

  test('in a second message of the same question are read as well', async () => {
    const ann = harness.user('Ann');
    gate = createGate();
    harness.models.scripts.push('Both.', 'Both, really.');
    ann.writes('What does https://words.md/a say?');
    await harness.sees(ann.chatId, /Reading/);
    ann.writes('And what https://words.md/b ?');
    await harness.passes(500);
    gate.open();
    await harness.sees(ann.chatId, /^Both/);
    await harness.settles(ann.chatId);
    expect(lastContent()).toMatch(/Words of \/a[\s\S]*Words of \/b[\s\S]*say\?\n\nAnd what/);
  });

  test('are read in groups, including those of the replied-to message', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const link = Bob.writes('https://words.md/news');
    const post = Bob.writes(`${'So much happened today, and all of it at once. '.repeat(4)} https://words.md/post`);
    harness.models.scripts.push('News.', 'No idea.', 'A post.');
    Ann.writes('@switch_bot is that true?', { replyTo: link });
    await harness.sees(Ann.chatId, 'News.');
    expect(lastContent()).toBe(`${document('words.md', 'Words of /news')}\n\n> https://words.md/news\n\nis that true?`);
    Ann.writes('@switch_bot is that true?', { replyTo: post });
    await harness.sees(Ann.chatId, 'No idea.');
    expect(opened).toEqual(['https://words.md/news']);
    Ann.writes('@switch_bot what does the link say?', { replyTo: post });
    await harness.sees(Ann.chatId, 'A post.');
    expect(lastContent()).toContain('Words of /post');
  });

  test.each([
    [
      'What does it say?',
      '[could not be opened: https://away.md/alone]\n\n[link] https://away.md/alone\n\nWhat does it say?',
    ],
    ['Wie spät ist es?', 'Wie spät ist es?'],
  ])('sent alone right before are included if the question refers to them: %s', async (words, content) => {
    const ann = harness.user('Ann');
    ann.writes('https://away.md/alone');
    await harness.sees(ann.chatId, 'I don’t open bare links. Tap to read this page.');
    harness.models.scripts.push('I see.', 'I see again.');
    const asked = ann.writes(words);
    await harness.sees(ann.chatId, 'I see.');
    expect(lastContent()).toBe(content);
    // An edit that corrects a typo does not change that.
    harness.telegram.editMessage(ann.chatId, asked, { text: `${words}!` });
    await harness.sees(ann.chatId, 'I see again.');
    expect(lastContent()).toBe(`${content}!`);
    ann.writes('And is that all?');
    await harness.sees(ann.chatId, 'You said: And is that all?');
  });

  test('are read in inline mode', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A page.');
    const { queryId } = await ann.asksInline('what is on https://words.md/inline?');
    harness.telegram.chooseInlineResult({ inlineQueryId: queryId, resultId: 'ask', chatId: ann.chatId });
    await harness.shows(ann.chatId, ['Ann: what is on https://words.md/inline?\nA page. [Continue in the chat]']);
    expect(lastContent()).toContain('Words of /inline');
  });
});

describe('links in a question, for a model with tools', () => {
  test('are left to the model, including text links', async () => {
    const ann = harness.user('Ann');
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    await harness.accounts.updateSettings(id, { model: 'handy' });
    harness.models.scripts.push([{ name: 'read_web_page', arguments: { url: 'https://words.md/a' } }], 'By the tool.');
    ann.writes('What does https://words.md/a say?');
    await harness.sees(ann.chatId, 'By the tool.');
    expect(opened).toEqual([]);
    const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
    const chat = { id: ann.chatId, type: 'private', first_name: 'Ann' };
    const entities = [{ type: 'text_link', offset: 8, length: 4, url: 'https://words.md/hidden' }];
    harness.models.scripts.push('Hidden.');
    ann.writes('/new');
    const date = Math.floor(Date.now() / 1000);
    await harness.receives({ message: { message_id: 9000, date, chat, from, text: 'Is this here right?', entities } });
    await harness.sees(ann.chatId, 'Hidden.');
    expect(lastContent()).toBe('Is this here (https://words.md/hidden) right?');
    expect(opened).toEqual([]);
  });
});

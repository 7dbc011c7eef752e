import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { fetchPublic } from '../../src/lib/public-fetch.ts';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';

const PAGE = '<!doctype html><title>Tea</title><body><h1>Tea</h1><script>alert(1)</script><p>Pour at 80 degrees.</p>';

let play: BotPlay;
const opened: string[] = [];
beforeAll(async () => {
  play = await createBotPlay({
    openPage: async (url, signal) => {
      opened.push(url);
      if (url.endsWith('/marked')) return Buffer.from('\ufeff<html><body><p>Black tea</p></body></html>', 'utf16le');
      if (url.includes('tea.md')) return Buffer.from(PAGE);
      return fetchPublic({ clock: systemClock }, url, { maxBytes: 1000, timeoutMs: 1000, signal });
    },
  });
});
afterAll(() => play.close());

describe('a link and nothing else', () => {
  test('is opened only when its button is pressed, and later questions know the page', async () => {
    const ann = play.person('Ann');
    ann.writes('https://tea.md/green?cup=1');
    await play.sees(ann.chatId, 'I open links only when I am asked to.');
    expect(opened).toEqual([]);
    play.models.scripts.push('About tea.', 'At 80 degrees.');
    await ann.presses('Read the page');
    await play.sees(ann.chatId, 'About tea.');
    // Telegram has found out what to show of the link.
    await play.receives({ edited_message: { ...play.telegram.transcript(ann.chatId)[0]?.message, edit_date: 1 } });
    expect(opened).toEqual(['https://tea.md/green?cup=1']);
    ann.writes('How hot?');
    await play.sees(ann.chatId, 'At 80 degrees.');
    const [question] = play.models.requests.at(-1)?.messages ?? [];
    expect(question?.content).toMatch(
      /^<document name="tea\.md">\nTea\n+Pour at 80 degrees\.\n<\/document>\n\nWhat does this page say\? https:\/\/tea\.md\/green\?cup=1$/,
    );
    await play.shows(ann.chatId, [
      'Ann: https://tea.md/green?cup=1',
      'Bot: About tea.',
      'Ann: How hot?',
      'Bot: At 80 degrees.',
    ]);
  });

  test.each(['http://127.0.0.1:1/secret', 'http://[::1]/', 'http://169.254.169.254/latest'])(
    'that leads into the network of the operator leads nowhere: %s',
    async (url) => {
      const ann = play.person('Ann');
      ann.writes(url);
      await ann.presses('Read the page');
      await play.sees(ann.chatId, /^I could not open .*: it may be away, too large, or not open to everybody\./);
    },
  );

  test('is known for a page by what is in it, marks of encodings or not', async () => {
    const ann = play.person('Ann');
    ann.writes('https://tea.md/marked');
    play.models.scripts.push('About black tea.');
    await ann.presses('Read the page');
    await play.sees(ann.chatId, 'About black tea.');
    expect(play.models.requests.at(-1)?.messages.at(-1)?.content).toContain('>\nBlack tea\n</document>');
  });

  test('can be read later where nobody can answer now', async () => {
    const ann = play.person('Ann');
    const known = play.models.models;
    play.models.models = [];
    ann.writes('https://tea.md/later');
    await ann.presses('Read the page');
    await play.sees(ann.chatId, /^No model is connected yet/);
    // One after the other: the press is done with by then.
    ann.writes('/stop');
    await play.sees(ann.chatId, 'There is nothing to stop.');
    play.models.models = known;
    play.models.scripts.push('Still about tea.');
    await ann.presses('Read the page');
    await play.sees(ann.chatId, 'Still about tea.');
  });

  test('with words around it is a question like any', async () => {
    const ann = play.person('Ann');
    ann.writes('Is https://tea.md/ a good name?');
    await play.sees(ann.chatId, 'You said: Is https://tea.md/ a good name?');
  });
});

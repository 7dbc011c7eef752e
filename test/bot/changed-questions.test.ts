import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { createGate, goOnFrom, type ModelScript } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness({ openPage: async () => Buffer.from('A page.') }));
beforeEach(() => {
  harness.models.scripts.length = 0;
});

type User = ReturnType<BotHarness['user']>;

const shows = async (who: User, ...lines: readonly string[]) => {
  await harness.shows(who.chatId, lines);
  await harness.settles(who.chatId);
};
const lastContents = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);
const edits = (who: User, messageId: number, text: string) =>
  harness.telegram.editMessage(who.chatId, messageId, { text });
/** Waits until every update so far is handled, as updates of a chat are handled in order. */
const listened = async (who: User) => {
  who.writes('/nothing');
  await harness.sees(who.chatId, /^I don’t know \/nothing/);
};
/** A script that waits for the gate, then writes these words. */
const late =
  (gate: { readonly passed: Promise<void> }, words: string): ModelScript =>
  async (write) => {
    await gate.passed;
    write(words);
    return 'stop';
  };

describe('an edited question', () => {
  test('gets a new answer in the messages of the old one, and the conversation continues from there', async () => {
    const ann = harness.user('Ann');
    const hello = ann.writes('Helo');
    await shows(ann, 'Ann: Helo', 'Bot: You said: Helo');
    edits(ann, hello, 'Hello');
    await shows(ann, 'Ann: Hello', 'Bot: You said: Hello');
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    expect(lastContents()).toEqual(['Hello', 'You said: Hello', 'And?']);
  });

  test('with unchanged text gets no new answer', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('I see.');
    const hello = ann.writes('See https://example.org');
    await shows(ann, 'Ann: See https://example.org', 'Bot: I see.');
    const requestCount = harness.models.requests.length;
    await harness.receives({
      edited_message: { ...harness.telegram.transcript(ann.chatId)[0]?.message, message_id: hello, edit_date: 1 },
    });
    expect(harness.models.requests).toHaveLength(requestCount);
  });

  test('that waits for its answer is answered with the new text', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push(async (write) => {
      write('Begun');
      await gate.passed;
      write(' and done.');
      return 'stop';
    });
    ann.writes('First');
    await harness.sees(ann.chatId, 'Begun');
    const second = ann.writes('Secnod');
    edits(ann, second, 'Second');
    await listened(ann);
    gate.open();
    await harness.sees(ann.chatId, 'You said: Second');
    expect(harness.lines(ann.chatId)).not.toContain('Bot: You said: Secnod');
  });

  test('whose answer is being written restarts the answer', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(goOnFrom('To the wrong words'));
    const hello = ann.writes('Helo');
    await harness.sees(ann.chatId, 'To the wrong words');
    edits(ann, hello, 'Hello');
    await shows(ann, 'Ann: Hello', 'Bot: You said: Hello');
  });

  test('with later messages below it gets a button that answers again on a new branch', async () => {
    const ann = harness.user('Ann');
    const hello = ann.writes('Helo');
    await harness.sees(ann.chatId, 'You said: Helo');
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    await harness.settles(ann.chatId);
    for (const words of ['Hello', 'Hello!']) edits(ann, hello, words);
    await harness.sees(ann.chatId, /^You edited an earlier message/);
    await listened(ann);
    const offers = harness.lines(ann.chatId).filter((line) => line.endsWith('[Answer again]'));
    expect(offers).toHaveLength(1);
    await ann.presses('Answer again');
    const { message } = await harness.sees(ann.chatId, 'You said: Hello!');
    expect(message.reply_to_message?.message_id).toBe(hello);
    expect(lastContents()).toEqual(['Hello!']);
    await harness.settles(ann.chatId);
    await expect.poll(() => harness.lines(ann.chatId).join()).not.toContain('Answer again');
    ann.writes('More');
    await harness.sees(ann.chatId, 'You said: More');
    expect(lastContents()).toEqual(['Hello!', 'You said: Hello!', 'More']);
  });

  test('in a group counts only if it addresses the bot', async () => {
    const { Ann } = harness.group(['Ann']);
    const hello = Ann.writes('@switch_bot Helo');
    await harness.sees(Ann.chatId, 'You said: Helo');
    await harness.settles(Ann.chatId);
    edits(Ann, hello, 'Said to nobody');
    edits(Ann, hello, '@switch_bot Hello');
    await shows(Ann, 'Ann: @switch_bot Hello', 'Bot: You said: Hello');
    expect(harness.models.requests.map(({ messages }) => messages.at(-1)?.content)).not.toContain('Said to nobody');
  });

  test('that was a command changes nothing', async () => {
    const ann = harness.user('Ann');
    const help = ann.writes('/help');
    await harness.sees(ann.chatId, /Write a message/);
    const lines = harness.lines(ann.chatId).length;
    edits(ann, help, 'help');
    edits(ann, help, '/help please');
    await listened(ann);
    expect(harness.lines(ann.chatId)).toHaveLength(lines + 2);
  });
});

test('an update of a live location asks no new question', async () => {
  const ann = harness.user('Ann');
  const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
  const chat = { id: ann.chatId, type: 'private', first_name: 'Ann' };
  const toMessage = (latitude: number) => ({
    ...{ message_id: 900, date: Math.floor(Date.now() / 1000), from, chat },
    location: { latitude, longitude: 13.4, live_period: 600 },
  });
  await harness.receives({ message: toMessage(52.5) });
  await harness.sees(ann.chatId, 'You said: [location] 52.5, 13.4, shared live');
  const requestCount = harness.models.requests.length;
  await harness.receives({ edited_message: { ...toMessage(52.6), edit_date: 1 } });
  expect(harness.models.requests).toHaveLength(requestCount);
});

describe('several messages in a row', () => {
  test('become one question before the answer begins', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push(late(gate, 'never shown'), late(gate, 'never shown'));
    const first = ann.writes('Hello');
    ann.writes('I have a question');
    ann.writes('Why?');
    await vi.waitFor(() => expect(lastContents()).toEqual(['Hello\n\nI have a question\n\nWhy?']));
    gate.open();
    await harness.sees(ann.chatId, /Why\?$/);
    await harness.settles(ann.chatId);
    expect(harness.lines(ann.chatId).filter((line) => line.startsWith('Bot'))).toHaveLength(1);
    edits(ann, first, 'Good morning');
    await harness.sees(ann.chatId, /^You said: Good morning\s+I have a question\s+Why\?$/);
    expect(lastContents()).toEqual(['Good morning\n\nI have a question\n\nWhy?']);
  });

  test('that are parts of one cut text are joined without a separator', async () => {
    const ann = harness.user('Ann');
    const text = 'abcdefgh '.repeat(700).trim();
    ann.writes(text.slice(0, 4096));
    ann.writes(text.slice(4096));
    await vi.waitFor(() => expect(lastContents()?.join('').length).toBe(text.length));
    expect(lastContents()?.[0] === text).toBe(true);
    await harness.settles(ann.chatId);
  });

  test('get a reaction while they wait, lose it when their turn comes, and can be discarded together', async () => {
    const ann = harness.user('Ann');
    const [words, end] = [createGate(), createGate()];
    harness.models.scripts.push(async (write) => {
      write('Begun');
      await words.passed;
      write(' and on');
      await end.passed;
      return 'stop';
    });
    ann.writes('First');
    await harness.sees(ann.chatId, 'Begun');
    const second = ann.writes('Second');
    const reactions = () =>
      harness.telegram
        .calls('setMessageReaction')
        .filter(({ params }) => params['message_id'] === second)
        .map(({ params }) => JSON.stringify(params['reaction']));
    await vi.waitFor(() => expect(reactions()).toEqual([expect.stringContaining('👀')]));
    words.open();
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toBe('Stop Discard 1 waiting'));
    expect(await ann.presses('Discard 1 waiting')).toBe('1 waiting message was discarded.');
    await vi.waitFor(() => expect(reactions()).toEqual([expect.stringContaining('👀'), '[]']));
    end.open();
    await shows(ann, 'Ann: First', 'Bot: Begun and on', 'Ann: Second');
  });
});

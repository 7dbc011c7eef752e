import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';
import { createGate, goOnFrom, type ModelScript } from '../support/scripted-models.ts';

let play: BotPlay;
beforeAll(async () => {
  play = await createBotPlay({ openPage: async () => Buffer.from('A page.') });
});
afterAll(() => play.close());
beforeEach(() => {
  play.models.scripts.length = 0;
});

type User = ReturnType<BotPlay['person']>;

const shows = async (who: User, ...lines: readonly string[]) => {
  await play.shows(who.chatId, lines);
  await play.settles(who.chatId);
};
const heard = () => play.models.requests.at(-1)?.messages.map(({ content }) => content);
const edits = (who: User, messageId: number, text: string) =>
  play.telegram.editMessage(who.chatId, messageId, { text });
/** Waits until every update so far is handled, as updates of a chat are handled in order. */
const listened = async (who: User) => {
  who.writes('/nothing');
  await play.sees(who.chatId, /^I don't know \/nothing/);
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
    const ann = play.person('Ann');
    const hello = ann.writes('Helo');
    await shows(ann, 'Ann: Helo', 'Bot: You said: Helo');
    edits(ann, hello, 'Hello');
    await shows(ann, 'Ann: Hello', 'Bot: You said: Hello');
    ann.writes('And?');
    await play.sees(ann.chatId, 'You said: And?');
    expect(heard()).toEqual(['Hello', 'You said: Hello', 'And?']);
  });

  test('with unchanged text gets no new answer', async () => {
    const ann = play.person('Ann');
    play.models.scripts.push('I see.');
    const hello = ann.writes('See https://example.org');
    await shows(ann, 'Ann: See https://example.org', 'Bot: I see.');
    const requestCount = play.models.requests.length;
    await play.receives({
      edited_message: { ...play.telegram.transcript(ann.chatId)[0]?.message, message_id: hello, edit_date: 1 },
    });
    expect(play.models.requests).toHaveLength(requestCount);
  });

  test('that waits for its answer is answered with the new text', async () => {
    const ann = play.person('Ann');
    const gate = createGate();
    play.models.scripts.push(async (write) => {
      write('Begun');
      await gate.passed;
      write(' and done.');
      return 'stop';
    });
    ann.writes('First');
    await play.sees(ann.chatId, 'Begun');
    const second = ann.writes('Secnod');
    edits(ann, second, 'Second');
    await listened(ann);
    gate.open();
    await play.sees(ann.chatId, 'You said: Second');
    expect(play.lines(ann.chatId)).not.toContain('Bot: You said: Secnod');
  });

  test('whose answer is being written restarts the answer', async () => {
    const ann = play.person('Ann');
    play.models.scripts.push(goOnFrom('To the wrong words'));
    const hello = ann.writes('Helo');
    await play.sees(ann.chatId, 'To the wrong words');
    edits(ann, hello, 'Hello');
    await shows(ann, 'Ann: Hello', 'Bot: You said: Hello');
  });

  test('with later messages below it gets a button that answers again on a new branch', async () => {
    const ann = play.person('Ann');
    const hello = ann.writes('Helo');
    await play.sees(ann.chatId, 'You said: Helo');
    ann.writes('And?');
    await play.sees(ann.chatId, 'You said: And?');
    await play.settles(ann.chatId);
    for (const words of ['Hello', 'Hello!']) edits(ann, hello, words);
    await play.sees(ann.chatId, /^You edited an earlier message/);
    await listened(ann);
    const offers = play.lines(ann.chatId).filter((line) => line.endsWith('[Answer again]'));
    expect(offers).toHaveLength(1);
    await ann.presses('Answer again');
    const { message } = await play.sees(ann.chatId, 'You said: Hello!');
    expect(message.reply_to_message?.message_id).toBe(hello);
    expect(heard()).toEqual(['Hello!']);
    await play.settles(ann.chatId);
    await expect.poll(() => play.lines(ann.chatId).join()).not.toContain('Answer again');
    ann.writes('More');
    await play.sees(ann.chatId, 'You said: More');
    expect(heard()).toEqual(['Hello!', 'You said: Hello!', 'More']);
  });

  test('in a group counts only if it addresses the bot', async () => {
    const { Ann } = play.group(['Ann']);
    const hello = Ann.writes('@switch_bot Helo');
    await play.sees(Ann.chatId, 'You said: Helo');
    await play.settles(Ann.chatId);
    edits(Ann, hello, 'Said to nobody');
    edits(Ann, hello, '@switch_bot Hello');
    await shows(Ann, 'Ann: @switch_bot Hello', 'Bot: You said: Hello');
    expect(play.models.requests.map(({ messages }) => messages.at(-1)?.content)).not.toContain('Said to nobody');
  });

  test('that was a command changes nothing', async () => {
    const ann = play.person('Ann');
    const help = ann.writes('/help');
    await play.sees(ann.chatId, /Write a message/);
    const lines = play.lines(ann.chatId).length;
    edits(ann, help, 'help');
    edits(ann, help, '/help please');
    await listened(ann);
    expect(play.lines(ann.chatId)).toHaveLength(lines + 2);
  });
});

test('an update of a live location asks no new question', async () => {
  const ann = play.person('Ann');
  const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
  const chat = { id: ann.chatId, type: 'private', first_name: 'Ann' };
  const toMessage = (latitude: number) => ({
    ...{ message_id: 900, date: Math.floor(Date.now() / 1000), from, chat },
    location: { latitude, longitude: 13.4, live_period: 600 },
  });
  await play.receives({ message: toMessage(52.5) });
  await play.sees(ann.chatId, 'You said: [location] 52.5, 13.4, shared live');
  const requestCount = play.models.requests.length;
  await play.receives({ edited_message: { ...toMessage(52.6), edit_date: 1 } });
  expect(play.models.requests).toHaveLength(requestCount);
});

describe('several messages in a row', () => {
  test('become one question before the answer begins', async () => {
    const ann = play.person('Ann');
    const gate = createGate();
    play.models.scripts.push(late(gate, 'never shown'), late(gate, 'never shown'));
    const first = ann.writes('Hello');
    ann.writes('I have a question');
    ann.writes('Why?');
    await vi.waitFor(() => expect(heard()).toEqual(['Hello\n\nI have a question\n\nWhy?']));
    gate.open();
    await play.sees(ann.chatId, /Why\?$/);
    await play.settles(ann.chatId);
    expect(play.lines(ann.chatId).filter((line) => line.startsWith('Bot'))).toHaveLength(1);
    edits(ann, first, 'Good morning');
    await play.sees(ann.chatId, /^You said: Good morning\s+I have a question\s+Why\?$/);
    expect(heard()).toEqual(['Good morning\n\nI have a question\n\nWhy?']);
  });

  test('that are parts of one cut text are joined without a separator', async () => {
    const ann = play.person('Ann');
    const text = 'abcdefgh '.repeat(700).trim();
    ann.writes(text.slice(0, 4096));
    ann.writes(text.slice(4096));
    await vi.waitFor(() => expect(heard()?.join('').length).toBe(text.length));
    expect(heard()?.[0] === text).toBe(true);
    await play.settles(ann.chatId);
  });

  test('get a reaction while they wait, lose it when their turn comes, and can be discarded together', async () => {
    const ann = play.person('Ann');
    const [words, end] = [createGate(), createGate()];
    play.models.scripts.push(async (write) => {
      write('Begun');
      await words.passed;
      write(' and on');
      await end.passed;
      return 'stop';
    });
    ann.writes('First');
    await play.sees(ann.chatId, 'Begun');
    const second = ann.writes('Second');
    const reactions = () =>
      play.telegram
        .calls('setMessageReaction')
        .filter(({ params }) => params['message_id'] === second)
        .map(({ params }) => JSON.stringify(params['reaction']));
    await vi.waitFor(() => expect(reactions()).toEqual([expect.stringContaining('👀')]));
    words.open();
    await vi.waitFor(() => expect(play.buttons(ann.chatId)).toBe('Stop Discard 1 waiting'));
    expect(await ann.presses('Discard 1 waiting')).toBe("1 message waiting for an answer won't get one.");
    await vi.waitFor(() => expect(reactions()).toEqual([expect.stringContaining('👀'), '[]']));
    end.open();
    await shows(ann, 'Ann: First', 'Bot: Begun and on', 'Ann: Second');
  });
});

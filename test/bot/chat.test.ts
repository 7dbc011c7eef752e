import { describe, expect, test, vi } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate, goOnFrom } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

/** Messages of the last model request, one line each. */
function lastRequest(): string[] {
  return (harness.models.requests.at(-1)?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);
}

describe('a conversation', () => {
  test('answers a message and continues with the next one', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Hello **Ann**!', 'Fine.');
    ann.writes('Hi there');
    await harness.shows(ann.chatId, ['Ann: Hi there', 'Bot: Hello Ann!']);
    ann.writes('How are you?');
    await harness.shows(ann.chatId, ['Ann: Hi there', 'Bot: Hello Ann!', 'Ann: How are you?', 'Bot: Fine.']);
    expect(lastRequest()).toEqual(['user: Hi there', 'assistant: Hello **Ann**!', 'user: How are you?']);
  });

  test('streams the answer, with a Stop button that is removed at the end', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push(async (write) => {
      write('One two ');
      await gate.passed;
      write('three.');
      return 'stop';
    });
    ann.writes('Count');
    await harness.shows(ann.chatId, ['Ann: Count', 'Bot: One two [Stop]']);
    gate.open();
    await harness.shows(ann.chatId, ['Ann: Count', 'Bot: One two three.']);
  });

  test('starts again with /new', async () => {
    const ann = harness.user('Ann');
    ann.writes('My name is Ann');
    await harness.sees(ann.chatId, 'You said: My name is Ann');
    ann.writes('/new');
    await harness.sees(ann.chatId, /New conversation/);
    ann.writes('What is my name?');
    await harness.sees(ann.chatId, 'You said: What is my name?');
    expect(lastRequest()).toEqual(['user: What is my name?']);
  });

  test('branches at a reply to an older answer', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('A dog.', 'A loud one.', 'A quiet one.', 'Very.');
    ann.writes('Name an animal');
    const dog = await harness.sees(ann.chatId, 'A dog.');
    ann.writes('Which kind?');
    await harness.sees(ann.chatId, 'A loud one.');
    ann.writes('Another kind?', { replyTo: dog.message.message_id });
    await harness.sees(ann.chatId, 'A quiet one.');
    expect(lastRequest()).toEqual(['user: Name an animal', 'assistant: A dog.', 'user: Another kind?']);
    ann.writes('How quiet?');
    await harness.sees(ann.chatId, 'Very.');
    expect(lastRequest()).toContain('assistant: A quiet one.');
    expect(lastRequest()).not.toContain('assistant: A loud one.');
  });

  test('quotes the message that a user replies to if the model has not seen it', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const said = Bob.writes('Bells are\nloud');
    Ann.writes('@switch_bot is that true?', { replyTo: said });
    await harness.sees(Ann.chatId, /You said/);
    expect(lastRequest()).toEqual(['user: > Bells are\n> loud\n\nis that true?']);
  });

  test('splits long answers over several messages without losing text', async () => {
    const ann = harness.user('Ann');
    const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}: ${'word '.repeat(30).trim()}.`);
    harness.models.scripts.push(paragraphs.join('\n\n'));
    ann.writes('Tell me everything');
    await harness.sees(ann.chatId, /Paragraph 59/);
    const pages = harness.lines(ann.chatId).slice(1);
    expect(pages.length).toBeGreaterThan(1);
    for (const paragraph of paragraphs) expect(pages.join('\n')).toContain(paragraph);
  });

  test('records usage for the user who asked', async () => {
    const ann = harness.user('Ann');
    const bob = harness.user('Bob');
    ann.writes('one');
    await harness.sees(ann.chatId, 'You said: one');
    bob.writes('two');
    await harness.sees(bob.chatId, 'You said: two');
    const users = await Promise.all([ann, bob].map(({ id }) => harness.accounts.ensureTelegramUser(id)));
    await vi.waitFor(async () =>
      expect(await harness.listCharged()).toEqual(expect.arrayContaining(users.map(({ id }) => id))),
    );
  });
});

describe('messages that arrive during an answer', () => {
  test('are answered in order, each as a reply', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push(
      async (write) => {
        write('First answer');
        await gate.passed;
        return 'stop';
      },
      'Second answer',
      'Third answer',
    );
    ann.writes('first');
    await harness.sees(ann.chatId, 'First answer');
    const second = ann.writes('second');
    // Taken in less than 3 s after the second one, the third one would be merged into it.
    await harness.hasHandledAll();
    await harness.passes(4000);
    ann.writes('third');
    await harness.hasHandledAll();
    gate.open();
    const shown = ['Ann: first', 'Bot: First answer', 'Ann: second', 'Ann: third'];
    await harness.shows(ann.chatId, [...shown, 'Bot: Second answer', 'Bot: Third answer']);
    const answer = await harness.sees(ann.chatId, 'Second answer');
    expect(answer.message.reply_to_message?.message_id).toBe(second);
    expect(lastRequest()).toEqual([
      'user: first',
      'assistant: First answer',
      'user: second',
      'assistant: Second answer',
      'user: third',
    ]);
  });

  test('are refused with a notice when the queue is full', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push(async () => {
      await gate.passed;
      return 'stop';
    });
    const first = ann.writes('question 0');
    for (let count = 1; count < 7; count++) ann.writes(`question ${count}`, { replyTo: first });
    await harness.sees(ann.chatId, /5 messages already wait/);
    ann.writes('/stop');
    await harness.sees(ann.chatId, /5 waiting messages were discarded/);
    expect(harness.lines(ann.chatId).filter((line) => line.startsWith('Bot:'))).toHaveLength(2);
    gate.open();
  });
});

describe('stopping an answer', () => {
  const endless = goOnFrom('On and on ');

  test('keeps the text so far when Stop is pressed', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(endless);
    ann.writes('Go');
    await harness.sees(ann.chatId, 'On and on');
    expect(await ann.presses('Stop')).toBe('Stopped.');
    await harness.shows(ann.chatId, ['Ann: Go', 'Bot: On and on\n\n⏹ Stopped']);
    ann.writes('Why?');
    await harness.sees(ann.chatId, 'You said: Why?');
    expect(lastRequest()).toEqual(['user: Go', 'assistant: On and on', 'user: Why?']);
  });

  test('keeps the text so far after /stop and confirms it', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(endless);
    ann.writes('Go');
    await harness.sees(ann.chatId, 'On and on');
    ann.writes('/stop');
    await harness.shows(ann.chatId, ['Ann: Go', 'Bot: On and on\n\n⏹ Stopped', 'Ann: /stop', 'Bot: Stopped.']);
  });

  test('appends a mark below open formatting in the chat only, not in the stored text', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(goOnFrom('```js\nlet x = 1;'));
    ann.writes('Go');
    await harness.sees(ann.chatId, 'let x = 1;');
    await ann.presses('Stop');
    // Formatting that the answer left open is closed above the mark.
    const { message } = await harness.sees(ann.chatId, 'let x = 1;\n\n⏹ Stopped');
    expect(message.entities).toEqual([
      { type: 'pre', offset: 0, length: 10, language: 'js' },
      { type: 'italic', offset: 12, length: 9 },
    ]);
    const kept = await harness.conversations.findByDelivery(ann.chatId, message.message_id);
    expect(kept).toMatchObject({ content: '```js\nlet x = 1;', finishReason: 'stopped' });
    ann.writes('Why?');
    await harness.sees(ann.chatId, 'You said: Why?');
    expect(lastRequest()).toEqual(['user: Go', 'assistant: ```js\nlet x = 1;', 'user: Why?']);
  });

  test('appends the mark below a table, and in a message of its own if the last page is full', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(goOnFrom('| a | b |\n| - | - |\n| 1 | 2 |\n'));
    ann.writes('A table');
    await expect.poll(() => harness.buttons(ann.chatId)).toBe('Stop');
    await ann.presses('Stop');
    await harness.settles(ann.chatId);
    const table = harness.telegram.transcript(ann.chatId).at(-1)?.message.rich_message;
    expect(table?.blocks.map(({ type }) => type)).toEqual(['table', 'paragraph']);
    expect(JSON.stringify(table?.blocks.at(-1))).toContain('⏹ Stopped');
    harness.models.scripts.push(goOnFrom('x'.repeat(4096)));
    ann.writes('A page');
    await expect.poll(() => harness.buttons(ann.chatId)).toBe('Stop');
    await ann.presses('Stop');
    await harness.sees(ann.chatId, /^⏹ Stopped$/);
    await harness.settles(ann.chatId);
    expect(harness.lines(ann.chatId).slice(-2)).toEqual([`Bot: ${'x'.repeat(4096)}`, 'Bot: ⏹ Stopped']);
  });

  test('is answered with a notice when no answer is running', async () => {
    const ann = harness.user('Ann');
    ann.writes('/stop');
    await harness.sees(ann.chatId, 'There is nothing to stop.');
  });
});

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ProviderUnavailableError } from '../../src/core/models/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { createGate, createModelEntry, goOnFrom, type ModelScript } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const LONG_NAME = `vendor/${'a-very-long-name-of-a-model-'.repeat(8)}70b:free`;

const harness = startBeforeAll(() =>
  createBotHarness({ models: ['basic', 'clever', LONG_NAME].map((id) => createModelEntry(id)) }),
);
beforeEach(() => {
  harness.models.scripts.length = 0;
});

type User = ReturnType<BotHarness['user']>;

const away = () => new ProviderUnavailableError('test', 'away', { status: 503 });
const shows = async (who: User, buttons: string, ...lines: readonly string[]) => {
  await harness.shows(who.chatId, lines);
  await vi.waitFor(() => expect(harness.buttons(who.chatId)).toBe(buttons));
  await harness.settles(who.chatId);
};
/** Contents of the messages in the last model request. */
const lastContents = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);
/** An answer with the finish reason `length`. */
const cutOff =
  (text: string): ModelScript =>
  async (write) => {
    write(text);
    return 'length';
  };

const asked = async (answer: ModelScript = 'First.') => {
  const ann = harness.user('Ann');
  harness.models.scripts.push(answer);
  ann.writes('Hello');
  await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toContain('🔄'));
  await harness.settles(ann.chatId);
  return ann;
};

describe('a variant of an answer', () => {
  test('replaces the first answer in its messages, and the arrows switch between both', async () => {
    const ann = await asked();
    expect(harness.buttons(ann.chatId)).toBe('🔄 Again Other model ⋯');
    harness.models.scripts.push('Second.');
    expect(await ann.presses('🔄 Again')).toBe('Writing another answer…');
    await shows(ann, '‹ 2/2 · basic › ⋯', 'Ann: Hello', 'Bot: Second.');
    expect(lastContents()).toEqual(['Hello']);
    await ann.presses('‹');
    await shows(ann, '‹ 1/2 · basic › ⋯', 'Ann: Hello', 'Bot: First.');
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    expect(lastContents()).toEqual(['Hello', 'First.', 'And?']);
  });

  test('continues the conversation when it is the one shown', async () => {
    const ann = await asked();
    harness.models.scripts.push('Second.');
    await ann.presses('🔄 Again');
    await shows(ann, '‹ 2/2 · basic › ⋯', 'Ann: Hello', 'Bot: Second.');
    await harness.settles(ann.chatId);
    ann.writes('And?');
    await shows(ann, '🔄 Again Other model ⋯', 'Ann: Hello', 'Bot: Second.', 'Ann: And?', 'Bot: You said: And?');
    expect(lastContents()).toEqual(['Hello', 'Second.', 'And?']);
    await expect.poll(() => harness.telegram.transcript(ann.chatId)[1]?.message.reply_markup).toBeUndefined();
  });

  test('streams into the messages of the first answer, and Stop ends it', async () => {
    const ann = await asked();
    const gate = createGate();
    harness.models.scripts.push(async (write, signal) => {
      await gate.passed;
      write('It begins');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    await ann.presses('🔄 Again');
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: First. [Stop]']);
    gate.open();
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: It begins [Stop]']);
    await ann.presses('Stop');
    await shows(ann, '‹ 2/2 · basic › ▶️ Continue 🔄 Again ⋯', 'Ann: Hello', 'Bot: It begins\n\n⏹ Stopped');
  });

  test.each([
    ['shorter', 'a '.repeat(5000), 'b '.repeat(1000), [1, 3]],
    ['longer', 'a '.repeat(1000), 'b '.repeat(5000), [3, 1]],
  ] as const)(
    'may take %s text than the first answer, over several messages',
    async (_, first, second, [secondCount, firstCount]) => {
      const ann = await asked(first);
      const texts = () =>
        harness.telegram
          .transcript(ann.chatId)
          .slice(1)
          .map(({ message }) => message.text ?? '');
      const isWhole = (letter: string, count: number) => async () => {
        expect(texts()).toHaveLength(count);
        expect(texts().join('').replaceAll(/\s/g, '')).toBe(letter.repeat(count === 1 ? 1000 : 5000));
        expect(await harness.conversations.listUnfinished(ann.chatId)).toEqual([]);
      };
      await vi.waitFor(isWhole('a', firstCount));
      harness.models.scripts.push(second);
      await ann.presses('🔄 Again');
      await vi.waitFor(isWhole('b', secondCount));
      for (const [letter, count] of [
        ['a', firstCount],
        ['b', secondCount],
      ] as const) {
        await ann.presses('›');
        await vi.waitFor(isWhole(letter, count));
      }
    },
  );

  test('leaves the first answer unchanged when the model fails, and offers Retry', async () => {
    const ann = await asked();
    harness.models.scripts.push(async () => Promise.reject(away()));
    await ann.presses('🔄 Again');
    const failure = /^Bot: basic can’t be reached.*\[Retry\]$/;
    await vi.waitFor(() => expect(harness.lines(ann.chatId).at(-1)).toMatch(failure));
    expect(harness.lines(ann.chatId)[1]).toBe('Bot: First.');
    await harness.settles(ann.chatId);
    harness.models.scripts.push('Second.');
    await ann.presses('Retry');
    await shows(ann, '‹ 2/2 · basic › ⋯', 'Ann: Hello', 'Bot: Second.');
  });

  test('that fails does not take back the question that was sent meanwhile', async () => {
    const ann = await asked();
    const gate = createGate();
    harness.models.scripts.push(async () => {
      await gate.passed;
      throw away();
    }, 'A poem.');
    const count = harness.models.requests.length;
    await ann.presses('🔄 Again');
    await vi.waitFor(() => expect(harness.models.requests).toHaveLength(count + 1));
    ann.writes('And a poem');
    await harness.hasHandledAll();
    gate.open();
    await harness.sees(ann.chatId, 'A poem.');
    await harness.settles(ann.chatId);
    expect(lastContents()).toEqual(['Hello', 'First.', 'And a poem']);
    expect(harness.buttons(ann.chatId)).toBe('🔄 Again Other model ⋯');
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    expect(lastContents()).toEqual(['Hello', 'First.', 'And a poem', 'A poem.', 'And?']);
  });

  test('that breaks off keeps the arrows to the first answer', async () => {
    const ann = await asked();
    harness.models.scripts.push(async (write) => {
      write('Half of an');
      throw away();
    });
    await ann.presses('🔄 Again');
    await vi.waitFor(
      () =>
        expect(harness.lines(ann.chatId).at(-1)).toMatch(
          /stopped in the middle.*\[Retry\]|can’t be reached.*\[Retry\]/,
        ),
      5000,
    );
    await harness.settles(ann.chatId);
    expect(harness.lines(ann.chatId)[1]).toBe('Bot: Half of an [‹] [2/2 · basic] [›]');
    await ann.presses('‹');
    await vi.waitFor(() => expect(harness.lines(ann.chatId)[1]).toBe('Bot: First.'));
  });

  test('may come from another model, whose name is on the button between the arrows', async () => {
    const ann = await asked();
    await ann.presses('Other model');
    await vi.waitFor(() =>
      expect(harness.buttons(ann.chatId)).toMatch(/^✓ basic clever .*… ?.*70b:free 🤖 Compare Back$/),
    );
    await ann.presses('Back');
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toBe('🔄 Again Other model ⋯'));
    for (const [index, model] of ['clever', LONG_NAME].entries()) {
      if (index > 0) await ann.presses('⋯');
      await ann.presses('Other model');
      await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toMatch(/clever.* 🤖 Compare Back$/));
      const label =
        harness
          .buttons(ann.chatId)
          .split(' ')
          .find((word) => model.startsWith(word.slice(0, 6))) ?? '';
      harness.models.scripts.push(`By ${model.slice(0, 6)}.`);
      await ann.presses(label);
      await harness.shows(ann.chatId, ['Ann: Hello', `Bot: By ${model.slice(0, 6)}.`]);
      await harness.settles(ann.chatId);
      expect(harness.models.requests.at(-1)?.model).toBe(model);
    }
    expect(harness.buttons(ann.chatId)).toBe('‹ 3/3 · a-very…:free › ⋯');
    expect(await ann.presses('3/3 · a-very…:free')).toMatch(/^Answer 3 of 3, written by vendor\/.*…/);
    const person = await harness.accounts.ensureTelegramUser(ann.id);
    expect(person.settings.model).toBeUndefined();
  });

  test('starts once for repeated presses of the button', async () => {
    const ann = await asked();
    const gate = createGate();
    harness.models.scripts.push(async (write) => {
      await gate.passed;
      write('Second.');
      return 'stop';
    });
    const { data, messageId } = findButton(ann, '🔄 Again');
    const answers = collectAnswers();
    for (let press = 0; press < 3; press++) harness.telegram.pressButton(ann.chatId, messageId, { from: ann.id, data });
    await vi.waitFor(() => expect(answers.texts).toHaveLength(3));
    expect(answers.texts.slice(1)).toEqual(Array(2).fill('I’m still writing. Wait a moment, or press Stop.'));
    gate.open();
    await shows(ann, '‹ 2/2 · basic › ⋯', 'Ann: Hello', 'Bot: Second.');
    answers.close();
  });

  test('does not start after the conversation has moved on, and the buttons are removed', async () => {
    const ann = await asked();
    const { data, messageId } = findButton(ann, '🔄 Again');
    const first = harness.telegram.transcript(ann.chatId)[1]?.message;
    const hasNone = () => expect(harness.telegram.transcript(ann.chatId)[1]?.message.reply_markup).toBeUndefined();
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    await harness.settles(ann.chatId);
    await vi.waitFor(hasNone);
    await harness.callBotApi('editMessageReplyMarkup', {
      ...{ chat_id: ann.chatId, message_id: messageId, reply_markup: first?.reply_markup },
    });
    const requestCount = harness.models.requests.length;
    const answers = collectAnswers();
    harness.telegram.pressButton(ann.chatId, messageId, { from: ann.id, data });
    await vi.waitFor(() => expect(answers.texts).toEqual([expect.stringMatching(/moved on/)]));
    answers.close();
    await vi.waitFor(hasNone);
    expect(harness.models.requests).toHaveLength(requestCount);
  });
});

describe('a continuation', () => {
  test('is joined without a repeated word, in the same message', async () => {
    const ann = await asked(cutOff('The quick bro'));
    expect(harness.buttons(ann.chatId)).toBe('▶️ Continue 🔄 Again ⋯');
    harness.models.scripts.push('brown fox jumps.');
    expect(await ann.presses('▶️ Continue')).toBe('Continuing…');
    await shows(ann, '🔄 Again Other model ⋯', 'Ann: Hello', 'Bot: The quick brown fox jumps.');
    expect(lastContents()).toEqual(['Hello', 'The quick', expect.stringMatching(/^Your last message broke off/)]);
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    expect(lastContents()).toEqual(['Hello', 'The quick brown fox jumps.', 'And?']);
  });

  test('that fails leaves the answer unchanged and offers Retry', async () => {
    const ann = await asked(cutOff('The quick bro'));
    harness.models.scripts.push(async () => Promise.reject(away()));
    await ann.presses('▶️ Continue');
    await vi.waitFor(() => expect(harness.lines(ann.chatId).at(-1)).toMatch(/can’t be reached.*\[Retry\]$/));
    expect(harness.lines(ann.chatId)[1]).toBe('Bot: The quick bro');
    await harness.settles(ann.chatId);
    harness.models.scripts.push('brown fox.');
    await ann.presses('Retry');
    await shows(ann, '🔄 Again Other model ⋯', 'Ann: Hello', 'Bot: The quick brown fox.');
  });

  test('is possible after Stop', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(goOnFrom('One two'));
    ann.writes('Count');
    await harness.sees(ann.chatId, 'One two');
    await ann.presses('Stop');
    await shows(ann, '▶️ Continue 🔄 Again ⋯', 'Ann: Count', 'Bot: One two\n\n⏹ Stopped');
    harness.models.scripts.push('two three');
    await ann.presses('▶️ Continue');
    await shows(ann, '🔄 Again Other model ⋯', 'Ann: Count', 'Bot: One two three');
  });
});

describe('answer buttons in a group', () => {
  test('work for the user who asked and for admins only', async () => {
    // The creator of a group is an admin of it.
    const { Ann, Bob, Eve } = harness.group(['Eve', 'Ann', 'Bob']);
    harness.models.scripts.push('First.');
    Ann.writes('@switch_bot Hello');
    await vi.waitFor(() => expect(harness.buttons(Ann.chatId)).toBe('🔄 Again Other model ⋯'));
    await harness.settles(Ann.chatId);
    expect(await Bob.presses('🔄 Again')).toMatch(/^Only the user who asked/);
    for (const [who, number] of [
      [Ann, 2],
      [Eve, 3],
    ] as const) {
      if (number > 2) await who.presses('⋯');
      await who.presses('🔄 Again');
      await vi.waitFor(() => expect(harness.buttons(Ann.chatId)).toBe(`‹ ${number}/${number} · basic › ⋯`));
      await harness.settles(Ann.chatId);
    }
    const { id } = await harness.accounts.ensureTelegramUser(Eve.id);
    await vi.waitFor(async () => expect(await harness.listCharged()).toContain(id));
  });
});

function findButton({ chatId }: User, label: string) {
  for (const { message } of harness.telegram.transcript(chatId).toReversed()) {
    for (const button of message.reply_markup?.inline_keyboard.flat() ?? []) {
      if (button.text === label && 'callback_data' in button)
        return { data: button.callback_data, messageId: message.message_id };
    }
  }
  throw new Error(`no button ${label}`);
}

function collectAnswers() {
  const texts: string[] = [];
  const close = harness.telegram.subscribe((event) => {
    if (event.type === 'callback-answer') texts.push(event.text ?? '');
  });
  return { texts, close };
}

import { describe, expect, test, vi } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate, createModelEntry } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    asksForTitles: true,
    models: [createModelEntry('basic'), createModelEntry('demo', { ownedBy: 'switchboard' })],
  }),
);

const titleOf = async (chatId: number) =>
  (await harness.conversations.findCurrentConversation({ chatId, topicId: undefined }))?.title;
const seesTitle = (chatId: number, title: string) => vi.waitFor(async () => expect(await titleOf(chatId)).toBe(title));

describe('a conversation', () => {
  test('gets a title from the model that answered first, by one small hidden request', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Bells ring at noon.', '**"The noon bells."**\nI hope that you like it.');
    ann.writes('Why do the bells ring?');
    await harness.sees(ann.chatId, 'Bells ring at noon.');
    await seesTitle(ann.chatId, 'The noon bells');
    await harness.shows(ann.chatId, ['Ann: Why do the bells ring?', 'Bot: Bells ring at noon.']);
    const asked = harness.models.requests.at(-1);
    expect(asked?.model).toBe('basic');
    expect(asked?.messages.at(-1)?.content).toBe('Question:\nWhy do the bells ring?\n\nAnswer:\nBells ring at noon.');

    const count = harness.models.requests.length;
    ann.writes('And at night?');
    await harness.sees(ann.chatId, 'You said: And at night?');
    ann.writes('Really?');
    await harness.sees(ann.chatId, 'You said: Really?');
    expect(harness.models.requests).toHaveLength(count + 2);
    expect(await titleOf(ann.chatId)).toBe('The noon bells');
  });

  test('records the usage of its title for the user who asked', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Yes.', 'A yes');
    ann.writes('Yes?');
    await seesTitle(ann.chatId, 'A yes');
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    await vi.waitFor(async () => expect((await harness.listCharged()).filter((one) => one === id)).toEqual([id, id]));
  });

  test.each([
    ['The user asks for bells.\nA title.\n</think>\n\nEvening bells', 'Evening bells'],
    [`${'Bells are hard to name. '.repeat(100)}\n</think>\n\nMorning bells`, 'Morning bells'],
    [`${'I do not know. '.repeat(100)}`, 'Why do bells ring?'],
  ])('gets no title from the reasoning of a model: %#', async (written, title) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('They are bells.', written);
    ann.writes('Why do bells ring?');
    await seesTitle(ann.chatId, title);
  });

  test('continues while its title is generated', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push('First.', async (write) => {
      await gate.passed;
      write('Slow title');
      return 'stop';
    });
    ann.writes('One');
    await harness.sees(ann.chatId, 'First.');
    await vi.waitFor(() => expect(harness.models.scripts).toEqual([]));
    harness.models.scripts.push('Second.');
    ann.writes('Two');
    await harness.sees(ann.chatId, 'Second.');
    gate.open();
    await seesTitle(ann.chatId, 'Slow title');
  });

  test('is named after its first words when the model returns no title', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Gladly.', async () => {
      throw new Error('no titles today');
    });
    ann.writes('Please write me a long poem about the old town, its bells and all the people who hear them');
    await seesTitle(ann.chatId, 'Please write me a long poem about the old…');
    await harness.shows(ann.chatId, [
      'Ann: Please write me a long poem about the old town, its bells and all the people who hear them',
      'Bot: Gladly.',
    ]);
  });

  test('is named after its first words when the demonstration answers, without another request', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model demo');
    await harness.sees(ann.chatId, /Now using demo/);
    const count = harness.models.requests.length;
    ann.writes('Show me');
    await seesTitle(ann.chatId, 'Show me');
    expect(harness.models.requests).toHaveLength(count + 1);
  });

  test('is named after its first question when only a later one is answered', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model demo');
    await harness.sees(ann.chatId, /Now using demo/);
    harness.models.scripts.push(async () => {
      throw new Error('down');
    });
    ann.writes('Why is the sky blue?');
    await harness.sees(ann.chatId, /went wrong/);
    ann.writes('Please');
    await seesTitle(ann.chatId, 'Why is the sky blue?');
  });

  test('has no title until the first answer', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(async () => {
      throw new Error('down');
    });
    ann.writes('Hello?');
    await harness.sees(ann.chatId, /went wrong/);
    expect(await titleOf(ann.chatId)).toBeUndefined();
    harness.models.scripts.push('Here.', 'Hello again');
    await ann.presses('Retry');
    await seesTitle(ann.chatId, 'Hello again');
  });

  test('keeps a title that a user gave it meanwhile', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push('Hi.', async (write) => {
      await gate.passed;
      write('From the model');
      return 'stop';
    });
    ann.writes('Hi');
    await harness.sees(ann.chatId, 'Hi.');
    await vi.waitFor(() => expect(harness.models.scripts).toEqual([]));
    const conversation = await harness.conversations.findCurrentConversation({
      chatId: ann.chatId,
      topicId: undefined,
    });
    await harness.conversations.renameConversation(conversation?.id ?? 0, 'Mine');
    gate.open();
    ann.writes('Bye');
    await harness.sees(ann.chatId, 'You said: Bye');
    expect(await titleOf(ann.chatId)).toBe('Mine');
  });
});

describe('with title requests switched off', () => {
  test('the first words are the title', async () => {
    const quiet = await createBotHarness({ asksForTitles: false });
    const ann = quiet.user('Ann');
    ann.writes('Why do the bells ring?');
    await vi.waitFor(async () => {
      const conversation = await quiet.conversations.findCurrentConversation({
        chatId: ann.chatId,
        topicId: undefined,
      });
      expect(conversation?.title).toBe('Why do the bells ring?');
    });
    expect(quiet.models.requests).toHaveLength(1);
    await quiet.close();
  });
});

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ModelNotFoundError, ProviderUnavailableError } from '../../src/core/models/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { createGate, createModelEntry, goOnFrom, type ModelScript } from '../support/hosts/scripted-models.ts';
import { startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

const PRICE = { input: 1, output: 4 };
const MODELS = ['one', 'two', 'three', 'four'].map((id) => createModelEntry(id, id === 'one' ? { price: PRICE } : {}));

const harness = startBeforeAll(() =>
  createBotHarness({
    models: MODELS,
    plans: { free: { user: { atOnce: 2 } } },
    tools: { builtIn: ['calculator', 'read_web_page', 'search_library', 'read_library', 'remember', 'draw_picture'] },
    openPage: async (url) => {
      openedPages.push(url);
      return Buffer.from('<p>Tea.</p>');
    },
  }),
);
beforeEach(() => {
  harness.models.scripts.length = 0;
  harness.models.scriptsOf.clear();
  harness.models.models = [...MODELS];
  openedPages.length = 0;
});

const openedPages: string[] = [];
type User = ReturnType<BotHarness['user']>;

const away = () => new ProviderUnavailableError('test', 'away', { status: 503 });
const failing: ModelScript = async () => Promise.reject(away());
const says = (answers: Readonly<Record<string, ModelScript>>) => {
  for (const [model, script] of Object.entries(answers)) harness.models.scriptsOf.set(model, script);
};
const USAGE = /[\d.,]+ s · [\d,]+ tokens in, [\d,]+ out(?: · \$[\d.]+)?/;
/** Returns the chat with `⏱` for the usage of each answer. */
const lines = ({ chatId }: User) => harness.lines(chatId).map((line) => line.replace(USAGE, '⏱'));
const shows = async (who: User, expected: readonly string[]) => {
  await vi.waitFor(() => expect(lines(who)).toEqual(expected));
  await harness.settles(who.chatId);
};
/** Starts the comparison. The buttons that start it disappear a moment later. */
const start = async (who: User, count: number) => {
  await who.presses(`▶️ Compare (${count})`);
  await vi.waitFor(() => expect(lines(who).join()).not.toContain('▶️ Compare'));
};
const choose = async (who: User, models: readonly string[]) => {
  for (const model of models) await who.presses(model);
  await start(who, models.length);
};
/** Asks with `/compare` and chooses the models. */
const compared = async (who: User, models: readonly string[], question = 'Why?') => {
  who.writes(`/compare ${question}`);
  await choose(who, models);
};
const lastContents = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);
const PICK = '[Continue with this one]';
const HEAD = '[✓ Continues from here]';

describe('several models', () => {
  test('answer a question side by side, and the conversation continues from the first', async () => {
    const ann = harness.user('Ann');
    says({ one: 'First.', two: 'Second.', three: 'Third.' });
    await compared(ann, ['one', 'two', 'three']);
    await shows(ann, [
      'Ann: /compare Why?',
      `Bot: one\nFirst.\n\n⏱ ${HEAD}`,
      `Bot: two\nSecond.\n\n⏱ ${PICK}`,
      `Bot: three\nThird.\n\n⏱ ${PICK}`,
    ]);
    expect(harness.models.requests.at(-1)?.messages.map(({ content }) => content)).toEqual(['Why?']);
    const [priced = '', unpriced = ''] = harness.lines(ann.chatId).slice(1);
    expect(priced).toMatch(/ s · \d+ tokens in, \d+ out · \$0\.000\d+ /);
    expect(unpriced).toMatch(/ s · \d+ tokens in, \d+ out \[/);
    harness.models.scriptsOf.clear();
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    expect(lastContents()).toEqual(['Why?', 'First.', 'And?']);
    await vi.waitFor(() => expect(lines(ann).slice(1, 4).join()).not.toContain('['));
  });

  test('answer again the question of an answer, from its list of models', async () => {
    const ann = harness.user('Ann');
    says({ one: 'Before.' });
    ann.writes('Why?');
    await harness.sees(ann.chatId, 'Before.');
    await harness.settles(ann.chatId);
    says({ two: 'Second.', three: 'Third.' });
    await ann.presses('Other model');
    expect(await ann.presses('🤖 Compare')).toMatch(/^Choose two or three models/);
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toBe('✓ one two three four Back'));
    await ann.presses('✓ one');
    await choose(ann, ['two', 'three']);
    await shows(ann, [
      'Ann: Why?',
      'Bot: Before.',
      `Bot: two\nSecond.\n\n⏱ ${HEAD}`,
      `Bot: three\nThird.\n\n⏱ ${PICK}`,
    ]);
    expect(lastContents()).toEqual(['Why?']);
  });

  test('are remembered for the next comparison, without those that are gone', async () => {
    const ann = harness.user('Ann');
    await compared(ann, ['one', 'two', 'three']);
    await vi.waitFor(() => expect(lines(ann)).toHaveLength(4));
    await harness.settles(ann.chatId);
    harness.models.models = MODELS.filter(({ id }) => id !== 'two');
    ann.writes('/compare Again?');
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toBe('✓ one ✓ three four ▶️ Compare (2) Close'));
  });

  test('are those that the button shows, though a press before it was handled twice', async () => {
    const ann = harness.user('Ann');
    ann.writes('/compare Who?');
    for (const model of ['one', 'two', 'three']) await ann.presses(model);
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toContain('▶️ Compare (3)'));
    const account = await harness.accounts.ensureTelegramUser(ann.id);
    await harness.accounts.updateSettings(account.id, { comparedModels: ['one', 'two'] });
    await ann.presses('▶️ Compare (3)');
    await vi.waitFor(() => expect(lines(ann)).toHaveLength(4));
    expect(lines(ann).join('\n')).toContain('three');
  });

  test('are three at most and two at least', async () => {
    const ann = harness.user('Ann');
    ann.writes('/compare Why?');
    for (const model of ['one', 'two', 'three']) await ann.presses(model);
    expect(await ann.presses('four')).toBe('3 models at most. Deselect one first.');
    for (const model of ['✓ one', '✓ two']) await ann.presses(model);
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toBe('one two ✓ three four Close'));
    harness.models.models = MODELS.slice(0, 1);
    ann.writes('/compare What now?');
    await harness.sees(ann.chatId, /^Only one model is connected/);
  });

  test('answer the last question after /compare without a question; there has to be one', async () => {
    const ann = harness.user('Ann');
    ann.writes('/compare');
    await harness.sees(ann.chatId, /^Write your question after the command/);
    ann.writes('Why?');
    await harness.sees(ann.chatId, 'You said: Why?');
    await harness.settles(ann.chatId);
    ann.writes('/compare');
    await choose(ann, ['one', 'two']);
    await vi.waitFor(() => expect(lines(ann).at(-1)).toBe(`Bot: two\nYou said: Why?\n\n⏱ ${PICK}`));
    await harness.settles(ann.chatId);
  });

  test('wait for each other where the plan allows fewer requests at once', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    const slow: ModelScript = async (write) => {
      await gate.passed;
      write('Done.');
      return 'stop';
    };
    says({ one: slow, two: slow, three: slow });
    const before = harness.models.requests.length;
    await compared(ann, ['one', 'two', 'three']);
    await vi.waitFor(() => expect(harness.models.requests).toHaveLength(before + 2));
    gate.open();
    await expect.poll(() => lines(ann).filter((line) => line.includes('Done.'))).toHaveLength(3);
    expect(harness.models.requests).toHaveLength(before + 3);
    await harness.settles(ann.chatId);
  });

  test('get tools that only read, and read the pages of the question once', async () => {
    const ann = harness.operator('Ann');
    const before = harness.models.requests.length;
    await compared(ann, ['one', 'two', 'three'], 'What is on https://tea.example/?');
    await vi.waitFor(() => expect(harness.models.requests).toHaveLength(before + 3));
    const names = harness.models.requests.slice(before).map(({ tools }) => tools?.map(({ name }) => name));
    expect(names).toEqual(Array(3).fill(['calculator', 'read_web_page', 'search_library', 'read_library']));
    await harness.settles(ann.chatId);
    await harness.accounts.updateSettings((await harness.accounts.ensureTelegramUser(ann.id)).id, { hasTools: false });
    ann.writes('/compare And on https://more-tea.example/?');
    await start(ann, 3);
    await vi.waitFor(() => expect(harness.models.requests).toHaveLength(before + 6));
    await harness.settles(ann.chatId);
    expect(openedPages).toEqual(['https://more-tea.example/']);
  });
});

describe('the answer to continue with', () => {
  const three = async () => {
    const ann = harness.user('Ann');
    says({ one: 'First.', two: 'Second.', three: 'Third.' });
    await compared(ann, ['one', 'two', 'three']);
    await vi.waitFor(() => expect(lines(ann).filter((line) => line.includes('⏱'))).toHaveLength(3));
    await harness.settles(ann.chatId);
    harness.models.scriptsOf.clear();
    return ann;
  };

  test('is the picked one', async () => {
    const ann = await three();
    expect(await ann.presses('Continue with this one')).toBe('The conversation continues from the answer of three.');
    await vi.waitFor(() => expect(lines(ann)[1]).toContain(PICK));
    await vi.waitFor(() => expect(lines(ann)[3]).toContain(HEAD));
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    expect(lastContents()).toEqual(['Why?', 'Third.', 'And?']);
    await harness.settles(ann.chatId);
  });

  test('is the one that the user replies to', async () => {
    const ann = await three();
    const second = harness.telegram.transcript(ann.chatId)[2]?.message.message_id ?? 0;
    ann.writes('And?', { replyTo: second });
    await harness.sees(ann.chatId, 'You said: And?');
    expect(lastContents()).toEqual(['Why?', 'Second.', 'And?']);
    await harness.settles(ann.chatId);
  });

  test('may be replaced by another one in its messages, which is compared as well', async () => {
    const ann = await three();
    says({ one: 'First, once more.' });
    await ann.presses('🔄 Again');
    await vi.waitFor(() => expect(lines(ann)[1]).toBe(`Bot: one\nFirst, once more.\n\n⏱ ${HEAD}`));
    await harness.settles(ann.chatId);
    const labels = () =>
      harness.telegram
        .transcript(ann.chatId)[1]
        ?.message.reply_markup?.inline_keyboard.flat()
        .map(({ text }) => text);
    expect(labels()).toEqual(['✓ Continues from here', '‹', '2/2 · one', '›', '⋯']);
    await ann.presses('‹');
    await vi.waitFor(() => expect(lines(ann)[1]).toBe(`Bot: one\nFirst.\n\n⏱ ${HEAD}`));
    expect(lines(ann)).toHaveLength(4);
    await harness.settles(ann.chatId);
  });

  test('can’t be picked after the conversation has moved on', async () => {
    const ann = await three();
    const { message } = harness.telegram.transcript(ann.chatId)[3] ?? {};
    const [button] = message?.reply_markup?.inline_keyboard.flat() ?? [];
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    await harness.settles(ann.chatId);
    const data = button && 'callback_data' in button ? button.callback_data : '';
    const from = { id: ann.id, is_bot: false, first_name: 'Ann', language_code: 'en' };
    await harness.receives({ callback_query: { id: 'late', from, chat_instance: '1', data, message } });
    ann.writes('So?');
    await harness.sees(ann.chatId, 'You said: So?');
    expect(lastContents()).toEqual(['Why?', 'First.', 'And?', 'You said: And?', 'So?']);
    await harness.settles(ann.chatId);
  });
});

describe('a failure', () => {
  test('is shown in the message of its model; the others go on, and Retry repeats it', async () => {
    const ann = harness.user('Ann');
    says({ one: failing, two: 'Second.', three: 'Third.' });
    await compared(ann, ['one', 'two', 'three']);
    const failed =
      'Bot: one\n\none can’t be reached right now. Try again in a moment, or choose another model.\n⏱ [Retry]';
    const answered = [`Bot: two\nSecond.\n\n⏱ ${HEAD}`, `Bot: three\nThird.\n\n⏱ ${PICK}`];
    await shows(ann, ['Ann: /compare Why?', failed, ...answered]);
    says({ one: 'First.' });
    await ann.presses('Retry');
    await shows(ann, ['Ann: /compare Why?', `Bot: one\nFirst.\n\n⏱ ${PICK}`, ...answered]);
    harness.models.scriptsOf.clear();
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    expect(lastContents()).toEqual(['Why?', 'Second.', 'And?']);
    await harness.settles(ann.chatId);
  });

  test('of all models leaves a message for each, and the next question is answered', async () => {
    const ann = harness.user('Ann');
    says({ one: failing, two: failing, three: failing });
    await compared(ann, ['one', 'two', 'three']);
    await vi.waitFor(() => expect(lines(ann).filter((line) => line.endsWith('[Retry]'))).toHaveLength(3));
    await harness.settles(ann.chatId);
    expect(lines(ann)).toHaveLength(4);
    harness.models.scriptsOf.clear();
    ann.writes('And?');
    await harness.sees(ann.chatId, 'You said: And?');
    await harness.settles(ann.chatId);
  });

  test('of a model that was removed meanwhile is told before the start, and the others stay chosen', async () => {
    const ann = harness.user('Ann');
    ann.writes('/compare Why?');
    for (const model of ['one', 'two', 'three']) await ann.presses(model);
    harness.models.models = MODELS.filter(({ id }) => id !== 'three');
    expect(await ann.presses('▶️ Compare (3)')).toBe('three is no longer available.');
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toBe('✓ one ✓ two four ▶️ Compare (2) Close'));
  });
});

describe('Stop', () => {
  test('below any of the answers stops all, once', async () => {
    const ann = harness.operator('Ann');
    says({ one: goOnFrom('It begins'), two: goOnFrom('So does it'), three: goOnFrom('As it does') });
    await compared(ann, ['one', 'two', 'three']);
    await vi.waitFor(() => expect(lines(ann).filter((line) => line.endsWith('[Stop all]'))).toHaveLength(3));
    await vi.waitFor(() => expect(lines(ann).join()).toMatch(/begins.*does it.*does/s));
    const { message } = harness.telegram.transcript(ann.chatId).at(-1) ?? {};
    const [button] = message?.reply_markup?.inline_keyboard.flat() ?? [];
    expect(await ann.presses('Stop all')).toBe('Stopped.');
    const data = button && 'callback_data' in button ? button.callback_data : '';
    const from = { id: ann.id, is_bot: false, first_name: 'Ann', language_code: 'en' };
    await harness.receives({ callback_query: { id: 'again', from, chat_instance: '1', data, message } });
    await vi.waitFor(() => expect(lines(ann).filter((line) => line.includes('⏹ Stopped\n⏱'))).toHaveLength(3));
    await harness.settles(ann.chatId);
    expect(lines(ann)).toEqual([
      'Ann: /compare Why?',
      `Bot: one\nIt begins\n\n⏹ Stopped\n⏱ ${HEAD}`,
      `Bot: two\nSo does it\n\n⏹ Stopped\n⏱ ${PICK}`,
      `Bot: three\nAs it does\n\n⏹ Stopped\n⏱ ${PICK}`,
    ]);
  });

  test('before the first word leaves the names and Retry', async () => {
    const ann = harness.operator('Ann');
    const silent: ModelScript = (_write, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    says({ one: silent, two: silent });
    await compared(ann, ['one', 'two']);
    await vi.waitFor(() => expect(lines(ann).slice(1)).toEqual(['Bot: one [Stop all]', 'Bot: two [Stop all]']));
    await ann.presses('Stop all');
    const stopped = (model: string) => `Bot: ${model}\n\n⏹ Stopped\n⏱ [Retry]`;
    await shows(ann, ['Ann: /compare Why?', stopped('one'), stopped('two')]);
  });
});

const FAULTS = [
  ['sends without a response', 'sendMessage', 2, { type: 'reset-after' }],
  ['sends without effect', 'sendMessage', 2, { type: 'reset-before' }],
  ['Telegram’s rate limit', '*', 3, { type: 'flood', retryAfterSeconds: 5 }],
] as const;

describe('a comparison', () => {
  test('starts once, even if its button is pressed twice at once', async () => {
    const ann = harness.operator('Ann');
    ann.writes('/compare Why?');
    for (const model of ['one', 'two']) await ann.presses(model);
    const before = harness.models.requests.length;
    await Promise.allSettled([ann.presses('▶️ Compare (2)'), ann.presses('▶️ Compare (2)')]);
    await vi.waitFor(() => expect(lines(ann).filter((line) => line.includes('⏱'))).toHaveLength(2));
    await harness.settles(ann.chatId);
    expect(harness.models.requests).toHaveLength(before + 2);
    expect(lines(ann)).toHaveLength(3);
  });

  test('starts once, even if its press is delivered again after a crash', async () => {
    const ann = harness.operator('Ann');
    ann.writes('/compare Why?');
    for (const model of ['one', 'two']) await ann.presses(model);
    const { message } = await harness.sees(ann.chatId, /^Choose two or three/);
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toContain('▶️ Compare (2)'));
    const shown = harness.telegram.transcript(ann.chatId).at(-1)?.message;
    const start = shown?.reply_markup?.inline_keyboard.flat().find(({ text }) => text.startsWith('▶️'));
    const data = start && 'callback_data' in start ? start.callback_data : '';
    const from = { id: ann.id, is_bot: false, first_name: 'Ann', language_code: 'en' };
    const press = { id: 'twice', from, chat_instance: '1', data, message: shown ?? message };
    const before = harness.models.requests.length;
    for (let time = 0; time < 2; time++) {
      await harness.receives({ update_id: 7_000_000, callback_query: press });
      await vi.waitFor(() => expect(lines(ann).filter((line) => line.includes('⏱'))).toHaveLength(2));
      await harness.settles(ann.chatId);
    }
    expect(harness.models.requests).toHaveLength(before + 2);
  });

  testByTier(FAULTS, 1)('shows each answer once after %s', async ([, method, times, kind]) => {
    const ann = harness.operator('Ann');
    ann.writes('/compare Why?');
    for (const model of ['one', 'two', 'three']) await ann.presses(model);
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toContain('▶️ Compare (3)'));
    harness.telegram.injectFault({ method, skip: method === '*' ? 3 : 0, times, kind, match: { chat_id: ann.chatId } });
    await ann.presses('▶️ Compare (3)');
    const answer = (model: string) => `Bot: ${model}\nYou said: Why?\n\n⏱`;
    await vi.waitFor(() => {
      const shown = lines(ann).slice(1);
      expect(shown).toHaveLength(3);
      for (const [at, model] of ['one', 'two', 'three'].entries()) expect(shown[at]).toContain(answer(model));
    });
    await harness.settles(ann.chatId);
    expect(lines(ann)).toHaveLength(4);
  });

  test('does not start while an answer is being written', async () => {
    const ann = harness.operator('Ann');
    says({ one: goOnFrom('It begins') });
    ann.writes('Hello');
    await harness.sees(ann.chatId, 'It begins');
    ann.writes('/compare Why?');
    await ann.presses('two');
    await ann.presses('three');
    expect(await ann.presses('▶️ Compare (2)')).toBe('I’m still writing. Wait a moment, or press Stop.');
    await ann.presses('Stop');
    await harness.settles(ann.chatId);
  });

  test('of a user in a group can be changed by the user and by admins only, and replies to the question', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Ann.writes('/compare@switch_bot Why?');
    await Ann.presses('one');
    expect(await Bob.presses('two')).toBe('Only the user who asked, or an admin of this chat, can do this.');
    await Ann.presses('two');
    await start(Ann, 2);
    await vi.waitFor(() => expect(lines(Ann).filter((line) => line.includes('⏱'))).toHaveLength(2));
    await harness.settles(Ann.chatId);
    expect(await Bob.presses('Continue with this one')).toMatch(/^Only the user who asked/);
    const [question, ...answers] = harness.telegram.transcript(Ann.chatId).map(({ message }) => message);
    for (const answer of answers) expect(answer.reply_to_message?.message_id).toBe(question?.message_id);
  });

  test('is not offered in a group whose admins chose the model', async () => {
    const { Ann } = harness.group(['Ann']);
    says({ one: 'First.' });
    Ann.writes('@switch_bot Why?');
    await harness.sees(Ann.chatId, 'First.');
    await harness.settles(Ann.chatId);
    await Ann.presses('Other model');
    await harness.groups.change(Ann.chatId, { model: 'one' });
    const refusal = /^Admins of this group chose one for everyone/;
    expect(await Ann.presses('🤖 Compare')).toMatch(refusal);
    expect(await Ann.presses('two')).toMatch(refusal);
    Ann.writes('/compare@switch_bot And?');
    await harness.sees(Ann.chatId, refusal);
    expect(harness.models.requests.at(-1)?.model).toBe('one');
  });

  test('keeps its answers when the question is edited; the new version is answered on request', async () => {
    const ann = harness.user('Ann');
    says({ one: 'Before.', two: 'Second.', three: 'Third.' });
    const question = ann.writes('Why?');
    await harness.sees(ann.chatId, 'Before.');
    await harness.settles(ann.chatId);
    await ann.presses('Other model');
    await ann.presses('🤖 Compare');
    await vi.waitFor(() => expect(harness.buttons(ann.chatId)).toBe('✓ one two three four Back'));
    await ann.presses('✓ one');
    await choose(ann, ['two', 'three']);
    await vi.waitFor(() => expect(lines(ann).filter((line) => line.includes('⏱'))).toHaveLength(2));
    await harness.settles(ann.chatId);
    says({ one: 'Because.' });
    harness.telegram.editMessage(ann.chatId, question, { text: 'Why not?' });
    await harness.sees(ann.chatId, /^You edited an earlier message/);
    await ann.presses('Answer again');
    await harness.sees(ann.chatId, 'Because.');
    await harness.settles(ann.chatId);
    expect(lastContents()).toEqual(['Why not?']);
    const shown = () => lines(ann).map((line) => line.replace(/ \[.*/, ''));
    await expect
      .poll(shown)
      .toEqual(['Ann: Why not?', 'Bot: Before.', 'Bot: two\nSecond.\n\n⏱', 'Bot: three\nThird.\n\n⏱', 'Bot: Because.']);
  });

  test('goes on after a crash, each answer in its message', async () => {
    const ann = harness.user('Ann');
    ann.writes('/compare Why?');
    await harness.sees(ann.chatId, /^Choose two or three/);
    await ann.presses('Close');
    const { id: messageId } = { id: harness.telegram.transcript(ann.chatId)[0]?.message.message_id ?? 0 };
    const question = await harness.conversations.findByDelivery(ann.chatId, messageId);
    if (!question) throw new Error('the question was not kept');
    const answers = await harness.conversations.addCompared(question, ['one', 'two', 'gone'], 'press');
    const { message_id: sent } = await harness.client.api.sendMessage(ann.chatId, 'two');
    await harness.conversations.recordDelivery(answers[1]?.id ?? 0, {
      ...{ chatId: ann.chatId, telegramMessageId: sent, page: 0 },
    });
    const removed: ModelScript = async () => Promise.reject(new ModelNotFoundError('gone'));
    says({ one: 'First.', two: 'Second.', gone: removed });
    await harness.bot.recover(ann.chatId, AbortSignal.timeout(60_000));
    await vi.waitFor(() => expect(lines(ann).filter((line) => line.includes('⏱'))).toHaveLength(3));
    await harness.settles(ann.chatId);
    expect(lines(ann).toSorted()).toEqual([
      'Ann: /compare Why?',
      'Bot: gone\n\ngone is no longer available. Choose another model.\n⏱',
      `Bot: one\nFirst.\n\n⏱ ${HEAD}`,
      `Bot: two\nSecond.\n\n⏱ ${PICK}`,
    ]);
    expect(lines(ann)[1]).toContain('Second.');
  });

  test('goes on in the order of the models after a crash before its first messages', async () => {
    const ann = harness.user('Ann');
    ann.writes('/compare Why?');
    await harness.sees(ann.chatId, /^Choose two or three/);
    await ann.presses('Close');
    const messageId = harness.telegram.transcript(ann.chatId)[0]?.message.message_id ?? 0;
    const question = await harness.conversations.findByDelivery(ann.chatId, messageId);
    if (!question) throw new Error('the question was not kept');
    await harness.conversations.addCompared(question, ['one', 'two'], 'press');
    const gate = createGate();
    const late: ModelScript = async (write) => {
      await gate.passed;
      write('First.');
      return undefined;
    };
    says({ one: late, two: 'Second.' });
    await harness.bot.recover(ann.chatId, AbortSignal.timeout(60_000));
    await vi.waitFor(() => expect(lines(ann).at(-1)).toContain('Second.'));
    expect(
      lines(ann)
        .slice(1)
        .map((line) => line.slice(0, 8)),
    ).toEqual(['Bot: one', 'Bot: two']);
    gate.open();
    await shows(ann, ['Ann: /compare Why?', `Bot: one\nFirst.\n\n⏱ ${HEAD}`, `Bot: two\nSecond.\n\n⏱ ${PICK}`]);
  });
});

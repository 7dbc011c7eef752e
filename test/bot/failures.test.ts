import { HttpError } from 'grammy';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  AllProvidersFailedError,
  ProviderRejectedError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../src/core/models/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate, createModelEntry, type ModelScript } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());
afterEach(() => {
  harness.models.models = [createModelEntry('basic'), createModelEntry('clever')];
  harness.models.scripts.length = 0;
});

const throws =
  (error: Error): ModelScript =>
  () =>
    Promise.reject(error);

const breaksOff: ModelScript = async (write) => {
  write('Half of an');
  throw new ProviderStreamError('home', 'socket hang up at 10.0.0.7');
};

const unreachable = new AllProvidersFailedError('basic', [
  new ProviderUnavailableError('home', 'connect ECONNREFUSED 10.0.0.7:11434'),
]);
const rejected = (status: number, message: string, code: string | null = null) =>
  new ProviderRejectedError('home', status, { message, param: null, code });

describe('the error message of a failed answer', () => {
  const limited = new ProviderUnavailableError('home', 'slow down', { status: 429, retryAfterMs: 12_000 });
  test.each<[string, Error, string]>([
    ['for an unreachable provider', unreachable, 'basic can’t be reached right now'],
    [
      'for a timeout',
      new AllProvidersFailedError('basic', [new ProviderTimeoutError('home', 'connect', 9)]),
      'too long',
    ],
    [
      'for a rate limit',
      new AllProvidersFailedError('basic', [limited]),
      'The provider of basic is busy. Try again in 12 seconds',
    ],
    ['for an exceeded context', rejected(400, 'no', 'context_length_exceeded'), 'become too long for basic'],
    ['for a content policy violation', rejected(400, 'Flagged', 'content_policy_violation'), 'content rules'],
    ['for a rejected request', rejected(422, 'temperature must be 1'), 'basic can’t process this message'],
    ['for an internal error', new TypeError('x is not a function'), 'Something went wrong on my side'],
  ])('%s offers a next step and shows no internals', async (_, error, words) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(throws(error));
    ann.writes('Hello');
    const { message } = await harness.sees(ann.chatId, new RegExp(words));
    expect(message.text).not.toMatch(/10\.0\.0\.7|home|temperature|function|Error/);
    expect(message.reply_markup?.inline_keyboard.flat()).not.toHaveLength(0);
  });

  test.each([
    ['a refused key', 401, 'refuses the key'],
    ['an account without credit', 402, 'has no credit'],
  ])('for %s tells users that the operator has to act, and admins what the provider said', async (_, status, words) => {
    const error = new ProviderUnavailableError('home', `home answered ${status}: see your account page`, { status });
    const ann = harness.user('Ann');
    const admin = harness.operator('Ada');
    for (const user of [ann, admin]) {
      harness.models.scripts.push(throws(new AllProvidersFailedError('basic', [error])));
      user.writes('Hello');
    }
    const seen = await harness.sees(ann.chatId, new RegExp(`until the operator of this bot acts.*${words}`));
    expect(seen.message.text).not.toContain('account page');
    const ofAdmin = await harness.sees(admin.chatId, new RegExp(words));
    expect(ofAdmin.message.text).toContain(`For admins only:\nhome answered ${status}: see your account page`);
  });

  test('for an empty answer', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('<think>Hm.</think>');
    ann.writes('Hello');
    await harness.shows(ann.chatId, [
      'Ann: Hello',
      'Bot: basic returned an empty answer. Try again, or choose another model. [Retry] [Other model]',
    ]);
  });

  test.each(['```\n```', '# ', '&nbsp;', '\u200B', '\u2800', '\u3164', '\u0000', '<br>', '> <br>\n\n```js\n\n```'])(
    'for an answer that shows nothing (%j), which the model does not see again',
    async (blank) => {
      const ann = harness.user('Ann');
      harness.models.scripts.push(blank);
      ann.writes('Hello');
      await harness.sees(ann.chatId, /^basic returned an empty answer/);
      ann.writes('Are you there?');
      await harness.sees(ann.chatId, 'You said: Are you there?');
      expect(harness.models.requests.at(-1)?.messages.some(({ role }) => role === 'assistant')).toBe(false);
    },
  );

  test.each(['```\n```', '\u3164', '<br>'])('keeps the old answer if the new one shows nothing (%j)', async (blank) => {
    const ann = harness.user('Ann');
    const questionId = ann.writes('Hello');
    await harness.sees(ann.chatId, 'You said: Hello');
    await harness.settles(ann.chatId);
    harness.models.scripts.push(blank, blank);
    await ann.presses('🔄 Again');
    await harness.sees(ann.chatId, /^basic returned an empty answer/);
    await harness.settles(ann.chatId);
    expect(harness.lines(ann.chatId)[1]).toMatch(/^Bot: You said: Hello/);
    harness.telegram.editMessage(ann.chatId, questionId, { text: 'Hello?' });
    await expect.poll(() => harness.models.requests.at(-1)?.messages.at(-1)?.content).toBe('Hello?');
    await harness.settles(ann.chatId);
    expect(harness.lines(ann.chatId)[1]).toMatch(/^Bot: You said: Hello/);
  });

  test.each([
    ['stop', '', 'I can’t help with that.'],
    ['content_filter', '', 'I can’t help with that.'],
    ['stop', 'Well.', 'Well.\n\nI can’t help with that.'],
  ])('is none if the model refuses in words (%s, %j)', async (reason, before, shown) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(async (write) => {
      write(before);
      for (const text of ['I can’t ', 'help with that.']) write('', { type: 'refusal-delta', choice: 0, text });
      return reason;
    });
    ann.writes('Hello');
    await harness.sees(ann.chatId, shown);
    await harness.settles(ann.chatId);
    expect(harness.lines(ann.chatId)).toHaveLength(2);
    ann.writes('Why?');
    await harness.sees(ann.chatId, 'You said: Why?');
    expect(harness.models.requests.at(-1)?.messages.map(({ content }) => content)).toEqual(['Hello', shown, 'Why?']);
  });

  test('for an answer that a filter cuts: the text so far stays', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(async (write) => {
      write('Well, first you');
      return 'content_filter';
    });
    ann.writes('Hello');
    await harness.sees(ann.chatId, /content rules/);
    expect(harness.lines(ann.chatId)[1]).toBe('Bot: Well, first you');
  });

  test('when no model is connected', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [];
    ann.writes('Hello');
    await harness.sees(ann.chatId, /No model is connected/);
  });

  test('when the chosen model is unavailable: another model answers, with one notice', async () => {
    const ann = harness.user('Ann');
    ann.writes('/model clever');
    await harness.sees(ann.chatId, 'Now using clever.');
    harness.models.models = [createModelEntry('basic')];
    ann.writes('one');
    await harness.sees(ann.chatId, 'You said: one');
    ann.writes('two');
    await harness.shows(ann.chatId, [
      ...harness.lines(ann.chatId).slice(0, 2),
      'Ann: one',
      'Bot: clever is not available right now, so basic is answering. To choose another model, use /model.',
      'Bot: You said: one',
      'Ann: two',
      'Bot: You said: two',
    ]);
    harness.models.models = [createModelEntry('basic'), createModelEntry('clever')];
    ann.writes('three');
    await harness.sees(ann.chatId, 'You said: three');
    expect(harness.models.requests.at(-1)?.model).toBe('clever');
  });
});

describe('while Telegram fails as well', () => {
  let isAway = false;
  let tries = 0;
  let refuses = false;
  beforeAll(() => {
    const { api } = harness.client;
    api.config.use((prev, method, payload, signal) => {
      if (!isAway || method !== 'sendMessage') return prev(method, payload, signal);
      tries += 1;
      throw new HttpError('away', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    });
    for (const priority of ['preview', 'page', 'final'] as const) {
      harness.client.withPriority(priority).config.use(async (prev, method, payload, signal) => {
        if (!refuses) return prev(method, payload, signal);
        return { ok: false, error_code: 400, description: 'Bad Request: TEXT_OF_ANOTHER_KIND' };
      });
    }
  });

  test('an error message arrives once when Telegram is reachable again', async () => {
    const ann = harness.user('Ann');
    isAway = true;
    harness.models.scripts.push(throws(unreachable));
    ann.writes('Hello');
    await harness.telegram.waitFor(() => tries >= 2, 100_000);
    expect(harness.lines(ann.chatId)).toEqual(['Ann: Hello']);
    isAway = false;
    await harness.sees(ann.chatId, /^basic can’t be reached right now/);
    expect(harness.lines(ann.chatId)).toHaveLength(2);
  });

  test('an answer that Telegram rejects in every form is replaced by an error message', async () => {
    const ann = harness.user('Ann');
    refuses = true;
    ann.writes('Hello');
    await harness.sees(ann.chatId, 'Something went wrong on my side. Please try again.');
    refuses = false;
    await ann.presses('Retry');
    await harness.sees(ann.chatId, 'You said: Hello');
  });
});

describe('Retry', () => {
  test('answers the same question again and removes the error message', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(throws(unreachable), 'Here I am.');
    ann.writes('Hello');
    await harness.sees(ann.chatId, /can’t be reached/);
    await ann.presses('Retry');
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: Here I am.']);
    expect(harness.models.requests.at(-1)?.messages).toEqual([{ role: 'user', content: 'Hello' }]);
    ann.writes('Good');
    await harness.sees(ann.chatId, 'You said: Good');
    expect(harness.models.requests.at(-1)?.messages).toHaveLength(3);
  });

  test('replaces the partial answer', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(breaksOff, breaksOff, 'Half of an answer is none.');
    ann.writes('Hello');
    const failure = 'Bot: basic stopped in the middle of its answer. Press Retry for a new one. [Retry] [Other model]';
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: Half of an', failure]);
    const first = await harness.sees(ann.chatId, /stopped in the middle/);
    await ann.presses('Retry');
    await harness.telegram.waitFor(() => {
      const last = harness.telegram.transcript(ann.chatId).at(-1)?.message;
      return last?.text?.includes('stopped in the middle') && last.message_id !== first.message.message_id;
    }, 100_000);
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: Half of an', failure]);
    await ann.presses('Retry');
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: Half of an answer is none.']);
    expect(harness.models.requests.at(-1)?.messages).toEqual([{ role: 'user', content: 'Hello' }]);
  });

  test('keeps the partial answer until new text is shown', async () => {
    const ann = harness.user('Ann');
    const gate = createGate();
    harness.models.scripts.push(breaksOff, async (write) => {
      await gate.passed;
      write('A whole answer.');
      return 'stop';
    });
    ann.writes('Hello');
    await harness.sees(ann.chatId, /stopped in the middle/);
    await ann.presses('Retry');
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: Half of an']);
    gate.open();
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: A whole answer.']);
  });

  test('answers once when pressed twice at once', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(throws(unreachable));
    ann.writes('Hello');
    await harness.sees(ann.chatId, /can’t be reached/);
    const hints = await Promise.all([ann.presses('Retry'), ann.presses('Retry')]);
    expect(hints).toEqual(['', 'The conversation has moved on. Please send the question again.']);
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: You said: Hello']);
  });

  test('of an older failure shows that the conversation has moved on', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(throws(unreachable));
    ann.writes('Hello');
    await harness.sees(ann.chatId, /can’t be reached/);
    ann.writes('Anyway');
    await harness.sees(ann.chatId, 'You said: Anyway');
    expect(await ann.presses('Retry')).toMatch(/moved on/);
  });

  test('works only for the user who asked', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    harness.models.scripts.push(throws(unreachable));
    Ann.writes('@switch_bot hello');
    await harness.sees(Ann.chatId, /can’t be reached/);
    expect(await Bob.presses('Retry')).toBe('This button belongs to someone else.');
    expect(await Ann.presses('Retry')).toBe('');
    await harness.sees(Ann.chatId, 'You said: hello');
  });

  test('with another model asks that model', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(throws(unreachable));
    ann.writes('Hello');
    await harness.sees(ann.chatId, /can’t be reached/);
    await ann.presses('Other model');
    await harness.sees(ann.chatId, /Choose a model/);
    // All models fit on one page, so there is no search.
    expect(harness.buttons(ann.chatId)).not.toContain('Search');
    await ann.presses('clever');
    await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: You said: Hello']);
    expect(harness.models.requests.at(-1)?.model).toBe('clever');
  });

  test.each(['clever', 'leve'])('asks another model found by search: %s', async (written) => {
    const ann = harness.user('Ann');
    const spare = Array.from({ length: 7 }, (_, at) => createModelEntry(`spare-${at}`));
    harness.models.models = [createModelEntry('basic'), createModelEntry('clever'), ...spare];
    harness.models.scripts.push(throws(unreachable));
    ann.writes('Hello');
    await ann.presses('Other model');
    await ann.presses('Search');
    await harness.sees(ann.chatId, 'Which model? Send me a part of its name.');
    ann.writes(written);
    if (written !== 'clever') {
      await harness.sees(ann.chatId, /1 model with “leve” in the name/);
      await ann.presses('clever');
    }
    await harness.sees(ann.chatId, 'You said: Hello');
    expect(harness.models.requests.at(-1)?.model).toBe('clever');
  });

  test('is not offered for errors that would repeat', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(throws(rejected(413, 'too big')));
    ann.writes('Hello');
    await harness.sees(ann.chatId, /too long/);
    await ann.presses('New conversation');
    await harness.sees(ann.chatId, /^New conversation/);
    expect(harness.lines(ann.chatId)[1]).toMatch(/ \[Other model\] \[New conversation\]$/);
  });
});

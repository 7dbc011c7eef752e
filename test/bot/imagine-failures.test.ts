import { afterEach, describe, expect, test, vi } from 'vitest';
import { createBot } from '../../src/bot/bot.ts';
import type { GivenServices } from '../../src/bot/kit/services.ts';
import {
  AllProvidersFailedError,
  ModelNotFoundError,
  ProviderRejectedError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../src/core/models/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { drawForever, drawNearest, drawNothing, type ImageScript } from '../support/hosts/scripted-images.ts';
import { createGate, createModelEntry } from '../support/hosts/scripted-models.ts';
import { drawPng } from '../support/samples/media.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const models = [
  createModelEntry('basic'),
  createModelEntry('painter', { type: 'image' }),
  createModelEntry('editor', { type: 'image', acceptsImages: true }),
];

let deps: GivenServices;
const harness = startBeforeAll(() =>
  createBotHarness({
    models,
    change: (given) => {
      deps = given;
      return given;
    },
  }),
);
afterEach(() => {
  harness.images.scripts.length = 0;
  harness.images.drawUsually = drawNearest();
  harness.telegram.clearFaults();
});

const newest = (chatId: number) => harness.telegram.transcript(chatId).at(-1)?.message;
const refusal = (description: string) => ({ type: 'error', status: 400, description }) as const;
const rejected = (status: number, message: string, code: string | null = null) =>
  new ProviderRejectedError('home', status, { message, param: null, code });
const DRAWN = '(photo) a fox\npainter · 1:1 [Again] [Ratio] [Full size]';

/** Creates a script that waits until the test calls `draw`. */
function createWaitingScript(): { readonly script: ImageScript; draw(): void } {
  const gate = createGate();
  return {
    draw: gate.open,
    script: async (request, signal) => {
      await gate.passed;
      return drawNearest()(request, signal);
    },
  };
}

describe('the error message of a failed image request', () => {
  const limited = new ProviderUnavailableError('home', 'slow down', { status: 429, retryAfterMs: 12_000 });
  test.each<[string, Error, string]>([
    [
      'for a content policy violation',
      rejected(400, 'Flagged: gore', 'content_policy_violation'),
      'won’t create this image because of',
    ],
    ['for a rejected request', rejected(422, 'steps must be 4'), 'painter can’t create this image'],
    ['for a rejection that mentions images', rejected(400, 'image size is bad'), 'painter can’t create this image'],
    ['for a description that is too long', rejected(413, 'long'), 'This description is too long for painter'],
    ['for a rate limit', new AllProvidersFailedError('painter', [limited]), 'Try again in 12 seconds'],
    ['for a timeout', new ProviderTimeoutError('home', 'total', 9), 'painter took too long'],
    [
      'for an unreachable provider',
      new ProviderUnavailableError('home', 'ECONNREFUSED 10.0.0.7'),
      'can’t be reached right now',
    ],
    ['for a model that no longer exists', new ModelNotFoundError('painter'), 'painter is no longer available'],
    ['for an internal error', new TypeError('x is not a function'), 'Something went wrong on my side'],
  ])('%s offers a next step and shows no internals', async (_, error, words) => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(drawNothing(error));
    ann.writes('/imagine a fox');
    const { message } = await harness.sees(ann.chatId, new RegExp(words));
    expect(message.text).not.toMatch(/10\.0\.0\.7|home|gore|steps|function|Error/);
    expect(message.reply_markup?.inline_keyboard.flat()).not.toHaveLength(0);
    expect(harness.lines(ann.chatId)).toHaveLength(2);
  });

  test('for a response that is not an image', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(() => [{ bytes: Buffer.from('<html>') }]);
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, /painter can’t be reached right now/);
  });

  test('is replaced by the new request after Again, once for two presses', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(drawNothing(new ProviderTimeoutError('home', 'total', 9)));
    ann.writes('/imagine a fox --seed 7');
    await harness.sees(ann.chatId, /took too long/);
    const waiting = createWaitingScript();
    harness.images.scripts.push(waiting.script);
    const before = harness.images.requests.length;
    const button = newest(ann.chatId)?.reply_markup?.inline_keyboard[0]?.[0];
    const data = button && 'callback_data' in button ? button.callback_data : '';
    const messageId = newest(ann.chatId)?.message_id ?? 0;
    for (let press = 0; press < 2; press += 1)
      harness.telegram.pressButton(ann.chatId, messageId, { from: ann.id, data });
    await harness.sees(ann.chatId, /^Creating with painter/);
    waiting.draw();
    await harness.shows(ann.chatId, ['Ann: /imagine a fox --seed 7', `Bot: ${DRAWN}`]);
    expect(harness.images.requests).toHaveLength(before + 1);
    expect(harness.images.requests.at(-1)?.request.seed).toBe(7);
  });

  test('offers another model', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(drawNothing(rejected(400, 'no', 'moderation_blocked')));
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, /content rules/);
    await ann.presses('Other model');
    await harness.sees(ann.chatId, 'Which model should create images?');
    await ann.presses('editor');
    await harness.shows(ann.chatId, [
      'Ann: /imagine a fox',
      'Bot: (photo) a fox\neditor · 1:1 [Again] [Vary] [Ratio] [Full size]',
    ]);
  });

  test('explains that a model cannot edit images when the provider rejects the edit', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(drawNothing(rejected(400, 'no', 'image_edit_unsupported')));
    ann.sends({ bytes: drawPng(50, 50), caption: '/imagine make it winter' });
    await harness.sees(ann.chatId, 'editor can’t edit images. Choose a model that can.');
  });
});

describe('the queue of image requests', () => {
  test('shows the position and runs requests in order', async () => {
    const ann = harness.user('Ann');
    const waiting = Array.from({ length: 2 }, createWaitingScript);
    harness.images.scripts.push(...waiting.map(({ script }) => script));
    for (let order = 1; order <= 4; order += 1) ann.writes(`/imagine fox ${order}`);
    await harness.sees(ann.chatId, 'Waiting: 2 images of yours ahead of this one. painter');
    await harness.sees(ann.chatId, 'Waiting: 3 images of yours ahead of this one. painter');
    for (const { draw } of waiting) draw();
    await harness.telegram.waitFor(
      () => harness.lines(ann.chatId).filter((line) => line.includes('(photo)')).length === 4,
      4e5,
    );
    expect(harness.images.requests.slice(-4).map(({ request }) => request.prompt)).toEqual([
      'fox 1',
      'fox 2',
      'fox 3',
      'fox 4',
    ]);
    await harness.telegram.waitFor(() => harness.lines(ann.chatId).length === 8, 400_000);
  });

  test('rejects requests when it is full, with a button to try again', async () => {
    const ann = harness.user('Ann');
    harness.images.drawUsually = drawForever();
    for (let order = 1; order <= 13; order += 1) ann.writes(`/imagine fox ${order}`);
    await harness.telegram.waitFor(
      () => harness.lines(ann.chatId).some((line) => line.includes('You already have too many images waiting')),
      600_000,
    );
    ann.writes('/stop');
    await harness.telegram.waitFor(
      () => harness.lines(ann.chatId).filter((line) => line.startsWith('Bot: Stopped. [Again]')).length === 12,
      1_200_000,
    );
  });

  test('of one user does not delay other users', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    harness.images.scripts.push(drawForever(), drawForever());
    ann.writes('/imagine fox 1');
    ann.writes('/imagine fox 2');
    ann.writes('/imagine fox 3');
    await harness.sees(ann.chatId, /^Waiting: 2/);
    bob.writes('/imagine a fox');
    await harness.sees(bob.chatId, 'a fox\npainter · 1:1');
    ann.writes('/stop');
    await harness.sees(ann.chatId, 'Stopped.');
  });
});

describe('stopping an image request', () => {
  test('aborts the request to the provider and offers Again', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(drawForever());
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, /^Creating with/);
    const { signal } = await harness.images.request(harness.images.requests.length - 1);
    expect(await ann.presses('Stop')).toBe('Stopped.');
    await harness.shows(ann.chatId, ['Ann: /imagine a fox', 'Bot: Stopped. [Again]']);
    expect(signal.aborted).toBe(true);
    await ann.presses('Again');
    await harness.shows(ann.chatId, ['Ann: /imagine a fox', `Bot: ${DRAWN}`]);
  });

  test('with Stop is too late when the image is ready', async () => {
    const ann = harness.user('Ann');
    const waiting = createWaitingScript();
    harness.images.scripts.push(waiting.script);
    ann.writes('/imagine a fox');
    const { message } = await harness.sees(ann.chatId, /^Creating with/);
    const button = message.reply_markup?.inline_keyboard[0]?.[0];
    waiting.draw();
    await harness.shows(ann.chatId, ['Ann: /imagine a fox', `Bot: ${DRAWN}`]);
    const data = button && 'callback_data' in button ? button.callback_data : '';
    const from = { id: ann.id, is_bot: false, first_name: 'Ann', language_code: 'en' };
    await harness.receives({ callback_query: { id: 'late', from, chat_instance: '1', data, message } });
    const answers = harness.telegram.calls('answerCallbackQuery').map(({ params }) => params);
    expect(answers.at(-1)).toMatchObject({ callback_query_id: 'late', text: 'There is nothing to stop.' });
    expect(harness.lines(ann.chatId)).toHaveLength(2);
  });

  test('with Stop removes a waiting request from the queue', async () => {
    const ann = harness.user('Ann');
    const waiting = createWaitingScript();
    harness.images.scripts.push(waiting.script, waiting.script);
    const before = harness.images.requests.length;
    ann.writes('/imagine fox 1');
    ann.writes('/imagine fox 2');
    ann.writes('/imagine fox 3');
    await harness.sees(ann.chatId, /^Waiting: 2/);
    expect(await ann.presses('Stop')).toBe('Stopped.');
    await harness.sees(ann.chatId, 'Stopped.');
    waiting.draw();
    await harness.telegram.waitFor(
      () => harness.lines(ann.chatId).filter((line) => line.includes('(photo)')).length === 2,
      2e5,
    );
    expect(harness.images.requests).toHaveLength(before + 2);
  });

  test('with /stop ends only requests of this user in this chat', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const waiting = createWaitingScript();
    harness.images.scripts.push(drawForever(), waiting.script);
    Ann.writes('/imagine@switch_bot a hen');
    Bob.writes('/imagine@switch_bot a fox');
    await harness.telegram.waitFor(
      () => harness.lines(Ann.chatId).filter((line) => /Creating/.test(line)).length === 2,
      1e5,
    );
    expect(await Ann.presses('Stop')).toBe('Only the user who asked can stop this.');
    Ann.writes('/stop');
    await harness.sees(Ann.chatId, 'Stopped.');
    waiting.draw();
    await harness.sees(Ann.chatId, 'a fox\npainter · 1:1');
    Ann.writes('/stop');
    await harness.sees(Ann.chatId, /^Nothing of yours is running here/);
  });
});

describe('when Telegram fails', () => {
  test('an image arrives once after a flood error', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({ method: 'sendPhoto', kind: { type: 'flood', retryAfterSeconds: 3 } });
    ann.writes('/imagine a fox');
    await harness.shows(ann.chatId, ['Ann: /imagine a fox', `Bot: ${DRAWN}`]);
  });

  test('a rejected photo is sent as a file', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({ method: 'sendPhoto', kind: refusal('Bad Request: PHOTO_INVALID_DIMENSIONS') });
    ann.writes('/imagine a fox');
    await harness.shows(ann.chatId, [
      'Ann: /imagine a fox',
      'Bot: (a-fox.png) a fox\npainter · 1:1 [Again] [Ratio] [Full size]',
    ]);
  });

  test('an image that Telegram rejects in every form is kept, with a notice', async () => {
    const ann = harness.user('Ann');
    for (const method of ['sendPhoto', 'sendDocument']) {
      harness.telegram.injectFault({ method, kind: refusal('Bad Request: IMAGE_PROCESS_FAILED') });
    }
    ann.writes('/imagine a fox');
    await harness.shows(ann.chatId, [
      'Ann: /imagine a fox',
      'Bot: The image is ready, but Telegram rejected it. [Full size] [Again]',
    ]);
    await ann.presses('Full size');
    await harness.telegram.waitFor(() => harness.lines(ann.chatId).at(-1) === 'Bot: (a-fox.png) ', 100_000);
  });

  test('a send without confirmation is not repeated', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({ method: 'sendPhoto', kind: { type: 'reset-after' } });
    ann.writes('/imagine a fox');
    await harness.shows(ann.chatId, [
      'Ann: /imagine a fox',
      'Bot: The image is ready, but Telegram did not confirm that it arrived. [Full size] [Again]',
      `Bot: ${DRAWN}`,
    ]);
  });

  test('a deleted status message does not stop the image or the error', async () => {
    const ann = harness.user('Ann');
    const waiting = createWaitingScript();
    harness.images.scripts.push(waiting.script);
    ann.writes('/imagine a fox');
    const { message } = await harness.sees(ann.chatId, /^Creating/);
    harness.telegram.deleteMessage(ann.chatId, message.message_id);
    waiting.draw();
    await harness.shows(ann.chatId, ['Ann: /imagine a fox', `Bot: ${DRAWN}`]);
    harness.images.scripts.push(drawNothing(rejected(400, 'no', 'content_policy_violation')));
    harness.telegram.injectFault({ method: 'editMessageText', kind: { type: 'message-vanishes' } });
    ann.writes('/imagine a hen');
    await harness.sees(ann.chatId, /content rules/);
  });

  test('blocking the bot aborts the request', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(drawForever());
    harness.telegram.injectFault({
      method: 'sendMessage',
      kind: { type: 'error', status: 403, description: 'Forbidden: bot was blocked by the user' },
    });
    const number = harness.images.requests.length;
    ann.writes('/imagine a fox');
    const { signal } = await harness.images.request(number);
    await new Promise((resolve) => (signal.aborted ? resolve(0) : signal.addEventListener('abort', resolve)));
  });
});

describe('an image outside Telegram’s limits for photos', () => {
  /** Generates an image with these bytes and this size. */
  const give = async (ann: ReturnType<BotHarness['user']>, bytes: Buffer, width: number, height: number) => {
    const image = { bytes, format: 'png', width, height, seed: undefined, revisedPrompt: undefined } as const;
    const made = { id: 'img-1', images: [image], elapsedMs: 1, tokens: 1, provider: 'home', providerModel: 'x' };
    const bot = createBot({ ...deps, images: { generate: async () => made } });
    const from = { id: ann.id, is_bot: false, first_name: 'Ann', language_code: 'en' };
    const chat = { id: ann.chatId, type: 'private' as const, first_name: 'Ann' };
    const entities = [{ type: 'bot_command' as const, offset: 0, length: 8 }];
    const message = { message_id: 900, date: 1, from, chat, text: '/imagine a fox', entities };
    await bot.handleUpdate({ update_id: 1, message });
    await harness.sees(ann.chatId, /^a fox/);
    await bot.stop();
  };

  test.each([
    [12_000, 400],
    [100, 5000],
    [6000, 6000],
  ])('of %i by %i is sent as a photo', async (width, height) => {
    const ann = harness.user('Ann');
    await give(ann, drawPng(width, height), width, height);
    const photo = newest(ann.chatId)?.photo?.at(-1);
    expect(photo?.width).toBeGreaterThan(0);
    expect((photo?.width ?? 0) + (photo?.height ?? 0)).toBeLessThanOrEqual(10_000);
    await ann.presses('Full size');
    await harness.telegram.waitFor(() => newest(ann.chatId)?.document !== undefined, 100_000);
    expect(harness.telegram.readFile(newest(ann.chatId)?.document?.file_id ?? '').file.size).toEqual({ width, height });
  });

  test('and above the limit for files is sent as a photo, and Full size explains why', async () => {
    const ann = harness.user('Ann');
    await give(ann, Buffer.concat([drawPng(100, 100), Buffer.alloc(51 * 1024 * 1024)]), 100, 100);
    await ann.presses('Full size');
    await harness.sees(ann.chatId, 'The file is 52 MB, and Telegram accepts at most 50 MB from me.');
  });
});

describe('at the end of the process', () => {
  test('requests that do not finish in time show a notice, and Again repeats them', async () => {
    const ending = await createBotHarness({ models });
    const [ann, bob] = [ending.user('Ann'), ending.user('Bob')];
    const waiting = createWaitingScript();
    ending.images.scripts.push(drawForever(), waiting.script);
    ann.writes('/imagine a hen');
    await ending.sees(ann.chatId, /^Creating/);
    bob.writes('/imagine a fox');
    await ending.sees(bob.chatId, /^Creating/);
    const stopped = ending.bot.stop();
    waiting.draw();
    await stopped;
    expect(ending.lines(bob.chatId)).toEqual(['Bob: /imagine a fox', `Bot: ${DRAWN}`]);
    expect(ending.lines(ann.chatId)).toEqual([
      'Ann: /imagine a hen',
      'Bot: I restarted while creating this image. Press Again to try once more. [Again]',
    ]);
    await ending.close();
  });

  test('during delivery, the next process offers the image in the status message', async () => {
    let kept: GivenServices | undefined;
    const ending = await createBotHarness({
      models,
      change: (given) => {
        kept = given;
        return given;
      },
    });
    if (!kept) throw new Error('the bot was not built');
    const ann = ending.user('Ann');
    ending.telegram.injectFault({ method: 'sendPhoto', kind: { type: 'no-answer' } });
    ann.writes('/imagine a fox');
    await ending.telegram.waitFor(() => ending.telegram.calls('sendPhoto').length > 0, 100_000);
    await ending.bot.stop();
    expect(ending.lines(ann.chatId).at(-1)).toMatch(/^Bot: Creating with painter…/);

    const next = createBot(kept);
    // A recovery that is aborted before it reports anything leaves it to the next start.
    await next.recover(ann.chatId, AbortSignal.abort());
    await next.recover(ann.chatId, AbortSignal.timeout(60_000));
    const offer = [
      'Ann: /imagine a fox',
      'Bot: I restarted while sending this image. Full size sends it as a file, Again creates a new one. [Full size] [Again]',
    ];
    expect(ending.lines(ann.chatId)).toEqual(offer);
    await next.recover(ann.chatId, AbortSignal.timeout(60_000));
    expect(ending.lines(ann.chatId)).toEqual(offer);

    const message = ending.telegram.transcript(ann.chatId).at(-1)?.message;
    const press = async (label: string) => {
      const button = message?.reply_markup?.inline_keyboard.flat().find(({ text }) => text === label);
      if (!message || !button || !('callback_data' in button)) throw new Error(`no button ${label}`);
      const from = { id: ann.id, is_bot: false, first_name: 'Ann', language_code: 'en' };
      const query = { id: label, from, chat_instance: '1', data: button.callback_data, message };
      await next.handleUpdate({ update_id: 1, callback_query: query });
    };
    await press('Full size');
    await ending.shows(ann.chatId, [...offer, 'Bot: (a-fox.png) ']);
    await press('Again');
    await ending.shows(ann.chatId, ['Ann: /imagine a fox', 'Bot: (a-fox.png) ', `Bot: ${DRAWN}`]);
    await next.stop();
    expect(await kept.imageJobs.listUnended(ann.chatId)).toEqual([]);
    await ending.close();
  });

  test('without a notice, the next process shows one in the status message', async () => {
    const oleg = harness.user('Олег', 'ru');
    harness.images.scripts.push(drawForever());
    oleg.writes('/imagine лиса --ratio 3:2');
    await harness.sees(oleg.chatId, /^Рисует painter/);
    // The state after a crash.
    await vi.waitFor(async () => {
      const unended = await deps.imageJobs.listUnended(oleg.chatId);
      expect(unended.map((imageJob) => imageJob.statusMessageId)).toEqual([newest(oleg.chatId)?.message_id]);
    });
    const next = createBot(deps);
    await next.recover(oleg.chatId, AbortSignal.timeout(60_000));
    expect(harness.lines(oleg.chatId).at(-1)).toMatch(/restart|перезапустился/);
    expect(await deps.imageJobs.listUnended(oleg.chatId)).toEqual([]);
    await next.recover(oleg.chatId, AbortSignal.timeout(60_000));
    expect(harness.lines(oleg.chatId)).toHaveLength(2);
    await next.stop();
  });
});

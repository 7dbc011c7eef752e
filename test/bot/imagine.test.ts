import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { afterEach, describe, expect, test } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { drawNearest, type ImageScript } from '../support/hosts/scripted-images.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { drawPng } from '../support/samples/media.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const models = [
  createModelEntry('basic'),
  createModelEntry('painter', { type: 'image', acceptsImages: true }),
  createModelEntry('flux-dev', { type: 'image' }),
  createModelEntry('flux-schnell', { type: 'image' }),
];

/** False simulates images that have expired. */
let areKept = true;
const harness = startBeforeAll(() =>
  createBotHarness({
    models,
    change: (deps) => ({
      ...deps,
      imageJobs: {
        ...deps.imageJobs,
        findImage: async (id) => (areKept ? deps.imageJobs.findImage(id) : undefined),
      },
    }),
  }),
);
afterEach(() => {
  harness.images.scripts.length = 0;
  harness.images.drawUsually = drawNearest();
  harness.telegram.clearFaults();
  areKept = true;
});

const lastRequest = () => harness.images.requests.at(-1)?.request;
const newest = (chatId: number) => harness.telegram.transcript(chatId).at(-1)?.message;
const messagesOf = (chatId: number) => harness.telegram.transcript(chatId).map(({ message }) => message);
const rowsOf = (chatId: number) =>
  newest(chatId)?.reply_markup?.inline_keyboard.map((row) => row.map(({ text }) => text).join(' | '));

function sizeOf(chatId: number): string {
  const photo = newest(chatId)?.photo?.at(-1);
  return `${photo?.width}x${photo?.height}`;
}

/** Images of different colours, which tests tell apart. */
const coloured =
  (...reds: number[]): ImageScript =>
  () =>
    reds.map((red) => ({ bytes: drawPng(64, 64, [red, 0, 0]) }));

async function redsOf(fileIds: readonly (string | undefined)[]): Promise<number[]> {
  const reds = fileIds.map(async (fileId) => {
    const { data } = await sharp(harness.telegram.readFile(fileId ?? '').bytes)
      .raw()
      .toBuffer({ resolveWithObject: true });
    return data[0] ?? -1;
  });
  return Promise.all(reds);
}

describe('/imagine with a description', () => {
  test('shows a status message at once, and finally only the image', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine a red fox in snow');
    await harness.shows(ann.chatId, [
      'Ann: /imagine a red fox in snow',
      'Bot: (photo) a red fox in snow\npainter · 1:1 [Again] [Vary] [Ratio] [Full size]',
    ]);
    expect(rowsOf(ann.chatId)).toEqual(['Again | Vary', 'Ratio | Full size']);
    const sent = harness.telegram.calls('sendMessage').filter(({ params }) => Number(params['chat_id']) === ann.chatId);
    expect(sent.map(({ params }) => params['text'])).toEqual(['Creating with painter…']);
  });

  test('shows a chat action and the elapsed time', async () => {
    const ann = harness.user('Ann');
    const actions: string[] = [];
    const unsubscribe = harness.telegram.subscribe(
      (event) => event.type === 'chat-action' && actions.push(event.action),
    );
    harness.images.scripts.push(async (request, signal) => {
      await harness.sees(ann.chatId, /^Creating with painter… \d+ s$/);
      return drawNearest()(request, signal);
    });
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, /^a fox\n/);
    unsubscribe();
    expect(new Set(actions)).toEqual(new Set(['upload_photo']));
    await harness.telegram.waitFor(() => harness.lines(ann.chatId).length === 2, 100_000);
  });

  test('applies every flag, including those with the dashes of phones', async () => {
    const ann = harness.user('Ann');
    harness.images.drawUsually = drawNearest({ seed: 7 });
    ann.writes('/imagine --model FLUX-dev a red fox —ratio 16:9 --seed 7 in snow');
    await harness.sees(ann.chatId, 'a red fox in snow\nflux-dev · 16:9 · seed 7');
    expect(lastRequest()).toMatchObject({
      model: 'flux-dev',
      prompt: 'a red fox in snow',
      ratio: { width: 16, height: 9 },
      count: 1,
      seed: 7,
    });
    expect(sizeOf(ann.chatId)).toBe('768x432');
    // This model accepts no images.
    expect(rowsOf(ann.chatId)).toEqual(['Again', 'Ratio | Full size']);
  });

  test('accepts a part of a name that matches one model', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine a fox --model schnell');
    await harness.sees(ann.chatId, 'a fox\nflux-schnell · 1:1');
  });

  test.each([
    ['a fox --ratio 17:9', 'The ratio 17:9 is not supported. You can use 1:1, 16:9, 21:9, 3:2, 2:3, 4:5, 5:4, 3:4'],
    ['a fox --n 11', '--n must be between 1 and 10.'],
    ['a fox --seed x', '--seed must be a whole number'],
    ['a fox --style anime', 'I don’t know --style. You can use --ratio 16:9, --model name, --n 4 and --seed 7.'],
    ['a fox --model flux', '“flux” matches several models: flux-dev, flux-schnell. Write more of the name.'],
    ['a fox --model dali', 'No image model matches “dali”. Available: painter, flux-dev, flux-schnell.'],
    ['a fox --model basic', 'No image model matches “basic”.'],
    ['a fox --model', 'Which model? Write its name, or part of it, after --model.'],
  ])('explains an invalid option: %s', async (words, answer) => {
    const ann = harness.user('Ann');
    const before = harness.images.requests.length;
    ann.writes(`/imagine ${words}`);
    await harness.telegram.waitFor(() => newest(ann.chatId)?.text?.includes(answer), 100_000);
    expect(harness.images.requests).toHaveLength(before);
  });

  test('formats the caption so that Telegram finds no commands, mentions or links in it', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine /new @switch_bot #fox *bold* http://a.example <b>x</b>');
    await harness.sees(ann.chatId, /^\/new @switch_bot/);
    const { caption, caption_entities: entities } = newest(ann.chatId) ?? {};
    expect(caption).toBe('/new @switch_bot #fox *bold* http://a.example <b>x</b>\npainter · 1:1');
    expect(new Set(entities?.map(({ type }) => type))).toEqual(new Set(['code']));
  });

  test('cuts a long description at the limit of captions, between whole characters', async () => {
    const ann = harness.user('Ann');
    ann.writes(`/imagine a fox ${'👩‍👩‍👧‍👦'.repeat(120)}`);
    await harness.sees(ann.chatId, /^a fox/);
    const caption = newest(ann.chatId)?.caption ?? '';
    expect(caption.length).toBeLessThanOrEqual(1024);
    expect(caption.length).toBeGreaterThan(1000);
    expect(caption).toMatch(/👩‍👩‍👧‍👦…\npainter · 1:1$/u);
    expect(lastRequest()?.prompt).toHaveLength(6 + 120 * 11);
  });

  test.each(['1:1', '16:9', '21:9', '3:2', '2:3', '4:5', '5:4', '3:4', '4:3', '9:16', '9:21'])(
    'creates images of exactly %s',
    async (ratio) => {
      const ann = harness.user('Ann');
      ann.writes(`/imagine a fox --ratio ${ratio}`);
      await harness.sees(ann.chatId, `a fox\npainter · ${ratio}`);
      const [width = 0, height = 0] = sizeOf(ann.chatId).split('x').map(Number);
      const [wide = 0, high = 0] = ratio.split(':').map(Number);
      expect(width * high).toBe(height * wide);
    },
  );

  test('replies in a group, where other users cannot use its buttons', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const asked = Ann.writes('/imagine@switch_bot a fox');
    await harness.sees(Ann.chatId, 'a fox\npainter · 1:1');
    expect(newest(Ann.chatId)?.reply_to_message?.message_id).toBe(asked);
    expect(await Bob.presses('Again')).toBe('This button belongs to someone else.');
    Ann.writes('/imagine@other_bot a fox');
    Bob.writes('/imagine@switch_bot a hen');
    await harness.sees(Ann.chatId, 'a hen\npainter · 1:1');
    await harness.telegram.waitFor(() => harness.lines(Ann.chatId).length === 5, 100_000);
  });

  test('answers in Russian, including the name of the file', async () => {
    const oleg = harness.user('Олег', 'ru');
    oleg.writes('/imagine рыжая лиса в снегу —ratio 3:2');
    await harness.sees(oleg.chatId, 'рыжая лиса в снегу\npainter · 3:2');
    await oleg.presses('Оригинал');
    await harness.shows(oleg.chatId, [
      'Олег: /imagine рыжая лиса в снегу —ratio 3:2',
      'Bot: (photo) рыжая лиса в снегу\npainter · 3:2 [Ещё раз] [Вариант] [Формат] [Оригинал]',
      'Bot: (рыжая-лиса-в-снегу.png) ',
    ]);
  });

  test('serves two users at once', async () => {
    const [ann, bob] = [harness.user('Ann'), harness.user('Bob')];
    ann.writes('/imagine a fox');
    bob.writes('/imagine a hen');
    await harness.sees(ann.chatId, 'a fox\npainter · 1:1');
    await harness.sees(bob.chatId, 'a hen\npainter · 1:1');
  });

  test('reports when there is no image model', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [createModelEntry('basic')];
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, 'No image model is connected. The operator of this bot has to add one.');
    harness.models.models = models;
  });
});

describe('several images', () => {
  test('are sent as an album in order, with the buttons below', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(coloured(10, 20), coloured(30), coloured(40));
    ann.writes('/imagine a fox --n 4');
    await harness.shows(ann.chatId, [
      'Ann: /imagine a fox --n 4',
      'Bot: (photo) a fox\npainter · 1:1',
      'Bot: (photo) ',
      'Bot: (photo) ',
      'Bot: (photo) ',
      'Bot: 4 images. What next? [Again] [Ratio] [Full size] [Vary 1] [Vary 2] [Vary 3] [Vary 4]',
    ]);
    const album = messagesOf(ann.chatId).slice(1, 5);
    expect(new Set(album.map((message) => message.media_group_id)).size).toBe(1);
    expect(await redsOf(album.map((message) => message.photo?.at(-1)?.file_id))).toEqual([10, 20, 30, 40]);
    // The first one has the prompt as its caption, which a reply would quote.
    expect(newest(ann.chatId)?.reply_to_message?.message_id).toBe(album.at(-1)?.message_id);
    expect(album.at(-1)?.caption).toBeUndefined();

    await ann.presses('Full size');
    await harness.telegram.waitFor(() => messagesOf(ann.chatId).length === 10, 100_000);
    const files = messagesOf(ann.chatId).slice(6);
    expect(files.map((message) => message.document?.file_name)).toEqual([
      'a-fox-1.png',
      'a-fox-2.png',
      'a-fox-3.png',
      'a-fox-4.png',
    ]);
    expect(await redsOf(files.map((message) => message.document?.file_id))).toEqual([10, 20, 30, 40]);

    harness.images.scripts.push(coloured(99));
    await ann.presses('Vary 3');
    await harness.telegram.waitFor(() => newest(ann.chatId)?.photo !== undefined, 100_000);
    const { data } = await sharp(lastRequest()?.sources?.[0]).raw().toBuffer({ resolveWithObject: true });
    expect(data[0]).toBe(30);
    expect(lastRequest()?.count).toBe(1);
  });

  test.each([
    ['consecutive', [7, 8, 9, 10], 'seeds 7–10'],
    ['unrelated', [7, 12, 3], 'seeds 7, 12, 3'],
    ['of two requests', [7, 8, 20, 21], 'seeds 7–8, 20–21'],
  ])('show their seeds: %s', async (_, seeds, words) => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(() => seeds.map((seed) => ({ bytes: drawPng(64, 64), seed })));
    ann.writes(`/imagine a fox --n ${seeds.length}`);
    await harness.sees(ann.chatId, `a fox\npainter · 1:1 · ${words}`);
  });

  test('are sent as far as they succeeded, with a notice about the rest', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(coloured(10), () => Promise.reject(new Error('tired')), coloured(20));
    ann.writes('/imagine a fox --n 3');
    await harness.sees(ann.chatId, 'a fox\npainter · 1:1 · only 2 of 3 succeeded');
  });

  test('are sent one by one when Telegram rejects the album', async () => {
    const ann = harness.user('Ann');
    harness.telegram.injectFault({
      method: 'sendMediaGroup',
      kind: { type: 'error', status: 400, description: 'Bad Request: IMAGE_PROCESS_FAILED' },
    });
    harness.images.scripts.push(coloured(10, 20));
    ann.writes('/imagine a fox --n 2');
    await harness.shows(ann.chatId, [
      'Ann: /imagine a fox --n 2',
      'Bot: (photo) a fox\npainter · 1:1',
      'Bot: (photo) ',
      'Bot: 2 images. What next? [Again] [Ratio] [Full size] [Vary 1] [Vary 2]',
    ]);
  });
});

describe('the buttons below an image', () => {
  test('Again repeats the prompt without the old seed, once for two quick presses', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine a fox --seed 7 --ratio 3:2');
    await harness.sees(ann.chatId, 'a fox\npainter · 3:2');
    const before = harness.images.requests.length;
    let draw = () => {};
    harness.images.scripts.push(async (request, signal) => {
      await new Promise<void>((resolve) => (draw = resolve));
      return drawNearest()(request, signal);
    });
    expect(await ann.presses('Again')).toBe('');
    expect(await ann.presses('Again')).toBe('I’m already creating it.');
    draw();
    await harness.telegram.waitFor(
      () => harness.lines(ann.chatId).filter((line) => line.includes('photo')).length === 2,
      1e5,
    );
    expect(harness.images.requests).toHaveLength(before + 1);
    expect(lastRequest()).toMatchObject({ prompt: 'a fox', ratio: { width: 3, height: 2 }, seed: undefined });
  });

  test('Vary sends this image to the model', async () => {
    const ann = harness.user('Ann');
    harness.images.scripts.push(coloured(200));
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, 'a fox\npainter · 1:1');
    harness.images.scripts.push(coloured(100));
    await ann.presses('Vary');
    await harness.telegram.waitFor(
      () => harness.lines(ann.chatId).filter((line) => line.includes('photo')).length === 2,
      1e5,
    );
    const { data } = await sharp(lastRequest()?.sources?.[0]).raw().toBuffer({ resolveWithObject: true });
    expect(data[0]).toBe(200);
  });

  test('Ratio shows eleven ratios in place of the buttons and applies the chosen one', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, 'a fox\npainter · 1:1');
    await ann.presses('Ratio');
    await harness.telegram.waitFor(() => rowsOf(ann.chatId)?.length === 5, 100_000);
    expect(rowsOf(ann.chatId)).toEqual([
      '21:9 | 16:9 | 3:2',
      '4:3 | 5:4 | 1:1',
      '4:5 | 3:4 | 2:3',
      '9:16 | 9:21',
      'Back',
    ]);
    await ann.presses('Back');
    await harness.telegram.waitFor(() => rowsOf(ann.chatId)?.length === 2, 100_000);
    await ann.presses('Ratio');
    await ann.presses('9:16');
    await harness.sees(ann.chatId, 'a fox\npainter · 9:16');
    await harness.shows(ann.chatId, [
      'Ann: /imagine a fox',
      'Bot: (photo) a fox\npainter · 1:1 [Again] [Vary] [Ratio] [Full size]',
      'Bot: (photo) a fox\npainter · 9:16 [Again] [Vary] [Ratio] [Full size]',
    ]);
  });

  test('Full size of 40 MB sends the original, of which the photo is a reduced copy', async () => {
    const ann = harness.user('Ann');
    const side = 3700;
    const noise = randomBytes(65_537).map((byte) => 96 + (byte & 63));
    const raw = { width: side, height: side, channels: 3 } as const;
    const bytes = await sharp(Buffer.alloc(side * side * 3, noise), { raw })
      .png({ compressionLevel: 0 })
      .toBuffer();
    expect(bytes.length).toBeGreaterThan(40_000_000);
    harness.images.scripts.push(() => [{ bytes }]);
    ann.writes('/imagine noise');
    await harness.telegram.waitFor(() => newest(ann.chatId)?.photo !== undefined, 600_000);
    const photo = newest(ann.chatId)?.photo?.at(-1);
    expect(photo?.file_size).toBeLessThan(10 * 1024 * 1024);
    await ann.presses('Full size');
    await harness.telegram.waitFor(() => newest(ann.chatId)?.document !== undefined, 600_000);
    const file = harness.telegram.readFile(newest(ann.chatId)?.document?.file_id ?? '');
    expect(file.bytes.equals(bytes)).toBe(true);
  });

  test('Full size reports when the image has expired', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine a fox');
    await harness.sees(ann.chatId, 'a fox\npainter · 1:1');
    areKept = false;
    expect(await ann.presses('Full size')).toBe('I no longer have this image: I keep images for a few days only.');
    expect(await ann.presses('Vary')).toBe('I no longer have this image: I keep images for a few days only.');
  });
});

describe('the demonstration provider', () => {
  test('generates images, equal for equal seeds', async () => {
    const { image } = createDemoProvider({ clock: systemClock });
    const demo = await createBotHarness({
      models: [createModelEntry('demo-image', { type: 'image' })],
      ...(image && { painter: image }),
    });
    const ann = demo.user('Ann');
    const drawFox = async (count: number) => {
      ann.writes('/imagine a red fox in snow --ratio 16:9 --seed 7');
      const isThere = () => demo.lines(ann.chatId).filter((line) => line.includes('(photo)')).length === count;
      await demo.telegram.waitFor(isThere, 200_000);
      const photo = demo.telegram
        .transcript(ann.chatId)
        .findLast(({ message }) => message.photo)
        ?.message.photo?.at(-1);
      expect((photo?.width ?? 0) * 9).toBe((photo?.height ?? 0) * 16);
      return demo.telegram.readFile(photo?.file_id ?? '').bytes;
    };
    const [first, second] = [await drawFox(1), await drawFox(2)];
    expect(first.equals(second)).toBe(true);
    await demo.close();
  });
});

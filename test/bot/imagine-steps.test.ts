import { like } from 'drizzle-orm';
import sharp from 'sharp';
import { afterEach, describe, expect, test } from 'vitest';
import { dialogs } from '../../src/database/schema/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { drawNearest } from '../support/hosts/scripted-images.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { drawPng } from '../support/samples/media.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const painter = createModelEntry('painter', { type: 'image', acceptsImages: false });
const editor = createModelEntry('editor', { type: 'image', acceptsImages: true });
const models = [createModelEntry('basic', { acceptsImages: true }), painter, editor];

const harness = startBeforeAll(() => createBotHarness({ models }));
afterEach(() => {
  harness.images.scripts.length = 0;
  harness.images.drawUsually = drawNearest();
  harness.models.models = models;
  harness.telegram.clearFaults();
});

const lastRequest = () => harness.images.requests.at(-1)?.request;
const newest = (chatId: number) => harness.telegram.transcript(chatId).at(-1)?.message;
const labelsOf = (chatId: number) =>
  newest(chatId)
    ?.reply_markup?.inline_keyboard.flat()
    .map(({ text }) => text);

describe('/imagine without a description', () => {
  test('asks for description, ratio and model, then generates the image', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine');
    await harness.sees(ann.chatId, 'What should the image show? Describe it.');
    expect(labelsOf(ann.chatId)).toEqual(['Cancel']);
    ann.writes('a red fox');
    await harness.sees(ann.chatId, 'Which shape?');
    expect(labelsOf(ann.chatId)).toEqual(['Square', 'Portrait', 'Landscape', 'More…', 'Cancel']);
    await ann.presses('More…');
    await harness.sees(ann.chatId, 'Which aspect ratio? Width to height.');
    expect(labelsOf(ann.chatId)).toHaveLength(12);
    await ann.presses('21:9');
    await harness.sees(ann.chatId, 'Which model should create images?');
    expect(labelsOf(ann.chatId)).toEqual(['✓ painter', 'editor', 'Cancel']);
    await ann.presses('editor');
    await harness.shows(ann.chatId, [
      'Ann: /imagine',
      'Bot: What should the image show? Describe it.',
      'Ann: a red fox',
      'Bot: (photo) a red fox\neditor · 21:9 [Again] [Vary] [Ratio] [Full size]',
    ]);
    expect(harness.models.requests).toHaveLength(0);
  });

  test('asks again when the answer contains only flags', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [createModelEntry('basic'), painter];
    ann.writes('/imagine');
    await harness.sees(ann.chatId, /What should the image show/);
    ann.writes('--ratio 3:2');
    await harness.telegram.waitFor(
      () => harness.lines(ann.chatId).at(-1)?.includes('What should the image show'),
      60_000,
    );
    ann.writes('a fox');
    await harness.sees(ann.chatId, 'a fox\npainter · 3:2');
  });

  test('skips questions that flags have answered or that have only one option', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [createModelEntry('basic'), painter];
    ann.writes('/imagine --ratio 3:2 --n 2');
    await harness.sees(ann.chatId, /What should the image show/);
    ann.writes('a fox --seed 7');
    await harness.sees(ann.chatId, 'a fox\npainter · 3:2');
    expect(harness.images.requests.at(-1)?.request).toMatchObject({ ratio: { width: 3, height: 2 }, seed: 8 });
  });

  test('reports invalid flags in the answer', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine');
    await harness.sees(ann.chatId, /What should the image show/);
    ann.writes('a fox --ratio 17:9');
    await harness.sees(ann.chatId, /The ratio 17:9 is not supported/);
  });

  test('can be cancelled at each step', async () => {
    const ann = harness.user('Ann');
    const before = harness.images.requests.length;
    ann.writes('/imagine');
    await harness.sees(ann.chatId, /What should the image show/);
    await ann.presses('Cancel');
    await harness.sees(ann.chatId, 'Cancelled.');
    ann.writes('Hello');
    await harness.sees(ann.chatId, 'You said: Hello');

    const bob = harness.user('Bob');
    bob.writes('/imagine');
    await harness.sees(bob.chatId, /What should the image show/);
    bob.writes('a fox');
    await harness.sees(bob.chatId, /Which shape/);
    await bob.presses('Cancel');
    await harness.telegram.waitFor(() => harness.lines(bob.chatId).at(-1) === 'Bob: a fox', 100_000);

    const eve = harness.user('Eve');
    eve.writes('/imagine');
    await harness.sees(eve.chatId, /What should the image show/);
    eve.writes('a hen');
    await harness.sees(eve.chatId, /Which shape/);
    await eve.presses('Square');
    await harness.sees(eve.chatId, /Which model/);
    await eve.presses('Cancel');
    await harness.telegram.waitFor(() => harness.lines(eve.chatId).at(-1) === 'Eve: a hen', 100_000);
    expect(harness.images.requests).toHaveLength(before);
  });

  test('lists many models in pages', async () => {
    const ann = harness.user('Ann');
    const many = Array.from({ length: 11 }, (_, index) => createModelEntry(`brush-${index + 1}`, { type: 'image' }));
    harness.models.models = [...many];
    ann.writes('/imagine');
    await harness.sees(ann.chatId, /What should the image show/);
    ann.writes('a fox');
    await ann.presses('Landscape');
    await harness.sees(ann.chatId, /Which model/);
    await ann.presses('»');
    await harness.telegram.waitFor(() => labelsOf(ann.chatId)?.[0] === 'brush-9', 100_000);
    await ann.presses('brush-11');
    await harness.sees(ann.chatId, 'a fox\nbrush-11 · 3:2');
  });

  test('takes the description from a reply to the question in a group', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Ann.writes('/imagine');
    const { message } = await harness.sees(Ann.chatId, /What should the image show/);
    Bob.writes('a hen', { replyTo: message.message_id });
    await harness.sees(Ann.chatId, 'You said: a hen');
    const answered = Ann.writes('a fox', { replyTo: message.message_id });
    await harness.sees(Ann.chatId, /Which shape/);
    expect(await Bob.presses('Square')).toBe('This button belongs to someone else.');
    await Ann.presses('Square');
    await Ann.presses('✓ painter');
    await harness.sees(Ann.chatId, 'a fox\npainter · 1:1');
    expect(newest(Ann.chatId)?.reply_to_message?.message_id).toBe(answered);
  });
});

describe('a photo for /imagine', () => {
  const photo = (width: number, height: number) => ({ bytes: drawPng(width, height, [0, 99, 0]) });
  const greenOfSource = async () => {
    const { data } = await sharp(lastRequest()?.sources?.[0]).raw().toBuffer({ resolveWithObject: true });
    return data[1];
  };

  test('with the command as its caption is edited by a capable model in its own ratio', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...photo(400, 300), caption: '/imagine make it winter' });
    await harness.sees(ann.chatId, 'make it winter\neditor · 4:3');
    expect(lastRequest()).toMatchObject({ model: 'editor', ratio: { width: 4, height: 3 } });
    expect(await greenOfSource()).toBe(99);
    expect(harness.models.requests.filter(({ messages }) => JSON.stringify(messages).includes('winter'))).toEqual([]);
    harness.images.scripts.length = 0;
    await ann.presses('Again');
    await harness.telegram.waitFor(() => harness.lines(ann.chatId).length === 3, 100_000);
    expect(await greenOfSource()).toBe(99);
  });

  test('that is replied to is edited in the requested ratio', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    const id = Bob.sends(photo(100, 100));
    Ann.writes('/imagine make it winter --ratio 16:9', { replyTo: id });
    await harness.sees(Ann.chatId, 'make it winter\neditor · 16:9');
    expect(await greenOfSource()).toBe(99);
  });

  test('sent as a file is edited, up to 20 MB', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...photo(100, 200), kind: 'document', caption: '/imagine make it winter' });
    await harness.sees(ann.chatId, 'make it winter\neditor · 9:16');
    const large = Buffer.concat([drawPng(10, 10), Buffer.alloc(21 * 1024 * 1024)]);
    ann.sends({ bytes: large, kind: 'document', caption: '/imagine make it winter' });
    await harness.sees(ann.chatId, 'This photo is too large: the limit is 20 MB.');
  });

  test('may be an image generated by the bot', async () => {
    const ann = harness.user('Ann');
    ann.writes('/imagine a fox');
    const { message } = await harness.sees(ann.chatId, 'a fox\npainter · 1:1');
    ann.writes('/imagine make it winter', { replyTo: message.message_id });
    await harness.sees(ann.chatId, 'make it winter\neditor · 1:1');
    expect(lastRequest()?.sources?.[0]).toBeInstanceOf(Buffer);
  });

  test('with another caption does not store that caption in the dialog', async () => {
    const ann = harness.user('Ann');
    const sent = ann.sends({ ...photo(100, 150), caption: 'between the two of us' });
    ann.writes('/imagine', { replyTo: sent });
    await harness.sees(ann.chatId, 'What should I change in this image?');
    const readDialogs = async () =>
      JSON.stringify(
        await harness.db
          .select()
          .from(dialogs)
          .where(like(dialogs.key, `dialog:${ann.chatId}:%`)),
      );
    await expect.poll(readDialogs).toContain('imagine');
    expect(await readDialogs()).not.toContain('between');
  });

  test('with no description leads to a question for it', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...photo(100, 150), caption: '/imagine' });
    await harness.sees(ann.chatId, 'What should I change in this image?');
    ann.writes('make it winter');
    await harness.sees(ann.chatId, 'make it winter\neditor · 2:3');
    expect(await greenOfSource()).toBe(99);
  });

  test('with a model that cannot edit leads to a menu of models that can', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...photo(100, 100), caption: '/imagine make it winter --model painter' });
    await harness.sees(ann.chatId, 'painter can’t edit images. Choose a model that can.');
    expect(labelsOf(ann.chatId)).toEqual(['editor', 'Cancel']);
    await ann.presses('editor');
    await harness.sees(ann.chatId, 'make it winter\neditor · 1:1');
    expect(await greenOfSource()).toBe(99);
  });

  test('is edited by a model of which nothing is known, if it is named or no other can', async () => {
    const ann = harness.user('Ann');
    const sketcher = createModelEntry('sketcher', { type: 'image' });
    harness.models.models = [createModelEntry('basic'), painter, sketcher, editor];
    ann.sends({ ...photo(100, 100), caption: '/imagine make it winter --model sketcher' });
    await harness.sees(ann.chatId, 'make it winter\nsketcher · 1:1');
    ann.sends({ ...photo(100, 100), caption: '/imagine make it spring' });
    await harness.sees(ann.chatId, 'make it spring\neditor · 1:1');
    harness.models.models = [createModelEntry('basic'), painter, sketcher];
    ann.sends({ ...photo(100, 100), caption: '/imagine make it autumn' });
    await harness.sees(ann.chatId, 'make it autumn\nsketcher · 1:1');
  });

  test('is not edited when no model can', async () => {
    const ann = harness.user('Ann');
    harness.models.models = [createModelEntry('basic'), painter];
    ann.sends({ ...photo(100, 100), caption: '/imagine make it winter' });
    await harness.sees(ann.chatId, /^None of the models here can edit images/);
  });

  test('of an album is the first one, and the others go to no chat model', async () => {
    const ann = harness.user('Ann');
    const asked = harness.models.requests.length;
    ann.sends({ ...photo(100, 100), caption: '/imagine make it winter', mediaGroupId: 'a' });
    ann.sends({ ...photo(100, 100), mediaGroupId: 'a' });
    ann.sends({ ...photo(100, 100), mediaGroupId: 'a' });
    await harness.sees(ann.chatId, 'make it winter\neditor · 1:1');
    await harness.sees(ann.chatId, /used the first one of your album/);
    expect(harness.models.requests).toHaveLength(asked);
  });

  test('that is damaged gets an error', async () => {
    const ann = harness.user('Ann');
    const broken = drawPng(64, 64).subarray(0, 90);
    ann.sends({ bytes: broken, kind: 'document', caption: '/imagine make it winter' });
    await harness.sees(ann.chatId, /could not read this image/);
  });

  test('must not be a video', async () => {
    const ann = harness.user('Ann');
    const bytes = Buffer.from('a film');
    ann.sends({
      bytes,
      kind: 'video',
      mimeType: 'video/mp4',
      fileName: 'film.mp4',
      caption: '/imagine make it winter',
    });
    await harness.sees(ann.chatId, 'I can only edit photos and images. Please send one of these.');
  });

  test('with another caption still goes to the chat model', async () => {
    const ann = harness.user('Ann');
    harness.models.scripts.push('Green.');
    ann.sends({ ...photo(100, 100), caption: 'What colour is this?' });
    await harness.sees(ann.chatId, 'Green.');
  });

  test('with a command for another bot is ignored in a group', async () => {
    const { Ann } = harness.group(['Ann']);
    Ann.sends({ ...photo(100, 100), caption: '/imagine@other_bot winter' });
    Ann.sends({ ...photo(100, 100), caption: '/dance' });
    Ann.sends({ ...photo(100, 100), caption: '/imagine@switch_bot winter' });
    await harness.sees(Ann.chatId, 'winter\neditor · 1:1');
    await harness.telegram.waitFor(() => harness.lines(Ann.chatId).length === 4, 100_000);
  });
});

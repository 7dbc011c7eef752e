import { afterEach, expect, test } from 'vitest';
import { ProviderUnavailableError } from '../../../src/core/models/index.ts';
import { createBotHarness } from '../../support/harness/bot.ts';
import { enterPlace, type Scene, SELDOM_SEEN, watch } from '../../support/harness/topics.ts';
import { drawForever, drawNothing } from '../../support/hosts/scripted-images.ts';
import { createModelEntry } from '../../support/hosts/scripted-models.ts';
import { drawPng } from '../../support/samples/media.ts';
import { describeByTier, startBeforeAll } from '../../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    models: [
      createModelEntry('basic'),
      createModelEntry('painter', { type: 'image', acceptsImages: true }),
      createModelEntry('flux', { type: 'image' }),
    ],
    privateTopics: true,
    tools: { builtIn: ['draw_picture'] },
  }),
);
afterEach(() => {
  harness.images.scripts.length = 0;
  harness.models.scripts.length = 0;
});

const photos = (scene: Scene) => scene.said().filter(({ photo }) => photo);
const captions = (scene: Scene) => photos(scene).map(({ caption = '' }) => caption.split('\n').at(-1));
/** Waits for this number of photos. */
const shows = (scene: Scene, count: number) => expect.poll(() => photos(scene)).toHaveLength(count);
const two = () => [drawPng(64, 64), drawPng(64, 64, [9, 9, 9])].map((bytes) => ({ bytes }));

/** Tests of image jobs and their buttons, by title. */
const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a description, then Again, Vary, Ratio and Full size'(scene) {
    scene.writes('/imagine a fox');
    await shows(scene, 1);
    await scene.presses('Again');
    await shows(scene, 2);
    await scene.presses('Vary');
    await shows(scene, 3);
    await scene.presses('Ratio');
    await scene.presses('16:9');
    await shows(scene, 4);
    expect(captions(scene).at(-1)).toBe('painter · 16:9');
    await scene.presses('Full size');
    await expect.poll(() => scene.said().filter(({ document }) => document)).toHaveLength(1);
  },

  async 'a dialog: description, ratio, model'(scene) {
    scene.writes('/imagine');
    await scene.replies(/What should the image show/, 'a fox');
    await scene.sees(/^Which shape/);
    await scene.presses('More…');
    await scene.sees(/^Which aspect ratio/);
    await scene.presses('21:9');
    await scene.sees(/^Which model/);
    await scene.presses('flux');
    await shows(scene, 1);
    expect(captions(scene)).toEqual(['flux · 21:9']);
    await expect.poll(() => scene.shows(/Which/)).toBe(false);
  },

  async 'several images, and an edited photo'(scene) {
    harness.images.scripts.push(two);
    scene.writes('/imagine a fox --n 2');
    await scene.sees('2 images. What next?');
    const photo = scene.sends({ caption: '/imagine make it night' });
    await shows(scene, 3);
    scene.writes('/imagine make it day', { replyTo: photo });
    await shows(scene, 4);
    expect(harness.images.requests.at(-1)?.request.sources).toBeDefined();
  },

  async 'Stop, /stop, and another try after a failure'(scene) {
    harness.images.scripts.push(drawForever(), drawForever());
    scene.writes('/imagine a fox');
    await scene.sees(/^Creating with painter/);
    expect(await scene.presses('Stop')).toBe('Stopped.');
    await scene.sees('Stopped.');
    scene.writes('/imagine a hen');
    await scene.sees(/^Creating with painter/);
    scene.writes('/stop');
    await expect.poll(() => scene.said().filter(({ text }) => text === 'Stopped.')).toHaveLength(3);
    harness.images.scripts.push(drawNothing(new ProviderUnavailableError('test', 'away', { status: 503 })));
    scene.writes('/imagine a cow');
    await scene.sees(/^painter can’t be reached/);
    await scene.presses('Other model');
    await scene.presses('flux');
    await shows(scene, 1);
  },

  async 'an image requested by a model during its answer'(scene) {
    harness.models.scripts.push([{ name: 'draw_picture', arguments: { prompt: 'a fox' } }], 'It is coming.');
    scene.asks('Draw a fox');
    await scene.sees('It is coming.');
    await shows(scene, 1);
    await harness.settles(scene.chatId);
  },
};

describeByTier(SELDOM_SEEN.filter((chatTopic) => chatTopic !== 'group'))('in a %s', (chatTopic) => {
  test.each(Object.keys(SCENES))('%s', async (title) => {
    const scene = enterPlace(harness, chatTopic);
    const watched = await watch(harness, scene);
    await SCENES[title]?.(scene);
    await expect.poll(() => harness.bot.listBusyChats().has(scene.chatId)).toBe(false);
    watched.check();
  });
});

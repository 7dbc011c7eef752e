import { afterEach, describe, expect, test } from 'vitest';
import type { TextToSpeech } from '../../../src/core/generation/index.ts';
import { ProviderUnavailableError } from '../../../src/core/models/index.ts';
import { createBotHarness } from '../../support/harness/bot.ts';
import { A_LINK, PDF } from '../../support/harness/files.ts';
import { enterPlace, type Scene, watch } from '../../support/harness/topics.ts';
import { drawForever } from '../../support/hosts/scripted-images.ts';
import { createGate, createModelEntry, goOnFrom, type ModelScript } from '../../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../../support/vitest/tiers.ts';

let spokenCount = 0;
let gate = createGate();
const speech: TextToSpeech = {
  isAvailable: () => true,
  async speak(_caller, words) {
    spokenCount += 1;
    await gate.passed;
    return { bytes: Buffer.from(words), mediaType: 'audio/ogg', durationSeconds: 1, provider: 'host', model: 'tts' };
  },
};
const harness = startBeforeAll(() =>
  createBotHarness({
    models: [
      createModelEntry('basic'),
      createModelEntry('clever'),
      createModelEntry('painter', { type: 'image', acceptsImages: true }),
    ],
    speech,
    openPage: async () => Buffer.from('<title>Tea</title><p>Tea.</p>'),
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.images.scripts.length = 0;
  gate = createGate();
});

const FOREIGN = 'This button belongs to someone else.';
const FOREIGN_ANSWER = 'Only the user who asked, or an admin of this chat, can do this.';
const FOREIGN_STOP = 'Only the user who asked can stop this.';
const GONE = 'Bad Request: message to delete not found';
const ONLY_ADMINS = 'Only admins of this group can change its settings.';

const away: ModelScript = () => Promise.reject(new ProviderUnavailableError('test', 'away', { status: 503 }));
const asked = () => harness.models.requests.length;
const drawn = () => harness.images.requests.length;
const answered = async (scene: Scene, script: ModelScript = 'First.') => {
  harness.models.scripts.push(script);
  scene.asks('Hello');
  await expect.poll(() => harness.buttons(scene.chatId)).toContain('🔄');
  await harness.settles(scene.chatId);
};
const pictured = async (scene: Scene) => {
  scene.writes('/imagine a fox');
  await expect.poll(() => scene.said().filter(({ photo }) => photo)).toHaveLength(1);
  await expect.poll(() => harness.bot.listBusyChats().has(scene.chatId)).toBe(false);
  harness.images.scripts.push(async (request, signal) => {
    await gate.passed;
    return harness.images.drawUsually(request, signal);
  });
};
const kept = async (scene: Scene) => {
  scene.writes('/save', { replyTo: scene.sends({ ...PDF, bytes: Buffer.from('one') }) });
  await scene.sees(A_LINK);
};
const commanded = (command: string) => async (scene: Scene) => {
  scene.writes(command);
  await expect.poll(() => scene.said()).toHaveLength(1);
};
const files = (scene: Scene) => scene.said().filter(({ document }) => document).length;
const saying = (text: RegExp) => (scene: Scene) => scene.said().filter(({ text: said = '' }) => text.test(said)).length;

/** A kind of button. */
interface Family {
  readonly label: string;
  /** Brings the button into the chat, for Ann. */
  readonly prepare: (scene: Scene) => Promise<void>;
  /** Hint for a user who may not press it. */
  readonly word: string;
  /** Grows by one for simultaneous presses, or by one for each press if `isEach`. */
  readonly count: (scene: Scene) => number | Promise<number>;
  readonly isEach?: boolean;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  'another answer': { label: '🔄 Again', prepare: answered, word: FOREIGN_ANSWER, count: asked },
  'a continuation': {
    label: '▶️ Continue',
    prepare: (scene) =>
      answered(scene, async (write) => {
        write('It begins');
        return 'length';
      }),
    ...{ word: FOREIGN_ANSWER, count: asked },
  },
  'reading aloud': {
    label: '🔊',
    async prepare(scene) {
      await answered(scene);
      await scene.presses('⋯');
      await expect.poll(() => harness.buttons(scene.chatId)).toContain('🔊');
    },
    ...{ word: FOREIGN_ANSWER, count: () => spokenCount },
  },
  'another try': {
    label: 'Retry',
    async prepare(scene) {
      harness.models.scripts.push(away);
      scene.asks('Hello');
      await scene.sees(/can’t be reached/);
      await harness.settles(scene.chatId);
    },
    ...{ word: FOREIGN, count: asked },
  },
  'a page': {
    label: 'Read the page',
    async prepare(scene) {
      scene.asks('https://tea.md/');
      await scene.sees(/^I don’t open bare links/);
    },
    ...{ word: FOREIGN, count: asked },
  },
  'Stop of an answer': {
    label: 'Stop',
    async prepare(scene) {
      harness.models.scripts.push(goOnFrom('On and on'));
      scene.asks('Go');
      await scene.sees('On and on');
    },
    word: FOREIGN_STOP,
    count: async ({ chatId }) => ((await harness.conversations.listUnfinished(chatId)).length === 0 ? 1 : 0),
  },
  'Stop of an image request': {
    label: 'Stop',
    async prepare(scene) {
      harness.images.scripts.push(drawForever());
      scene.writes('/imagine a fox');
      await scene.sees(/^Creating/);
    },
    ...{ word: FOREIGN_STOP, count: saying(/^Stopped\.$/) },
  },
  'another image': { label: 'Again', prepare: pictured, word: FOREIGN, count: drawn },
  'a variation of an image': { label: 'Vary', prepare: pictured, word: FOREIGN, count: drawn },
  'an image as a file': {
    label: 'Full size',
    prepare: pictured,
    word: FOREIGN,
    count: (scene) => Math.min(1, files(scene)),
  },
  'a model': { label: 'clever', prepare: commanded('/model'), word: FOREIGN, count: saying(/^Now using clever/) },
  'a dialog': {
    label: 'Search',
    prepare: commanded('/model painter'),
    ...{ word: FOREIGN, count: saying(/Which model\?/), isEach: true },
  },
  'a new conversation': {
    label: 'New conversation',
    prepare: commanded('/threads'),
    ...{ word: FOREIGN, count: saying(/^New conversation/), isEach: true },
  },
  'a persona': {
    label: 'Use in every conversation',
    prepare: commanded('/persona cook'),
    ...{ word: FOREIGN, count: saying(/here and in every new conversation/) },
  },
  'a file': {
    label: 'Delete',
    async prepare(scene) {
      await kept(scene);
      await scene.presses('More');
      await expect.poll(() => harness.buttons(scene.chatId)).toContain('Delete');
    },
    word: FOREIGN,
    count: saying(/^[\s\S]*Delete this file for good\?/),
  },
  'a menu': {
    label: 'Close',
    prepare: commanded('/model'),
    ...{ word: FOREIGN, count: (scene) => 1 - saying(/^Choose a model/)(scene) },
  },
  'the settings of the group': {
    label: 'Answer mentions only',
    prepare: commanded('/settings'),
    ...{ word: ONLY_ADMINS, count: saying(/I answer commands and mentions$/m) },
  },
};

describe('in a forum topic', () => {
  test.each(Object.keys(FAMILIES))(
    'the button for %s works for its user only, and acts once for two simultaneous presses',
    async (title) => {
      const scene = enterPlace(harness, 'forum topic');
      const family = FAMILIES[title];
      if (!family || !scene.bob) throw new Error('nobody to press');
      const { label, prepare, word, count, isEach = false } = family;
      const watched = await watch(harness, scene);
      await prepare(scene);
      const before = await count(scene);
      expect(await scene.bob.presses(label)).toBe(word);
      expect(await count(scene)).toBe(before);
      await Promise.all([scene.presses(label), scene.presses(label)]);
      await expect.poll(() => count(scene)).toBe(before + (isEach ? 2 : 1));
      gate.open();
      await expect.poll(() => harness.bot.listBusyChats().has(scene.chatId)).toBe(false);
      expect(await count(scene)).toBe(before + (isEach ? 2 : 1));
      watched.check([GONE]);
    },
  );

  test('simultaneous presses of the user who asked and of an admin start one variant', async () => {
    const scene = enterPlace(harness, 'forum topic');
    if (!scene.bob) throw new Error('nobody to press');
    const here = scene.topicId === undefined ? {} : { topicId: scene.topicId };
    scene.bob.writes('@switch_bot Hello', here);
    await expect.poll(() => harness.buttons(scene.chatId)).toContain('🔄');
    await harness.settles(scene.chatId);
    const before = asked();
    const hints = await Promise.all([scene.bob.presses('🔄 Again'), scene.ann.presses('🔄 Again')]);
    expect(hints).toContain('Writing another answer…');
    expect(hints.join()).toMatch(/still writing|just changed/);
    await harness.settles(scene.chatId);
    expect(asked()).toBe(before + 1);
  });

  test('every member may give feedback on an answer', async () => {
    const scene = enterPlace(harness, 'forum topic');
    await answered(scene);
    await scene.bob?.presses('⋯');
    expect(await scene.bob?.presses('👍')).toBe('Thanks for the feedback.');
    expect(await scene.presses('👎')).toBe('Thanks for the feedback.');
  });
});

import { describe, expect, test } from 'vitest';
import type { TextToSpeech } from '../../../src/core/generation/index.ts';
import { createBotHarness } from '../../support/harness/bot.ts';
import { CLOUD_URL } from '../../support/harness/bot-services.ts';
import { A_LINK, keysIn, PDF } from '../../support/harness/files.ts';
import { enterPlace, PLACES, type Scene, watch } from '../../support/harness/topics.ts';
import { describeByTier, startBeforeAll } from '../../support/vitest/tiers.ts';

const speech: TextToSpeech = { isAvailable: () => true, speak: () => Promise.reject(new Error('nobody speaks')) };
const harness = startBeforeAll(() =>
  createBotHarness({
    privateTopics: true,
    speech,
    transcription: { isAvailable: () => true, transcribe: async () => 'Hello' },
  }),
);

const GROUPS = PLACES.slice(2);

describeByTier(GROUPS)('in a %s', (chatTopic) => {
  test('private commands are refused with a button to the private chat', async () => {
    const scene = enterPlace(harness, chatTopic);
    const watched = await watch(harness, scene);
    const commands = ['/key', '/usage', '/files', '/share', '/export', '/forget', '/delete x'];
    for (const [at, command] of commands.entries()) {
      scene.writes(command);
      await expect.poll(() => scene.said()).toHaveLength(at + 1);
      const { text, reply_markup: keyboard } = scene.said().at(-1) ?? {};
      expect(text, command).toMatch(/our private chat/);
      expect(keyboard?.inline_keyboard, command).toEqual([
        [{ text: 'Open private chat', url: 'https://t.me/switch_bot' }],
      ]);
    }
    scene.writes('/settings', {}, scene.bob);
    await scene.sees(/^Settings of this group/);
    expect(scene.said().at(-1)?.reply_markup?.inline_keyboard).toMatchObject([[{ url: 'https://t.me/switch_bot' }]]);
    watched.check();
  });
});

/** Tests of private features, by title. */
const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'keys are created, usage is shown, data is exported'(scene) {
    scene.writes('/key');
    await scene.presses('New key');
    await scene.replies(/What is the key for/, 'laptop');
    await scene.sees(/^Your new key “laptop”/);
    await scene.presses('Done, hide it');
    await scene.sees(/^Your API keys: 1/);
    scene.writes('/usage');
    await scene.sees(/^No usage this month/);
    scene.writes('/export');
    await scene.sees(/^Everything I have stored about you/);
  },

  async 'files are listed, renamed, and deleted by their key'(scene) {
    scene.sends({ ...PDF, bytes: Buffer.from('one') });
    const kept = await scene.sees(A_LINK);
    const [ownerKey = ''] = keysIn(kept);
    const [, id = ''] = /\/file\/([\w-]{22})/.exec(kept.message.text ?? '') ?? [];
    await scene.presses('More');
    await scene.presses('Rename');
    await scene.replies(/Send me the new name/, 'other');
    await scene.sees(/Renamed/);
    scene.writes('/files');
    await scene.sees(/^Your files: 1/);
    scene.writes(`/delete ${CLOUD_URL}/file/${id} ${ownerKey}`);
    await scene.sees(/is deleted\. The link no longer works/);
  },

  async 'a conversation is shared as a page and continued from its link'(scene) {
    await scene.isAnswered('Why do bells ring?');
    await harness.settles(scene.chatId);
    scene.writes('/share');
    await scene.presses('Create page');
    const page = await scene.sees(/Continue it in Telegram/);
    const [, payload = ''] = /start=(c_[\w-]{22})/.exec(page.message.text ?? '') ?? [];
    scene.writes(`/start ${payload}`);
    await scene.sees(/^“.*” continues here/);
    await scene.isAnswered('And at night?');
    expect(harness.models.requests.at(-1)?.messages).toHaveLength(3);
  },

  async 'an announcement is previewed in the topic of the command'(scene) {
    await harness.accounts.ensureTelegramUser(harness.user('Bob').id);
    scene.writes('/announce Tea at noon');
    await scene.sees('Tea at noon');
    await scene.presses('Cancel');
    await scene.sees('Not sent.');
  },

  async '/help mentions voice if it is available'(scene) {
    scene.writes('/help');
    await scene.sees(/voice messages and documents[^\n]*🔊 reads an answer aloud/);
  },
};

describe('in a private topic', () => {
  test.each(Object.keys(SCENES))('%s', async (title) => {
    const scene = enterPlace(harness, 'private topic', title.startsWith('an announcement') ? 'operator' : 'user');
    const watched = await watch(harness, scene);
    await SCENES[title]?.(scene);
    watched.check();
  });
});

import { afterEach, expect, test } from 'vitest';
import { createBotHarness } from '../../support/harness/bot.ts';
import { A_LINK, PDF } from '../../support/harness/files.ts';
import { enterPlace, type Scene, SELDOM_SEEN, watch } from '../../support/harness/topics.ts';
import { createModelEntry } from '../../support/hosts/scripted-models.ts';
import { writePdf } from '../../support/samples/documents.ts';
import { describeByTier, startBeforeAll } from '../../support/vitest/tiers.ts';

const VOICE = { kind: 'voice', mimeType: 'audio/ogg', fileName: 'voice.ogg', bytes: Buffer.from('OggS') } as const;
const NOTE = { kind: 'video_note', mimeType: 'video/mp4', fileName: 'note.mp4', bytes: Buffer.from('mp4') } as const;
const RENT = writePdf(['The rent is 700 euros.']);

const harness = startBeforeAll(() =>
  createBotHarness({
    models: [createModelEntry('basic', { acceptsImages: true })],
    privateTopics: true,
    transcription: { isAvailable: () => true, transcribe: async () => 'How far is the moon?' },
    openPage: async () => Buffer.from('<title>Tea</title><p>Pour at 80 degrees.</p>'),
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
});

const contents = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);
const lastAsked = () => JSON.stringify(contents()?.at(-1));
/** Returns reply options, because messages without text must reply to the bot in groups. */
async function meant(scene: Scene): Promise<{ readonly replyTo?: number }> {
  if (!scene.isGroup) return {};
  const { message } = await scene.isAnswered('Hello');
  await harness.settles(scene.chatId);
  return { replyTo: message.message_id };
}
const raw = (scene: Scene, what: object, more: { readonly replyTo?: number }) => {
  const replied = harness.telegram.transcript(scene.chatId).find(({ message }) => message.message_id === more.replyTo);
  const said = harness.telegram.transcript(scene.chatId).findLast(({ message }) => message.from?.id === scene.ann.id);
  const { chat, from } = said?.message ?? {};
  const topic = scene.topicId === undefined ? {} : { message_thread_id: scene.topicId, is_topic_message: true };
  const message_id = 900_000 + harness.telegram.calls().length;
  const reply = replied ? { reply_to_message: replied.message } : {};
  return harness.brings([
    {
      update_id: message_id,
      message: { message_id, date: Math.floor(Date.now() / 1000), chat, from, ...topic, ...reply, ...what },
    },
  ]);
};

/** Tests of inputs, by title. */
const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'photos, alone and in an album, and documents with a question'(scene) {
    scene.sends({ caption: 'What is it?' });
    await scene.sees(/^You said: /);
    await harness.settles(scene.chatId);
    expect(lastAsked()).toContain('data:image/');
    harness.models.scripts.push('Two dots.', '700 euros.');
    scene.sends({ caption: 'And these?', mediaGroupId: `${scene.chatId}` });
    scene.sends({ mediaGroupId: `${scene.chatId}` });
    await scene.sees('Two dots.');
    await harness.settles(scene.chatId);
    scene.sends({ ...PDF, bytes: RENT, caption: 'How much is the rent?' });
    await scene.sees('700 euros.');
    expect(lastAsked()).toContain('The rent is 700 euros.');
  },

  async 'voice messages and video notes are transcribed'(scene) {
    const more = await meant(scene);
    harness.models.scripts.push('Far.', 'Very far.');
    scene.sends({ ...VOICE, ...more });
    await scene.sees('Far.');
    await harness.settles(scene.chatId);
    expect(contents()?.at(-1)).toBe('How far is the moon?');
    scene.sends({ ...NOTE, ...more });
    await scene.sees('Very far.');
    expect(scene.said().filter(({ text }) => text === 'How far is the moon?')).toHaveLength(2);
  },

  async 'locations, contacts and polls are described to the model'(scene) {
    const more = await meant(scene);
    if (!scene.isGroup) await scene.isAnswered('Hello');
    await harness.settles(scene.chatId);
    await raw(scene, { location: { latitude: 41.9, longitude: 12.5 } }, more);
    await scene.sees(/^You said: .*41\.9/);
    await harness.settles(scene.chatId);
    await raw(scene, { contact: { phone_number: '+39', first_name: 'Cleo' } }, more);
    await scene.sees(/^You said: .*Cleo/);
    await harness.settles(scene.chatId);
    const options = [{ text: 'Tea', voter_count: 1 }];
    await raw(
      scene,
      { poll: { id: '1', question: 'Tea or coffee?', options, total_voter_count: 1, type: 'regular' } },
      more,
    );
    await scene.sees(/^You said: [\s\S]*Tea or coffee\?/);
  },

  async 'a single link is opened by a button, and replied-to messages are summarised'(scene) {
    scene.asks('https://tea.md/green');
    await scene.sees('I don’t open bare links. Tap to read this page.');
    harness.models.scripts.push('About tea.');
    await scene.presses('Read the page');
    await scene.sees('About tea.');
    expect(lastAsked()).toContain('Pour at 80 degrees.');
    await harness.settles(scene.chatId);
    const said = scene.writes('The bell was cast in 1812.', {}, scene.bob);
    if (!scene.isGroup) await scene.sees('You said: The bell was cast in 1812.');
    await harness.settles(scene.chatId);
    harness.models.scripts.push('Short.');
    scene.writes('/summarise', { replyTo: said });
    await scene.sees('Short.');
    expect(lastAsked()).toContain('Summarise');
  },

  async 'files are stored by /save and can be asked about'(scene) {
    const sent = scene.sends({ ...PDF, bytes: RENT });
    if (scene.isGroup) scene.writes('/save', { replyTo: sent });
    await scene.sees(A_LINK);
    await scene.presses('Ask about it');
    harness.models.scripts.push('700 euros.');
    await scene.replies(/What do you want to know about thing\.pdf\?/, 'How much?');
    await scene.sees('700 euros.');
    await harness.settles(scene.chatId);
    scene.writes('/save');
    await scene.sees(/^Reply to a photo or file with \/save/);
  },

  async 'unsupported messages addressed to the bot get an explanation'(scene) {
    const more = await meant(scene);
    if (!scene.isGroup) await scene.isAnswered('Hello');
    await raw(scene, { game: { title: 'Chess', description: '', photo: [] } }, more);
    await scene.sees(/^I can read text/);
  },
};

describeByTier(SELDOM_SEEN.filter((chatTopic) => chatTopic !== 'General topic'))('in a %s', (chatTopic) => {
  test.each(Object.keys(SCENES))('%s', async (title) => {
    const scene = enterPlace(harness, chatTopic);
    const watched = await watch(harness, scene);
    await SCENES[title]?.(scene);
    await harness.settles(scene.chatId);
    watched.check();
  });
});

import type { ForceReply } from 'grammy/types';
import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createBotHarness } from '../../support/harness/bot.ts';
import { enterPlace, FURTHER, type Scene, watch } from '../../support/harness/topics.ts';
import { createModelEntry } from '../../support/hosts/scripted-models.ts';
import { describeByTier, startBeforeAll } from '../../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({
    models: [createModelEntry('basic'), createModelEntry('clever'), createModelEntry('painter', { type: 'image' })],
    privateTopics: true,
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
});

const lastContents = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);

/** Answers a dialog. In groups only Ann may answer, in a reply that her client opens. */
async function answers(scene: Scene, question: RegExp, text: string): Promise<void> {
  const { message, keyboard } = await scene.sees(question);
  if (scene.isGroup) {
    expect(keyboard).toMatchObject({ force_reply: true, selective: true } satisfies ForceReply);
    const named = message.entities?.flatMap((entity) => (entity.type === 'text_mention' ? [entity.user.id] : [])) ?? [];
    expect([message.reply_to_message?.from?.id, ...named]).toContain(scene.ann.id);
  }
  await scene.replies(question, text);
}

/** Tests of menus and dialogs, by title. */
const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async '/model: by name, in the list, by search'(scene) {
    scene.writes('/model clever');
    await scene.sees('Now using clever.');
    scene.writes('/model');
    await scene.presses('basic');
    await scene.sees('Now using basic.');
    scene.writes('/model painter');
    await scene.presses('Search');
    await answers(scene, /Which model\?/, 'cle');
    await scene.sees(/1 model with “cle”/);
    await scene.presses('clever');
    await scene.sees('Now using clever.');
  },

  async '/system and its dialog, for this conversation and for all of them'(scene) {
    scene.writes('/system');
    await answers(scene, /Send me the instructions/, 'Rhyme.');
    await scene.sees(/^Saved\. They apply to this conversation/);
    await scene.isAnswered('Bells');
    expect(lastContents()?.at(0)).toBe('Rhyme.');
    await scene.presses('Use in every conversation');
    await scene.sees(/apply to every conversation/);
    scene.writes('/system');
    await scene.presses('Remove');
    await scene.sees('Instructions removed.');
  },

  async '/persona: a shipped one and one of the user'(scene) {
    scene.writes('/persona cook');
    await scene.sees(/Cook answers in this conversation/);
    scene.writes('/persona');
    await scene.presses('New persona');
    await answers(scene, /What should it be called/, 'Poet');
    await answers(scene, /What instructions should /, 'Rhyme.');
    await scene.sees(/Poet” created/);
    await scene.presses('Use in this conversation');
    await scene.sees(/Poet answers in this conversation/);
    await scene.isAnswered('Bells');
    expect(lastContents()?.at(0)).toContain('Rhyme.');
  },

  async '/new and /threads: continue, rename, export, delete'(scene) {
    await scene.isAnswered('Bells');
    await harness.settles(scene.chatId);
    scene.writes('/new');
    await scene.sees(/^New conversation started\./);
    await scene.isAnswered('Towers');
    expect(lastContents()).toEqual(['Towers']);
    await harness.settles(scene.chatId);
    const opens = async (title: RegExp) => {
      scene.writes('/threads');
      await expect.poll(() => scene.said().at(-1)?.text).toMatch(/onversations(?: here)? \(2\)\./);
      const label = scene
        .said()
        .at(-1)
        ?.reply_markup?.inline_keyboard.flat()
        .find(({ text }) => title.test(text))?.text;
      await scene.presses(label ?? 'none');
      await scene.sees(title);
    };
    await opens(/^Bells/);
    await scene.presses('Rename');
    await answers(scene, /Send me the new title/, 'Gongs');
    await scene.sees(/^Gongs\n/);
    await scene.presses('Export');
    await expect.poll(() => scene.said().at(-1)?.document?.file_name).toBe('Gongs.md');
    await scene.presses('Continue here');
    await scene.sees(/“Gongs” continues here/);
    await scene.isAnswered('Again');
    expect(lastContents()).toEqual(['Bells', 'You said: Bells', 'Again']);
    await harness.settles(scene.chatId);
    await opens(/^(?:✓ )?Towers/);
    await scene.presses('Delete');
    await scene.presses('Yes, delete it');
    await scene.sees(/“Towers” is deleted/);
  },

  async '/settings: of the user, or of the group'(scene) {
    scene.writes('/settings', {}, scene.bob);
    if (scene.isGroup) {
      await scene.sees(/^Settings of this group[\s\S]*Your own settings are in our private chat/);
      return;
    }
    await scene.presses('Creativity');
    await scene.presses('Precise (temperature 0.2)');
    await scene.presses('Length');
    await scene.presses('Short');
    await scene.presses('Answers in the chat');
    await scene.presses('How answers appear');
    await scene.presses('only when finished');
    await scene.sees(/How answers appear: only when finished/);
    await scene.presses('Back');
    await scene.sees(/Length: short/);
    await scene.presses('Close');
    await expect.poll(() => scene.shows('Answers: short')).toBe(false);
    scene.writes('/help');
    await scene.sees(/^Write a message/);
  },

  async 'texts: /start, /help, /privacy, an unknown command, a mention without a question'(scene) {
    scene.writes('/start');
    await scene.sees(/^Hi!/);
    scene.writes('/help');
    await scene.sees(/^Write a message/);
    scene.writes('/privacy');
    await scene.sees(/^What I store/);
    scene.writes('/dance@switch_bot');
    await scene.sees(/^I don’t know/);
    if (scene.isGroup) {
      scene.asks('');
      await scene.sees(/^Yes\?/);
    }
  },
};

describeByTier(['forum topic', 'private topic'] as const)('in a %s', (chatTopic) => {
  test.each(Object.keys(SCENES))('%s', async (title) => {
    const scene = enterPlace(harness, chatTopic);
    const watched = await watch(harness, scene);
    await SCENES[title]?.(scene);
    watched.check();
  });
});

test('in comments of a channel, menus and answers reply to their message and name no topic', async () => {
  const scene = enterPlace(harness, 'group');
  const { chatId } = scene;
  const post = scene.writes('Bells were cast today.', {}, scene.bob);
  const comments = async (text: string, ...entities: object[]) => {
    const messageId = scene.writes('To be replaced');
    const said = harness.telegram.transcript(chatId).map(({ message }) => message);
    const written = said.find(({ message_id: id }) => id === messageId);
    const replied = { ...said.find(({ message_id: id }) => id === post), is_automatic_forward: true };
    // Telegram sets message_thread_id of a comment to the id of the post, but this is no topic.
    const comment = { ...written, text, entities, message_thread_id: post, reply_to_message: replied };
    await harness.brings([{ update_id: 800_000 + messageId, message: comment }]);
    const toReplied = (params: JsonObject) => JSON.stringify(params['reply_parameters'] ?? '');
    const isAnswer = ({ params }: { readonly params: JsonObject }) =>
      Number(params['chat_id']) === chatId && toReplied(params).includes(`:${messageId},`);
    await expect.poll(() => harness.telegram.calls('sendMessage').filter(isAnswer)).toHaveLength(1);
    for (const { params } of harness.telegram.calls('sendMessage').filter(isAnswer)) {
      expect(params).not.toHaveProperty('message_thread_id');
    }
  };
  await comments('/model', { type: 'bot_command', offset: 0, length: 6 });
  await comments('@switch_bot why?', { type: 'mention', offset: 0, length: 11 });
  await scene.sees('You said: > Bells were cast today.\n\nwhy?');
  await harness.settles(chatId);
  harness.models.scripts.push(`First ${'a '.repeat(2040)}\n\n${FURTHER} ${'b '.repeat(100)}`);
  await comments('@switch_bot more', { type: 'mention', offset: 0, length: 11 });
  await scene.sees(new RegExp(`^${FURTHER}`));
  const [page, further] = scene.said().slice(-2);
  expect(further?.reply_to_message?.message_id).toBe(page?.message_id);
});

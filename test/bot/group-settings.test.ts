import { afterEach, describe, expect, test } from 'vitest';
import type { TextToSpeech } from '../../src/core/generation/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

/** Ids of the groups that were looked up. */
const lookedUp: number[] = [];
/** Requesters of text-to-speech. */
const speakers: Parameters<TextToSpeech['speak']>[0][] = [];
const speech: TextToSpeech = {
  isAvailable: () => true,
  async speak(requester, words) {
    speakers.push(requester);
    return { bytes: Buffer.from(words), mediaType: 'audio/ogg', durationSeconds: 1, provider: 'host', model: 'tts' };
  },
};
const harness = startBeforeAll(() =>
  createBotHarness({
    speech,
    change: (deps) => ({
      ...deps,
      groups: {
        ...deps.groups,
        find(chatId) {
          lookedUp.push(chatId);
          return deps.groups.find(chatId);
        },
      },
    }),
    plans: { free: { user: { requestsPerMinute: 1 } }, group: { chat: { requestsPerMinute: 3 } } },
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
});

const ONLY_ADMINS = 'Only admins of this group can change its settings.';

/** Opens the settings of a group that Ann owns. */
async function openSettings() {
  const users = harness.group(['Ann', 'Bob']);
  users.Ann.writes('/settings');
  await harness.sees(users.Ann.chatId, /^Settings of this group/);
  return users;
}

describe('the settings of a group', () => {
  test('are visible to all members and changeable by admins only', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Bob.writes('/settings');
    const { message } = await harness.sees(Ann.chatId, /Admins of this group can change them here/);
    expect(message.reply_markup?.inline_keyboard).toMatchObject([[{ url: 'https://t.me/switch_bot' }]]);
    Ann.writes('/settings');
    await harness.sees(Ann.chatId, /I answer commands, mentions, and replies to me/);
    for (const label of ['Model', 'Language', 'Remember recent messages']) {
      expect(await Bob.presses(label)).toBe(ONLY_ADMINS);
    }
    await Ann.presses('Model');
    expect(await Bob.presses('clever')).toBe(ONLY_ADMINS);
    await Ann.presses('clever');
    await harness.sees(Ann.chatId, /^Settings of this group\n\nModel: clever/);
    // The press of a user who is no admin changes nothing.
    await Ann.presses('Model');
    await Promise.all([Ann.presses('✓ clever'), Bob.presses('basic')]);
    expect((await harness.groups.find(Ann.chatId)).settings).toEqual({ model: 'clever' });
  });

  test('set model, persona and language for all members, in this group only', async () => {
    const { Ann, Bob } = await openSettings();
    await Ann.presses('Model');
    await Ann.presses('clever');
    await Ann.presses('Personas');
    await Ann.presses('🍳 Cook');
    await harness.sees(Ann.chatId, /Persona: 🍳 Cook/);
    await Ann.presses('Language');
    await Ann.presses('Русский');
    await harness.sees(Ann.chatId, /^Настройки этой группы/);
    Bob.writes('@switch_bot dinner?');
    await harness.sees(Ann.chatId, 'You said: dinner?');
    expect(harness.models.requests.at(-1)).toMatchObject({ model: 'clever', messages: [{ role: 'system' }, {}] });
    Bob.writes('/model basic');
    await harness.sees(Ann.chatId, /В этой группе всем отвечает clever/);
    const alone = harness.telegram.createChat({ type: 'private', memberIds: [Bob.id] });
    await harness.passes(61_000);
    harness.telegram.sendMessage(alone.id, { text: 'lunch?' });
    await harness.sees(alone.id, 'You said: lunch?');
    expect(harness.models.requests.at(-1)).toMatchObject({ model: 'basic', messages: [{ role: 'user' }] });
  });

  test('take the instructions of the group from an admin only', async () => {
    const { Ann, Bob } = await openSettings();
    await Ann.presses('Instructions');
    const { message } = await harness.sees(Ann.chatId, /Reply to this message with the instructions/);
    Ann.writes('Speak like a pirate.', { replyTo: message.message_id });
    await harness.sees(Ann.chatId, /^Saved. They apply to everyone in this group/);
    Bob.writes('@switch_bot ahoy');
    await harness.sees(Ann.chatId, 'You said: ahoy');
    expect(harness.models.requests.at(-1)?.messages[0]).toEqual({ role: 'system', content: 'Speak like a pirate.' });
  });

  test('can limit answers to mentions, while replies to dialogs still work', async () => {
    const { Ann, Bob } = await openSettings();
    await Ann.presses('Answer mentions only');
    await harness.sees(Ann.chatId, /I answer commands and mentions$/m);
    Bob.writes('@switch_bot hello');
    const answer = await harness.sees(Ann.chatId, 'You said: hello');
    const count = harness.models.requests.length;
    const saidBefore = harness.lines(Ann.chatId).length;
    Ann.writes('Thanks', { replyTo: answer.message.message_id });
    Ann.writes('https://example.org/', { replyTo: answer.message.message_id });
    Ann.sends({ kind: 'sticker', mimeType: 'image/webp', replyTo: answer.message.message_id });
    Ann.writes('@switch_bot');
    await harness.sees(Ann.chatId, /^Yes\?/);
    expect(harness.lines(Ann.chatId)).toHaveLength(saidBefore + 5);
    Ann.writes('/settings');
    await Ann.presses('Instructions');
    const { message } = await harness.sees(Ann.chatId, /Reply to this message/);
    Ann.writes('Be kind.', { replyTo: message.message_id });
    await harness.sees(Ann.chatId, /^Saved/);
    expect(harness.models.requests).toHaveLength(count);
  });

  test('are read once for each answer', async () => {
    const { Ann } = await openSettings();
    const before = lookedUp.length;
    Ann.writes('@switch_bot hello');
    await harness.sees(Ann.chatId, 'You said: hello');
    await harness.settles(Ann.chatId);
    expect(lookedUp.slice(before)).toEqual([Ann.chatId]);
  });

  test('can share the limits of the group plan, which replace the limits of each user there', async () => {
    const { Ann, Bob } = await openSettings();
    Bob.writes('@switch_bot one');
    await harness.sees(Ann.chatId, 'You said: one');
    Bob.writes('@switch_bot too fast');
    await harness.sees(Ann.chatId, /^Too many requests\./);
    await Ann.presses('Share limits in the group');
    await harness.sees(Ann.chatId, /Limits: shared by the group/);
    for (const word of ['two', 'three', 'four']) {
      Bob.writes(`@switch_bot ${word}`);
      await harness.sees(Ann.chatId, `You said: ${word}`);
    }
    await Bob.presses('⋯');
    await Bob.presses('🔊');
    await expect.poll(() => speakers).toMatchObject([{ chatId: Ann.chatId, plan: 'group', isPaidByChat: true }]);
    Ann.writes('@switch_bot five');
    await harness.sees(Ann.chatId, /^Too many requests from this chat/);
    const zoe = harness.operator('Zoe');
    zoe.writes(`/plan ${Ann.chatId} free`);
    await harness.sees(zoe.chatId, new RegExp(`^.+ \\(${Ann.chatId}\\) is now on the plan free\\.$`));
    // This plan has no limits for chats.
    Ann.writes('@switch_bot six');
    await harness.sees(Ann.chatId, 'You said: six');
  });
});

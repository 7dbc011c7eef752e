import { describe, expect, test } from 'vitest';
import { shippedPersonas } from '../../src/bot/choices/personas.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { withButton } from '../support/harness/chats.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

type Actor = ReturnType<BotHarness['user']>;

const newestRows = (chatId: number) =>
  harness.telegram
    .transcript(chatId)
    .at(-1)
    ?.message.reply_markup?.inline_keyboard.map((row) => row.map((button) => button.text).join(' | '));

/** Asks a question. @returns the system prompt of the request. */
async function asks(actor: Actor, question: string): Promise<unknown> {
  actor.writes(question);
  await harness.sees(actor.chatId, new RegExp(`^You said: ${question.replace(/^@\S+ /, '')}`));
  const first = harness.models.requests.at(-1)?.messages[0];
  return first?.role === 'system' ? first.content : undefined;
}

async function begins(actor: Actor) {
  actor.writes('/new');
  await harness.sees(actor.chatId, /New conversation/);
}

const instructionsOf = (key: string) => shippedPersonas.find((persona) => persona.key === key)?.instructions;

describe('personas', () => {
  test('are listed in pages; one tap selects a persona, and Details shows its instructions', async () => {
    const ann = harness.user('Ann');
    ann.writes('/persona');
    await harness.sees(ann.chatId, 'Who should answer?');
    expect(newestRows(ann.chatId)).toEqual([
      '🤖 Assistant | 🌍 Translator',
      '💻 Programmer | ✍️ Proofreader',
      '👩‍🏫 Teacher | ⚖️ Law explained',
      '🍳 Cook | 🏋️ Fitness coach',
      '« | 1/2 | »',
      'New persona | Own instructions',
      'Close',
    ]);
    await ann.presses('»');
    await ann.presses('📖 Storyteller');
    await harness.sees(
      ann.chatId,
      '📖 Storyteller answers in this conversation from now on.\n\nTells stories; you decide what happens next.',
    );
    expect(newestRows(ann.chatId)).toEqual(['Use in every conversation', 'Details | Back']);
    await ann.presses('Details');
    await harness.sees(
      ann.chatId,
      /^📖 Storyteller\n\nTells stories; you decide what happens next\.\nAnswers in this conversation\.\n\nYou are a storyteller/,
    );
    await ann.presses('Back');
    await ann.presses('2/2');
    await ann.presses('✓ 📖 Storyteller');
    await ann.presses('Stop using here');
    await harness.sees(ann.chatId, 'Instructions removed.');
    expect(await asks(ann, 'Once upon a time')).toBeUndefined();
  });

  test('of the translator name no target language', () => {
    expect(instructionsOf('translator')).toMatch(/ask for it/);
    expect(instructionsOf('translator')).not.toMatch(/English|Russian/);
  });

  test('apply to the conversation in which they are chosen, and not to the next one', async () => {
    const ann = harness.user('Ann');
    expect(await asks(ann, 'Hi')).toBeUndefined();
    ann.writes('/persona');
    await ann.presses('🍳 Cook');
    await harness.sees(ann.chatId, /^🍳 Cook answers in this conversation from now on\./);
    expect(await asks(ann, 'What is for dinner?')).toBe(instructionsOf('cook'));
    ann.writes('/persona');
    await harness.sees(ann.chatId, 'Who should answer? Now: 🍳 Cook');
    await ann.presses('✓ 🍳 Cook');
    await harness.sees(ann.chatId, /Answers in this conversation\./);
    await begins(ann);
    expect(await asks(ann, 'And now?')).toBeUndefined();
  });

  test('can be chosen by name, and for every conversation', async () => {
    const ann = harness.user('Ann');
    ann.writes('/persona teacher');
    await harness.sees(ann.chatId, /^👩‍🏫 Teacher answers in this conversation from now on\./);
    await ann.presses('Use in every conversation');
    await harness.sees(ann.chatId, 'Now answering as 👩‍🏫 Teacher, here and in every new conversation.');
    await begins(ann);
    expect(await asks(ann, 'Why?')).toBe(instructionsOf('teacher'));
    ann.writes('/persona COOK');
    await harness.sees(ann.chatId, /Cook answers/);
    expect(await asks(ann, 'Dinner?')).toBe(instructionsOf('cook'));
    await begins(ann);
    expect(await asks(ann, 'Why not?')).toBe(instructionsOf('teacher'));
    ann.writes('/persona');
    await ann.presses('✓ 👩‍🏫 Teacher');
    await ann.presses('Stop using everywhere');
    await harness.sees(ann.chatId, 'New conversations start without a persona again.');
    expect(await asks(ann, 'Really?')).toBeUndefined();
    ann.writes('/persona nobody');
    await harness.sees(ann.chatId, /^There is no persona called “nobody”/);
  });

  test('are replaced by own instructions, which /system shows, changes and removes', async () => {
    const ann = harness.user('Ann');
    ann.writes('/persona cook');
    await harness.sees(ann.chatId, /Cook answers/);
    ann.writes('/system');
    await harness.sees(ann.chatId, /^🍳 Cook\nAnswers in this conversation\.\n\nYou are an experienced home cook/);
    ann.writes('/system Rhyme.');
    await harness.sees(ann.chatId, /^Saved\. They apply to this conversation/);
    expect(await asks(ann, 'Hi')).toBe('Rhyme.');
    await begins(ann);
    expect(await asks(ann, 'Hi again')).toBeUndefined();
    ann.writes('/system Be brief.');
    await ann.presses('Use in every conversation');
    await harness.sees(ann.chatId, /apply to every conversation/);
    await begins(ann);
    expect(await asks(ann, 'Hello')).toBe('Be brief.');
    ann.writes('/system');
    await harness.sees(ann.chatId, 'Your instructions for the model in every conversation:\n\nBe brief.');
    await ann.presses('Remove');
    await harness.sees(ann.chatId, 'Instructions removed.');
    expect(await asks(ann, 'Goodbye')).toBeUndefined();
  });

  test('have Russian names', async () => {
    const oleg = harness.user('Олег', 'ru');
    oleg.writes('/persona повар');
    await harness.sees(oleg.chatId, /^🍳 Повар: теперь отвечает в этом разговоре\./);
    oleg.writes('/settings');
    await harness.sees(oleg.chatId, /Инструкция: 🍳 Повар/);
  });
});

describe('a persona of a user', () => {
  const makes = async (actor: Actor, name: string, instructions: string) => {
    actor.writes('/persona');
    await actor.presses('New persona');
    await harness.sees(actor.chatId, /What should it be called\?/);
    actor.writes(name);
    await harness.sees(actor.chatId, /What instructions should /);
    actor.writes(instructions);
    await harness.sees(actor.chatId, new RegExp(`${name}” created\\.$`));
  };

  test('is created in two steps, used, renamed, rewritten and deleted', async () => {
    const ann = harness.user('Ann');
    await makes(ann, 'Butler', 'You are a butler.');
    await ann.presses('Use in this conversation');
    await harness.sees(ann.chatId, '🎭 Butler answers in this conversation from now on.');
    expect(await asks(ann, 'Tea?')).toBe('You are a butler.');
    ann.writes('/persona');
    await ann.presses('✓ 🎭 Butler');
    await ann.presses('Instructions');
    await harness.sees(ann.chatId, /What instructions should Butler follow\?/);
    ann.writes('You are an old butler.');
    await harness.sees(ann.chatId, /You are an old butler\.\n\nSaved\.$/);
    await ann.presses('Rename');
    await harness.sees(ann.chatId, 'Send me the new name.');
    ann.writes('x'.repeat(41));
    await harness.sees(ann.chatId, /A name must be 1 to 40 characters/);
    ann.writes('James');
    await harness.sees(ann.chatId, /^🎭 James/);
    expect(await asks(ann, 'Coffee?')).toBe('You are an old butler.');
    ann.writes('/persona James');
    await harness.sees(ann.chatId, /James answers/);
    ann.writes('/persona');
    await ann.presses('✓ 🎭 James');
    await harness.sees(ann.chatId, /Answers in this conversation/);
    await ann.presses('Delete');
    await harness.sees(ann.chatId, /Delete this persona\?/);
    await ann.presses('Yes, delete it');
    await harness.sees(ann.chatId, /^James is deleted\./);
    expect(await asks(ann, 'Water?')).toBeUndefined();
  });

  test('needs a unique name, and instructions below the maximum length', async () => {
    const ann = harness.user('Ann');
    await makes(ann, 'Butler', 'You are a butler.');
    await ann.presses('Back');
    await ann.presses('New persona');
    await harness.sees(ann.chatId, /What should it be called\?/);
    ann.writes('BUTLER');
    await harness.sees(ann.chatId, 'You already have a persona called BUTLER. Send me another name.');
    ann.writes('Maid');
    await harness.sees(ann.chatId, /instructions should Maid follow/);
    ann.writes('z'.repeat(3801));
    await harness.sees(ann.chatId, /3801 characters, and the limit is 3800/);
    ann.writes('You are a maid.');
    await harness.sees(ann.chatId, /Maid” created\.$/);
  });

  test('cannot be read or changed by other users', async () => {
    const ann = harness.user('Ann');
    const bob = harness.user('Bob');
    await makes(ann, 'Butler', 'My secret.');
    const owner = await harness.accounts.ensureTelegramUser(ann.id);
    const { id } = await harness.accounts.ensureTelegramUser(bob.id);
    const personaId = (await harness.personas.list(owner.id))[0]?.id ?? 0;
    bob.writes('/persona');
    const menu = (await harness.sees(bob.chatId, /Who should answer/)).message;
    const kinds = ['rename-persona', 'edit-persona', 'delete-persona', 'delete-persona-for-good'];
    const tokens = await harness.interactions.storeActions({ userId: id, chatId: bob.chatId }, [
      ...kinds.map((kind) => ({ kind, personaId })),
      { kind: 'show-persona', persona: `own:${personaId}` },
      { kind: 'use-persona', persona: `own:${personaId}`, isAlways: true },
    ]);
    const answered = harness.telegram.calls('answerCallbackQuery').length;
    for (const data of tokens) {
      const from = { id: bob.id, is_bot: false, first_name: 'Bob' };
      await harness.receives({
        callback_query: { id: '1', from, chat_instance: '1', data, message: withButton(menu, data) },
      });
    }
    const answers = harness.telegram.calls('answerCallbackQuery').slice(answered);
    expect(answers.map(({ params }) => params['text'])).toEqual(tokens.map(() => 'This persona no longer exists.'));
    expect(harness.lines(bob.chatId).join('\n')).not.toContain('My secret.');
    expect(await asks(bob, 'Hi')).toBeUndefined();
  });

  test('chosen in a group answers all its members', async () => {
    const { Ann, Bob } = harness.group(['Ann', 'Bob']);
    Ann.writes('/persona cook');
    await harness.sees(Ann.chatId, /Cook answers in this conversation/);
    expect(await asks(Bob, '@switch_bot dinner')).toBe(instructionsOf('cook'));
    expect(await Bob.presses('Use in every conversation')).toBe('This button belongs to someone else.');
  });
});

import type { Update } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { createBot } from '../../src/bot/bot.ts';
import type { GivenServices } from '../../src/bot/kit/services.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate, goOnFrom } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

const ann = { id: 77, is_bot: false, first_name: 'Ann' };
const otherBot = { id: 78, is_bot: true, first_name: 'Other', username: 'other_bot' };
const privateChat = { id: 77, type: 'private', first_name: 'Ann' };
const group = { id: -100, type: 'supergroup', title: 'Friends' };
const channel = { id: -200, type: 'channel', title: 'News' };
const poll = { id: '1', question: 'Which?', options: [], total_voter_count: 0, is_closed: false, type: 'regular' };
const member = { user: { ...otherBot, id: 4242 }, status: 'kicked', until_date: 0 };
const text = (more: object = {}) => ({ message_id: 5, date: 1, from: ann, chat: group, text: 'hello', ...more });

/** Samples of each kind of update. A new kind in the Bot API is a compile error here. */
const updates: Record<Exclude<keyof Update, 'update_id'>, readonly unknown[]> = {
  message: [
    {},
    null,
    text(),
    text({ from: undefined }),
    text({ from: otherBot, chat: privateChat }),
    text({ sender_chat: channel, from: { id: 777_000, is_bot: false, first_name: 'Telegram' } }),
    text({ text: undefined, new_chat_members: [ann] }),
    text({ text: undefined, chat: privateChat, pinned_message: { message_id: 1, date: 0, chat: privateChat } }),
    text({ text: undefined, chat: privateChat, photo: [] }),
    text({ entities: [{ type: 'mention', offset: 400, length: -3 }] }),
    text({ text: undefined, migrate_to_chat_id: -300 }),
  ],
  edited_message: [text(), text({ chat: privateChat })],
  channel_post: [text({ chat: channel, from: undefined })],
  edited_channel_post: [text({ chat: channel, from: undefined })],
  business_connection: [{ id: '1', user: ann, user_chat_id: 77, date: 1, is_enabled: true }],
  business_message: [text({ chat: privateChat, business_connection_id: '1' })],
  edited_business_message: [text({ chat: privateChat, business_connection_id: '1' })],
  deleted_business_messages: [{ business_connection_id: '1', chat: privateChat, message_ids: [1] }],
  guest_message: [text()],
  stopped_message_generation: [{ chat: privateChat, draft_id: '12345678901234567890' }],
  message_reaction: [{ chat: group, message_id: 1, user: ann, date: 1, old_reaction: [], new_reaction: [] }],
  message_reaction_count: [{ chat: group, message_id: 1, date: 1, reactions: [] }],
  inline_query: [{ id: '1', from: ann, query: 'bells', offset: '' }],
  chosen_inline_result: [{ result_id: '1', from: ann, query: 'bells' }],
  callback_query: [
    {},
    { id: '1', from: ann, chat_instance: '1', game_short_name: 'chess' },
    { id: '1', from: ann, chat_instance: '1', data: 'x'.repeat(64), inline_message_id: 'abc' },
    { id: '1', from: ann, chat_instance: '1', data: '\u0000', message: { chat: group, message_id: 1, date: 0 } },
    { id: '1', from: otherBot, chat_instance: '1', data: 'x' },
  ],
  shipping_query: [{ id: '1', from: ann, invoice_payload: '', shipping_address: {} }],
  pre_checkout_query: [{ id: '1', from: ann, currency: 'XTR', total_amount: 1, invoice_payload: '' }],
  purchased_paid_media: [{ from: ann, paid_media_payload: '' }],
  poll: [poll],
  poll_answer: [{ poll_id: '1', user: ann, option_ids: [0] }],
  my_chat_member: [{ chat: privateChat, from: ann, date: 1, old_chat_member: member, new_chat_member: member }],
  chat_member: [{ chat: group, from: ann, date: 1, old_chat_member: member, new_chat_member: member }],
  chat_join_request: [{ chat: group, from: ann, user_chat_id: 77, date: 1 }],
  chat_boost: [{ chat: group, boost: {} }],
  removed_chat_boost: [{ chat: group, boost_id: '1', remove_date: 1, source: {} }],
  managed_bot: [{ user: ann, bot: otherBot }],
  subscription: [{ user: ann }],
};

describe('unsupported updates', () => {
  test.each(Object.entries(updates))('%s: sends nothing and logs no error', async (kind, shapes) => {
    const before = harness.telegram.calls().filter(({ method }) => method.startsWith('send')).length;
    for (const shape of shapes) await harness.receives({ [kind]: shape });
    await harness.receives({});
    expect(harness.telegram.calls().filter(({ method }) => method.startsWith('send'))).toHaveLength(before);
    expect(harness.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test('do not stop the bot from answering', async () => {
    const bob = harness.user('Bob');
    bob.writes('Still there?');
    await harness.sees(bob.chatId, 'You said: Still there?');
  });
});

describe('when Telegram fails', () => {
  test('an answer ends when the user blocks the bot', async () => {
    const bob = harness.user('Bob');
    const ended = createGate();
    harness.models.scripts.push(async (write, signal) => {
      signal.addEventListener('abort', ended.open);
      for (let word = 0; !signal.aborted && word < 1000; word++) {
        write(`word${word} `);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return undefined;
    });
    bob.writes('Go');
    await harness.sees(bob.chatId, /word1/);
    harness.telegram.changeBot(bob.chatId, { action: 'block' });
    await ended.passed;
    harness.telegram.changeBot(bob.chatId, { action: 'unblock' });
    bob.writes('Back');
    await harness.sees(bob.chatId, 'You said: Back');
  });

  test('an answer arrives completely despite flood errors and lost connections', async () => {
    const bob = harness.user('Bob');
    harness.telegram.injectFault({ method: 'editMessageText', times: 2, kind: { type: 'reset-after' } });
    harness.telegram.injectFault({
      method: 'editMessageText',
      skip: 2,
      times: 1,
      kind: { type: 'flood', retryAfterSeconds: 3 },
    });
    harness.models.scripts.push(async (write) => {
      for (let word = 0; word < 20; word++) {
        write(`word${word} `);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return 'stop';
    });
    bob.writes('Go');
    const whole = Array.from({ length: 20 }, (_, index) => `word${index}`).join(' ');
    await harness.shows(bob.chatId, ['Bob: Go', `Bot: ${whole}`]);
    harness.telegram.clearFaults();
  });

  test('a menu that can no longer be edited is sent as a new message', async () => {
    const bob = harness.user('Bob');
    bob.writes('/settings');
    await harness.sees(bob.chatId, /^Settings/);
    harness.telegram.injectFault({ method: 'editMessageText', kind: { type: 'message-vanishes' } });
    await bob.presses('Language');
    await harness.shows(bob.chatId, [
      'Bob: /settings',
      'Bot: Which language should I speak? [English] [Русский] [✓ As in Telegram] [Back]',
    ]);
  });
});

describe('when an internal error occurs', () => {
  test('the user gets an apology, and the next message is answered', async () => {
    let isBroken = true;
    const broken = await createBotHarness({
      change: (deps) => ({
        ...deps,
        accounts: {
          ...deps.accounts,
          ensureTelegramUser: (id) =>
            isBroken ? Promise.reject(new Error('the database is gone')) : deps.accounts.ensureTelegramUser(id),
        },
      }),
    });
    const oleg = broken.user('Олег', 'ru');
    oleg.writes('Привет');
    await broken.sees(oleg.chatId, 'У меня что-то пошло не так. Попробуйте ещё раз.');
    isBroken = false;
    oleg.writes('Привет');
    await broken.sees(oleg.chatId, 'You said: Привет');

    oleg.writes('/settings');
    await broken.sees(oleg.chatId, /^Настройки/);
    isBroken = true;
    expect(await oleg.presses('Язык')).toBe('У меня что-то пошло не так. Попробуйте ещё раз.');
    await broken.close();
  });
});

describe('at the end of the process', () => {
  test('the next process continues with dialogs, buttons and conversations', async () => {
    let deps: GivenServices | undefined;
    const first = await createBotHarness({
      change: (given) => {
        deps = given;
        return given;
      },
    });
    const bob = first.user('Bob');
    bob.writes('My name is Bob');
    await first.sees(bob.chatId, 'You said: My name is Bob');
    bob.writes('/model painter');
    await bob.presses('Search');
    await first.sees(bob.chatId, /Which model/);
    // Presses are handled in order, so the dialog is stored when this one is answered.
    await bob.presses('Close');
    await first.bot.stop();

    if (!deps) throw new Error('no bot was made');
    const next = createBot(deps);
    const from = { id: bob.id, is_bot: false, first_name: 'Bob', language_code: 'en' };
    const chat = { id: bob.chatId, type: 'private' as const, first_name: 'Bob' };
    const write = (text: string) =>
      next.handleUpdate({ update_id: 2, message: { message_id: 900, date: 1, from, chat, text } });
    await write('clev');
    await first.sees(bob.chatId, /1 model with “clev”/);
    await write('What is my name?');
    await first.sees(bob.chatId, 'You said: What is my name?');
    expect(first.models.requests.at(-1)?.messages).toHaveLength(3);
    await next.stop();
    await first.close();
  });

  test('answers finish if there is time, and others keep their text with a notice and Retry', async () => {
    const ending = await createBotHarness();
    const [bob, eve] = [ending.user('Bob'), ending.user('Eve')];
    const gate = createGate();
    ending.models.scripts.push(async (write) => {
      write('A short ');
      await gate.passed;
      write('answer.');
      return 'stop';
    }, goOnFrom('A long one'));
    bob.writes('Go');
    await ending.sees(bob.chatId, 'A short');
    eve.writes('Go');
    await ending.sees(eve.chatId, 'A long one');
    eve.writes('And then?');
    const stopped = ending.bot.stop();
    gate.open();
    await stopped;
    expect(ending.lines(bob.chatId)).toEqual(['Bob: Go', 'Bot: A short answer.']);
    expect(ending.lines(eve.chatId).slice(0, 3)).toEqual(['Eve: Go', 'Bot: A long one', 'Eve: And then?']);
    expect(ending.lines(eve.chatId).join('\n')).toContain(
      'Bot: I restarted in the middle of this answer. Press Retry for a new one. [Retry]',
    );
    await ending.close();
  });
});

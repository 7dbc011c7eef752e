import { afterEach, describe, expect, test } from 'vitest';
import { createBot } from '../../src/bot/bot.ts';
import type { GivenServices } from '../../src/bot/kit/services.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createGate, goOnFrom } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

let deps: GivenServices;
const harness = startBeforeAll(() =>
  createBotHarness({
    plans: { free: {}, tiny: { user: { requestsPerMinute: 0 } } },
    change: (made) => {
      deps = made;
      return made;
    },
  }),
);
afterEach(() => {
  harness.models.scripts.length = 0;
  harness.telegram.configureBot({ inlineFeedback: true });
});

/** Ann in a group with Bob, which the bot has not joined. */
function meet() {
  const ann = harness.user('Ann');
  const { Bob } = harness.group(['Bob'], { botStatus: 'left' });
  harness.telegram.changeMember(Bob.chatId, { action: 'join', personId: ann.id });
  const there = harness.lines(Bob.chatId).length;
  const shows = (...expected: string[]) =>
    harness.shows(Bob.chatId, [...harness.lines(Bob.chatId).slice(0, there), ...expected]);
  return { ann, Bob, chatId: Bob.chatId, shows };
}

async function ask({ ann, chatId }: ReturnType<typeof meet>, question: string) {
  const { queryId } = await ann.asksInline(question);
  return harness.telegram.chooseInlineResult({ inlineQueryId: queryId, resultId: 'ask', chatId });
}

/** Presses a button of the newest message in this chat. */
async function press(chatId: number, from: number, label: string): Promise<string> {
  const keyboard = harness.telegram.transcript(chatId).at(-1)?.message.reply_markup?.inline_keyboard.flat() ?? [];
  const button = keyboard.find(({ text }) => text === label);
  if (!button || !('callback_data' in button)) throw new Error(`no button ${label}`);
  const { message } = harness.telegram.transcript(chatId).at(-1) ?? {};
  const answers: { id: string; text: string }[] = [];
  const stop = harness.telegram.subscribe((event) => {
    if (event.type === 'callback-answer') answers.push({ id: event.callbackQueryId, text: event.text ?? '' });
  });
  const { callbackQueryId } = harness.telegram.pressButton(chatId, message?.message_id ?? 0, {
    from,
    data: button.callback_data,
  });
  const answer = await harness.telegram.waitFor(() => answers.find(({ id }) => id === callbackQueryId), 100_000);
  stop();
  return answer.text;
}

describe('a question in inline mode', () => {
  test('is offered before files, and its answer streams into the sent message', async () => {
    const scene = meet();
    const { results } = await scene.ann.asksInline('what is a bell?');
    expect(results).toMatchObject([{ type: 'article', id: 'ask', title: 'Ask basic', description: 'what is a bell?' }]);
    const gate = createGate();
    harness.models.scripts.push(async (write) => {
      write('A bell');
      await gate.passed;
      write(' **rings**.');
      return 'stop';
    });
    await ask(scene, 'what is a bell?');
    await scene.shows('Ann: what is a bell?\nA bell [Stop]');
    gate.open();
    await scene.shows('Ann: what is a bell?\nA bell rings. [Continue in the chat]');
    const { message } = harness.telegram.transcript(scene.chatId).at(-1) ?? {};
    expect(message?.entities).toEqual([
      { type: 'blockquote', offset: 0, length: 15 },
      { type: 'bold', offset: 23, length: 5 },
    ]);
    expect(harness.models.requests.at(-1)?.messages).toMatchObject([
      { role: 'system' },
      { content: 'what is a bell?' },
    ]);
  });

  test('continues in the private chat of the user who asked, and of no other user', async () => {
    const scene = meet();
    scene.ann.writes('Something private');
    await harness.sees(scene.ann.chatId, 'You said: Something private');
    await ask(scene, 'what is a gong?');
    await scene.shows('Ann: what is a gong?\nYou said: what is a gong? [Continue in the chat]');
    expect(JSON.stringify(harness.models.requests.at(-1))).not.toContain('private');
    const button = harness.telegram.transcript(scene.chatId).at(-1)?.message.reply_markup?.inline_keyboard[0]?.[0];
    const [, link, payload] = /^(.*start=)(.*)$/.exec(button && 'url' in button ? button.url : '') ?? [];
    expect(link).toBe('https://t.me/switch_bot?start=');
    const cleo = harness.user('Cleo');
    cleo.writes(`/start ${payload}`);
    await harness.sees(cleo.chatId, /^Someone else started this conversation/);
    scene.ann.writes(`/start ${payload}`);
    await harness.sees(scene.ann.chatId, /“what is a gong\?” continues here/);
    scene.ann.writes('And a drum?');
    await harness.sees(scene.ann.chatId, 'You said: And a drum?');
    expect(harness.models.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
      'what is a gong?',
      'You said: what is a gong?',
      'And a drum?',
    ]);
  });

  test('is answered once, for the user who asked, after a button press without inline feedback', async () => {
    harness.telegram.configureBot({ inlineFeedback: false });
    const scene = meet();
    await ask(scene, 'what is a horn?');
    await scene.shows('Ann: what is a horn?\nThe answer will appear here. If it doesn’t, press the button. [Answer]');
    const asked = harness.models.requests.length;
    expect(await press(scene.chatId, scene.Bob.id, 'Answer')).toBe('This button belongs to someone else.');
    const outcomes = await Promise.all([1, 2].map(() => press(scene.chatId, scene.ann.id, 'Answer')));
    expect(outcomes.toSorted()).toEqual(['I’m already writing.', 'I’m writing.']);
    await scene.shows('Ann: what is a horn?\nYou said: what is a horn? [Continue in the chat]');
    expect(harness.models.requests).toHaveLength(asked + 1);
  });

  test('is answered once for repeated chosen_inline_result updates', async () => {
    const scene = meet();
    const asked = harness.models.requests.length;
    const { ann } = scene;
    const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
    const chosen = { result_id: 'ask', from, query: 'twice?', inline_message_id: 'not-there' };
    await Promise.all([1, 2, 3].map(() => harness.receives({ chosen_inline_result: chosen })));
    await expect.poll(() => harness.models.requests.length).toBe(asked + 1);
    await harness.receives({ chosen_inline_result: chosen });
    expect(harness.models.requests).toHaveLength(asked + 1);
    // The message no longer exists, so no answer is owed.
    await expect.poll(() => harness.conversations.listUnfinishedInline(ann.id)).toEqual([]);
  });

  test('can be stopped by the user who asked only', async () => {
    const scene = meet();
    harness.models.scripts.push(goOnFrom('On and on'));
    await ask(scene, 'go');
    await scene.shows('Ann: go\nOn and on [Stop]');
    expect(await press(scene.chatId, scene.Bob.id, 'Stop')).toBe('Only the user who asked can stop this.');
    expect(await press(scene.chatId, scene.ann.id, 'Stop')).toBe('Stopped.');
    await scene.shows('Ann: go\nOn and on\n\n⏹ Stopped [Continue in the chat]');
  });

  test('is cut to one message with a notice, and the private chat has the rest', async () => {
    const scene = meet();
    harness.models.scripts.push('word '.repeat(2000).trim());
    await ask(scene, 'long?');
    await harness.telegram.waitFor(
      () => /The rest is in our chat/.test(harness.lines(scene.chatId).at(-1) ?? ''),
      100_000,
    );
    const { message } = harness.telegram.transcript(scene.chatId).at(-1) ?? {};
    expect(message?.text).toMatch(/^long\?\nword word .* word\n\n… The rest is in our chat\.$/);
    expect(message?.text?.length).toBeLessThanOrEqual(4096);
  });

  test('that fails shows the error in its message with Retry, and the limits of chats apply', async () => {
    const scene = meet();
    harness.models.scripts.push(() => Promise.reject(new Error('broken')));
    await ask(scene, 'why?');
    await scene.shows('Ann: why?\n\nSomething went wrong on my side. Please try again. [Retry] [Continue in the chat]');
    expect(await press(scene.chatId, scene.ann.id, 'Retry')).toBe('I’m writing.');
    await scene.shows('Ann: why?\nYou said: why? [Continue in the chat]');
    const { id } = await harness.accounts.ensureTelegramUser(scene.ann.id);
    await harness.accounts.setPlan(id, 'tiny');
    // A change of plan takes effect within a second.
    await harness.passes(1000);
    await ask(scene, 'more?');
    await harness.telegram.waitFor(() => /Too many requests\./.test(harness.lines(scene.chatId).at(-1) ?? ''), 100_000);
  });

  test('can be retried after a time in which too many others were running', async () => {
    const scene = meet();
    harness.models.scripts.push(() => Promise.reject(new Error('broken')));
    await ask(scene, 'why?');
    await scene.shows('Ann: why?\n\nSomething went wrong on my side. Please try again. [Retry] [Continue in the chat]');
    const others = Array.from({ length: 5 }, () => {
      const { Bob } = harness.group(['Bob'], { botStatus: 'left' });
      harness.telegram.changeMember(Bob.chatId, { action: 'join', personId: scene.ann.id });
      return { ...scene, Bob, chatId: Bob.chatId };
    });
    for (const other of others) {
      harness.models.scripts.push(goOnFrom('On and on'));
      await ask(other, 'go');
      await harness.telegram.waitFor(
        () => /On and on \[Stop\]/.test(harness.lines(other.chatId).at(-1) ?? ''),
        100_000,
      );
    }
    const tooBusy = 'I’m too busy right now. Please press again in a minute.';
    expect(await press(scene.chatId, scene.ann.id, 'Retry')).toBe(tooBusy);
    expect(await press(scene.chatId, scene.ann.id, 'Retry')).toBe(tooBusy);
    for (const other of others) expect(await press(other.chatId, scene.ann.id, 'Stop')).toBe('Stopped.');
    await expect.poll(() => press(scene.chatId, scene.ann.id, 'Retry')).toBe('I’m writing.');
    await scene.shows('Ann: why?\nYou said: why? [Continue in the chat]');
  });

  test('of a banned user gets no result', async () => {
    const scene = meet();
    await harness.administration.ban({ telegramId: scene.ann.id, adminTelegramId: 1, reason: '' });
    const count = harness.telegram.calls('answerInlineQuery').length;
    const from = { id: scene.ann.id, is_bot: false, first_name: 'Ann' };
    await harness.receives({ inline_query: { id: '1', from, query: 'hello', offset: '' } });
    await harness.receives({
      chosen_inline_result: { result_id: 'ask', from, query: 'hello', inline_message_id: 'x' },
    });
    expect(harness.telegram.calls('answerInlineQuery')).toHaveLength(count);
    expect(await harness.conversations.listUnfinishedInline(scene.ann.id)).toEqual([]);
  });
});

describe('guest mode', () => {
  test('answers below the question in a chat without the bot, with the replied-to message as context', async () => {
    const { Bob, Cleo } = harness.group(['Bob', 'Cleo'], { botStatus: 'left' });
    const said = Cleo.writes('The bell is in B flat.');
    const asked = Bob.writes('@switch_bot is that true?', { replyTo: said });
    await harness.shows(Bob.chatId, [
      'Cleo: The bell is in B flat.',
      'Bob: @switch_bot is that true?',
      'Bot: You said: > The bell is in B flat.\n\nis that true? [Continue in the chat]',
    ]);
    const answer = harness.telegram.transcript(Bob.chatId).at(-1)?.message;
    expect(answer?.reply_to_message?.message_id).toBe(asked);
    expect(harness.models.requests.at(-1)?.messages.at(-1)?.content).toBe('> The bell is in B flat.\n\nis that true?');
    expect(
      harness.telegram.calls('sendMessage').filter(({ params }) => Number(params['chat_id']) === Bob.chatId),
    ).toEqual([]);
  });

  test('ignores other bots and asks for a question when there is none', async () => {
    const { Bob } = harness.group(['Bob'], { botStatus: 'left' });
    const asked = harness.models.requests.length;
    const chat = { id: Bob.chatId, type: 'supergroup', title: 'Friends' };
    const from = { id: 777, is_bot: true, first_name: 'Other' };
    const text = '@switch_bot hello';
    await harness.receives({ guest_message: { message_id: 1, date: 1, chat, from, text, guest_query_id: '1' } });
    expect(harness.models.requests).toHaveLength(asked);
    Bob.writes('@switch_bot');
    await harness.shows(Bob.chatId, ['Bob: @switch_bot', 'Bot: Yes? Write your question in the same message.']);
  });
});

test('an inline answer that shutdown interrupts is written by the next process', async () => {
  const scene = meet();
  harness.models.scripts.push(goOnFrom('Half of'), 'All of it.');
  await ask(scene, 'what is left?');
  await scene.shows('Ann: what is left?\nHalf of [Stop]');
  await harness.bot.stop();
  expect(harness.bot.listBusyChats()).toContain(scene.ann.id);
  const next = createBot(deps);
  await next.recover(scene.ann.id, new AbortController().signal);
  await scene.shows('Ann: what is left?\nAll of it. [Continue in the chat]');
  await expect.poll(() => harness.conversations.listUnfinishedInline(scene.ann.id)).toEqual([]);
  await next.stop();
});

import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProviderUnavailableError } from '../../src/core/models/index.ts';
import { conversations, messages, tasks } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import type { BotHarnessOptions } from '../support/harness/bot-services.ts';
import { PATIENCE_MS } from '../support/harness/chats.ts';
import { createTaskHelpers, TASK_TOOLS, type TaskHelpers } from '../support/harness/tasks.ts';
import type { Actor } from '../support/harness/users.ts';
import { createGate, createModelEntry, type ModelScript } from '../support/hosts/scripted-models.ts';

const MODELS = ['basic', 'clever'].map((id) => createModelEntry(id));

let harness: BotHarness;
let helpers: TaskHelpers;
const open = async (options: BotHarnessOptions = {}) => {
  harness = await createBotHarness({ ...TASK_TOOLS, models: MODELS, ...options });
  helpers = createTaskHelpers(harness);
};
beforeEach(() => open());
afterEach(() => harness.close());

const meet = () => helpers.meet(harness.user('Ann'));
/** Schedules a reminder. */
const schedule = async (ann: Actor, text: string) => {
  const before = (await helpers.listTasks()).length;
  const command = ann.chatId < 0 ? '/remind@switch_bot' : '/remind';
  ann.writes(`${command} every day 9:00 ${text}`);
  await expect.poll(async () => (await helpers.listTasks()).length).toBe(before + 1);
  await harness.sees(ann.chatId, new RegExp(`^⏰ Reminder set\n${text}`));
};
/** Sends a reminder now. */
const remind = async (ann: Actor, text: string) => {
  await schedule(ann, text);
  await helpers.makeDue();
  const { message } = await harness.sees(ann.chatId, new RegExp(`^⏰ Reminder .*\n${text}$`));
  await helpers.ends('done');
  return message.message_id;
};
/** Buttons of the newest message of the bot with this text. */
const shows = (ann: Actor, text: RegExp, buttons: string) =>
  expect
    .poll(
      () => {
        const shown = harness.telegram
          .transcript(ann.chatId)
          .findLast(({ message }) => message.from?.is_bot && text.test(message.text ?? ''));
        const rows = shown?.message.reply_markup?.inline_keyboard ?? [];
        return shown && rows.flatMap((row) => row.map((button) => button.text)).join(' ');
      },
      { timeout: PATIENCE_MS },
    )
    .toBe(buttons);
const FINISHED = '🔄 Again Other model ⋯';
const SNOOZE = 'Snooze 10 min Snooze 1 hour Tomorrow';
/** Lets the next answer begin and end with these words, with a gate between them. */
const answers = (beginning: string, end: string) => {
  const gate = createGate();
  harness.models.scripts.push(async (write) => {
    write(beginning);
    await gate.passed;
    write(end);
    return undefined;
  });
  return gate;
};
/** Asks a question whose answer is being written. */
const begin = async (ann: Actor, question = 'A story, please') => {
  const gate = answers('Once upon', ' a time.');
  const questionId = ann.writes(question);
  await harness.sees(ann.chatId, /^Once upon/);
  return { questionId, ends: () => gate.open() };
};
const asks = async (ann: Actor, question: string, answer: ModelScript, more = {}) => {
  harness.models.scripts.push(answer);
  const asked = harness.models.requests.length;
  const id = ann.writes(question, more);
  await expect.poll(() => harness.models.requests.length).toBe(asked + 1);
  if (typeof answer === 'string') await harness.sees(ann.chatId, answer);
  await harness.settles(ann.chatId);
  return id;
};
/** Messages of the newest request without the system prompt; `⏰ text` stands for a reminder, `↩ text` for a reply to it. */
const prompt = () =>
  (harness.models.requests.at(-1)?.messages ?? []).flatMap(({ role, content }) =>
    role === 'system'
      ? []
      : `${role}: ${String(content)
          .replaceAll(
            /\[reminder scheduled earlier, which you have sent .*, due \d{4}-\d\d-\d\d \d\d:\d\d\]\n> /g,
            '⏰ ',
          )
          .replaceAll('[in reply to the reminder]\n> ', '↩ ')}`,
  );

describe('a reminder during an answer', () => {
  test('leaves the answer its buttons, and the next question knows it', async () => {
    const ann = await meet();
    const story = await begin(ann);
    await remind(ann, 'tea');
    await shows(ann, /\ntea$/, SNOOZE);
    story.ends();
    await shows(ann, /^Once upon a time\./, FINISHED);
    await harness.settles(ann.chatId);
    await asks(ann, 'How long does it steep?', 'Three minutes.');
    expect(prompt()).toEqual([
      'user: A story, please',
      'assistant: Once upon a time.',
      'user: ⏰ tea\n\nHow long does it steep?',
    ]);
    await shows(ann, /^Once upon a time\./, '');
    await shows(ann, /\ntea$/, SNOOZE);
    await shows(ann, /^Three minutes\./, FINISHED);
  });

  test('lets another answer take its place, and the conversation continues from the one shown', async () => {
    const ann = await meet();
    const story = await begin(ann);
    const reminderId = await remind(ann, 'tea');
    story.ends();
    await shows(ann, /^Once upon a time\./, FINISHED);
    await harness.settles(ann.chatId);
    const second = answers('There was', ' a king.');
    expect(await ann.presses('🔄 Again')).toBe('Writing another answer…');
    await harness.sees(ann.chatId, /^There was/);
    expect(prompt()).toEqual(['user: A story, please']);
    await remind(ann, 'milk');
    second.open();
    await shows(ann, /^There was a king\./, '‹ 2/2 · basic › ⋯');
    await harness.settles(ann.chatId);
    await ann.presses('‹');
    await shows(ann, /^Once upon a time\./, '‹ 1/2 · basic › ⋯');
    await harness.settles(ann.chatId);
    await ann.presses('›');
    await shows(ann, /^There was a king\./, '‹ 2/2 · basic › ⋯');
    await harness.settles(ann.chatId);
    await asks(ann, 'How long does it steep?', 'Three minutes.', { replyTo: reminderId });
    expect(prompt()).toEqual([
      'user: A story, please',
      'assistant: There was a king.',
      'user: ⏰ tea\n\n⏰ milk\n\n↩ tea\n\nHow long does it steep?',
    ]);
  });

  test('leaves Retry to an answer that fails', async () => {
    const ann = await meet();
    const gate = createGate();
    harness.models.scripts.push(async () => {
      await gate.passed;
      throw new ProviderUnavailableError('test', 'away', { status: 503 });
    });
    ann.writes('A story, please');
    await expect.poll(() => harness.models.requests.length).toBe(1);
    await remind(ann, 'tea');
    gate.open();
    await shows(ann, /can’t be reached/, 'Retry Other model');
    await harness.settles(ann.chatId);
    harness.models.scripts.push('Once upon a time.');
    await ann.presses('Retry');
    await shows(ann, /^Once upon a time\./, FINISHED);
    expect(prompt()).toEqual(['user: A story, please']);
  });

  test('leaves Continue to an answer that is stopped, before and after the stop', async () => {
    const ann = await meet();
    await begin(ann);
    await remind(ann, 'tea');
    await ann.presses('Stop');
    await shows(ann, /^Once upon\n\n⏹ Stopped/, '▶️ Continue 🔄 Again ⋯');
    await harness.settles(ann.chatId);
    await remind(ann, 'milk');
    harness.models.scripts.push('upon a time.');
    await ann.presses('▶️ Continue');
    await shows(ann, /^Once upon a time\./, FINISHED);
    await harness.settles(ann.chatId);
    await asks(ann, 'And?', 'The end.');
    expect(prompt()).toEqual([
      'user: A story, please',
      'assistant: Once upon a time.',
      'user: ⏰ tea\n\n⏰ milk\n\nAnd?',
    ]);
  });

  test('leaves the user the decision about a tool call', async () => {
    const ann = await meet();
    const order = { kind: 'question', text: 'News about space?', at: '2020-01-07T08:00', rrule: 'FREQ=DAILY' };
    await asks(ann, '> Schedule the news', [{ name: 'schedule_task', arguments: order }]);
    await harness.sees(ann.chatId, /^Schedule this task\?/);
    await remind(ann, 'tea');
    harness.models.scripts.push('It is scheduled.');
    await ann.presses('Schedule');
    await shows(ann, /^It is scheduled\./, FINISHED);
  });

  test('does not take part in a comparison', async () => {
    const ann = await meet();
    const gates = MODELS.map(({ id }) => {
      const gate = createGate();
      harness.models.scriptsOf.set(id, async (write) => {
        write(`${id} begins`);
        await gate.passed;
        write(' and ends.');
        return undefined;
      });
      return gate;
    });
    ann.writes('/compare Why?');
    await ann.presses('basic');
    await ann.presses('clever');
    await ann.presses('▶️ Compare (2)');
    await harness.sees(ann.chatId, /basic begins/);
    await harness.sees(ann.chatId, /clever begins/);
    await remind(ann, 'tea');
    gates[0]?.open();
    await shows(ann, /basic begins and ends/, `✓ Continues from here ${FINISHED}`);
    await remind(ann, 'milk');
    gates[1]?.open();
    await shows(ann, /clever begins and ends/, 'Continue with this one ⋯');
    await harness.settles(ann.chatId);
    await ann.presses('Continue with this one');
    await shows(ann, /clever begins and ends/, `✓ Continues from here ${FINISHED}`);
    harness.models.scriptsOf.clear();
    await asks(ann, 'And?', 'So.');
    expect(prompt()).toEqual(['user: Why?', 'assistant: clever begins and ends.', 'user: ⏰ tea\n\n⏰ milk\n\nAnd?']);
  });

  test('does not name its conversation', async () => {
    await harness.close();
    await open({ asksForTitles: true });
    const ann = await meet();
    const story = await begin(ann);
    await remind(ann, 'tea');
    harness.models.scripts.push('A King and a Queen');
    story.ends();
    const titles = async () => (await harness.db.select().from(conversations)).map(({ title }) => title);
    await expect.poll(titles).toEqual(['A King and a Queen']);
  });
});

describe('a reminder', () => {
  test('between a question and its answer is none of its words', async () => {
    const ann = await meet();
    const story = await begin(ann);
    await ann.writes('And a poem');
    await harness.hasHandledAll();
    await remind(ann, 'tea');
    harness.models.scripts.push('A rose.');
    story.ends();
    await shows(ann, /^A rose\./, FINISHED);
    expect(prompt()).toEqual(['user: A story, please', 'assistant: Once upon a time.', 'user: And a poem']);
    await harness.settles(ann.chatId);
    await asks(ann, 'And?', 'So.');
    expect(prompt().slice(3)).toEqual(['assistant: A rose.', 'user: ⏰ tea\n\nAnd?']);
  });

  test('after an answer leaves it its buttons and lets its question be edited', async () => {
    const ann = await meet();
    const questionId = await asks(ann, 'A story, please', 'Once upon a time.');
    await remind(ann, 'tea');
    await shows(ann, /^Once upon a time\./, FINISHED);
    harness.models.scripts.push('A rose.');
    harness.telegram.editMessage(ann.chatId, questionId, { text: 'A poem, please' });
    await shows(ann, /^A rose\./, FINISHED);
    await harness.settles(ann.chatId);
    await asks(ann, 'And?', 'So.');
    expect(prompt()).toEqual(['user: ⏰ tea\n\nA poem, please', 'assistant: A rose.', 'user: And?']);
  });

  test('may be the first message of a conversation, and of another after /new', async () => {
    const ann = await meet();
    const first = await remind(ann, 'tea');
    await asks(ann, 'How long?', 'Three minutes.');
    expect(prompt()).toEqual(['user: ⏰ tea\n\nHow long?']);
    ann.writes('/new');
    await harness.hasHandledAll();
    await remind(ann, 'milk');
    await asks(ann, 'How much?', 'One litre.');
    expect(prompt()).toEqual(['user: ⏰ milk\n\nHow much?']);
    await asks(ann, 'Green?', 'Two minutes.', { replyTo: first });
    expect(prompt()).toEqual(['user: ⏰ tea\n\nHow long?', 'assistant: Three minutes.', 'user: ↩ tea\n\nGreen?']);
  });

  test('is none of the messages of its conversation', async () => {
    const ann = await meet();
    const read = async () => {
      const current = await harness.conversations.findCurrentConversation({ chatId: ann.chatId, topicId: undefined });
      return harness.conversations.findListedConversation(current?.id ?? 0);
    };
    await remind(ann, 'tea');
    await remind(ann, 'milk');
    expect(await read()).toMatchObject({ messageCount: 0, firstWords: 'tea' });
    await asks(ann, 'How long?', 'Three minutes.');
    await remind(ann, 'bread');
    expect(await read()).toMatchObject({ messageCount: 2, firstWords: 'How long?' });
  });

  test('is no talk: a later task still begins its own conversation as the current one', async () => {
    const ann = await meet();
    const order = { kind: 'question', text: 'News about space?', at: '2020-01-07T08:00', rrule: 'FREQ=DAILY' };
    harness.models.scripts.push([{ name: 'schedule_task', arguments: order }], 'Scheduled.');
    ann.writes('The news, please');
    await harness.sees(ann.chatId, 'Scheduled.');
    await harness.settles(ann.chatId);
    const anHourAgo = sql`${messages.createdAt} - interval '1 hour'`;
    await harness.db.update(messages).set({ createdAt: anHourAgo });
    await remind(ann, 'tea');
    harness.models.scripts.push('A rocket.');
    await harness.db
      .update(tasks)
      .set({ nextDueAt: new Date(harness.now()) })
      .where(eq(tasks.kind, 'question'));
    harness.taskScheduler.wake();
    await harness.sees(ann.chatId, /A rocket\./);
    await helpers.ends('done');
    await asks(ann, 'And?', 'It lands.');
    expect(prompt().slice(1)).toEqual(['assistant: A rocket.', 'user: And?']);
  });

  test('after /new does not touch the answer that is still written before it', async () => {
    const ann = await meet();
    const story = await begin(ann);
    ann.writes('/new');
    await harness.hasHandledAll();
    await remind(ann, 'tea');
    story.ends();
    await shows(ann, /^Once upon a time\./, FINISHED);
    await harness.settles(ann.chatId);
    await asks(ann, 'How long?', 'Three minutes.');
    expect(prompt()).toEqual(['user: ⏰ tea\n\nHow long?']);
  });

  test('that is replied to is still known after an edit of the reply', async () => {
    const ann = await meet();
    await asks(ann, 'Hello', 'Hi.');
    const tea = await remind(ann, 'tea');
    await remind(ann, 'milk');
    const replyId = await asks(ann, 'How long?', 'Three minutes.', { replyTo: tea });
    expect(prompt().at(-1)).toBe('user: ⏰ tea\n\n⏰ milk\n\n↩ tea\n\nHow long?');
    harness.models.scripts.push('80 degrees.');
    harness.telegram.editMessage(ann.chatId, replyId, { text: 'How hot?' });
    await harness.sees(ann.chatId, '80 degrees.');
    expect(prompt().at(-1)).toBe('user: ⏰ tea\n\n⏰ milk\n\n↩ tea\n\nHow hot?');
  });

  test('of a conversation of an earlier version is one for the model, too', async () => {
    const ann = await meet();
    await asks(ann, 'Hello', 'Hi.');
    await remind(ann, 'tea');
    const rows = await harness.db.select().from(messages).orderBy(messages.id);
    const sent = rows.at(-1);
    // The sent message was not marked and became the head.
    await harness.db
      .update(messages)
      .set({ extras: {} })
      .where(eq(messages.id, sent?.id ?? 0));
    await harness.db.update(conversations).set({ headId: sent?.id });
    await asks(ann, 'How long?', 'Three minutes.');
    expect(prompt()).toEqual(['user: Hello', 'assistant: Hi.', 'user: ⏰ tea\n\nHow long?']);
  });
});

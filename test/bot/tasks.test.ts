import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { messages, tasks } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import type { BotHarnessOptions } from '../support/harness/bot-services.ts';
import { createTaskHelpers, TASK_TOOLS, type TaskHelpers } from '../support/harness/tasks.ts';
import type { Actor } from '../support/harness/users.ts';

let harness: BotHarness;
let helpers: TaskHelpers;
afterEach(() => harness.close());

const setStage = async (options: BotHarnessOptions = {}) => {
  harness = await createBotHarness({ ...TASK_TOOLS, ...options });
  helpers = createTaskHelpers(harness);
};
/** Creates a user with a time zone. */
const meet = (name: string) => helpers.meet(harness.user(name));
const last = ({ chatId }: Pick<Actor, 'chatId'>) => harness.lines(chatId).at(-1) ?? '';
const schedule = (parameters: object) => [{ name: 'schedule_task', arguments: parameters }];
const results = () =>
  harness.models.requests.at(-1)?.messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
const systemPrompt = () =>
  String(harness.models.requests.at(-1)?.messages.find(({ role }) => role === 'system')?.content);

describe('/remind', () => {
  test('sends the text at its time, once, and again when the user wants', async () => {
    await setStage();
    const ann = await meet('Ann');
    ann.writes('/remind 1m drink tea');
    await helpers.shows(ann, /^Bot: ⏰ Reminder set\ndrink tea\n\nWhen: .* \(Europe\/Berlin\) \[Change or delete\]$/);
    await helpers.shows(ann, /^Bot: ⏰ Reminder · .*\ndrink tea \[Snooze 10 min\] \[Snooze 1 hour\] \[Tomorrow\]$/);
    await helpers.ends('done');
    expect(await ann.presses('Snooze 1 hour')).toMatch(/^I’ll remind you again: /);
    await helpers.shows(ann, /drink tea$/);
    expect((await helpers.listTasks()).map(({ prompt, state }) => [prompt, state])).toEqual([
      ['drink tea', 'ended'],
      ['drink tea', 'active'],
    ]);
    expect(harness.models.requests).toEqual([]);
    ann.writes('Thanks');
    await helpers.shows(ann, /^Bot: You said: .*Thanks/s);
    expect(harness.models.requests.at(-1)?.messages).toEqual([
      { role: 'system', content: expect.any(String) },
      { role: 'user', content: expect.stringMatching(/^\[reminder scheduled earlier,.*\]\n> drink tea\n\nThanks$/) },
    ]);
  });

  test('explains itself, refuses the past, and speaks Russian', async () => {
    await setStage();
    const ann = await meet('Ann');
    ann.writes('/remind tea');
    await helpers.shows(ann, /^Bot: Write the time, then the text:/);
    ann.writes('/remind at 9 and 21 pills');
    await helpers.shows(ann, /^Bot: I don’t understand this time\.\n\nWrite the time, then the text:/);
    expect(await helpers.listTasks()).toEqual([]);
    ann.writes('/remind every day at 9 and 21 pills');
    await helpers.shows(ann, /\npills\n\nEvery day at 9:00 AM, 9:00 PM\n/);
    ann.writes('/remind every year on 24 December at noon presents');
    await helpers.shows(ann, /\npresents\n\nEvery year on December 24 at 12:00 PM\n/);
    ann.writes('/remind 2020-01-01 tea');
    await helpers.shows(ann, /^Bot: This time is in the past\./);
    const olga = harness.user('Olga', 'ru');
    olga.writes('/remind завтра в 9:00 чай');
    await helpers.shows(
      olga,
      /^Bot: ⏰ Напоминание установлено\nчай\n\nКогда: .*9:00 \(Europe\/Moscow\)\n\nЧасовой пояс я угадал по языку: Europe\/Moscow, там сейчас .* Верно\? \[✓ Europe\/Moscow, верно\] \[Другой часовой пояс\] \[Изменить или удалить\]$/,
    );
  });

  test('asks for the time zone once, and moves the task to the right one', async () => {
    await setStage();
    const ann = harness.user('Ann');
    ann.writes('/remind tomorrow 9:00 tea');
    await helpers.shows(ann, /\[✓ Europe\/London is right\] \[Other time zone\]/);
    await ann.presses('Other time zone');
    await ann.presses('Europe/Berlin');
    await helpers.shows(ann, /When: .*9:00 AM \(Europe\/Berlin\)\n\nTime zone: Europe\/Berlin\. \[Change or delete\]$/);
    ann.writes('/remind 20m milk');
    await helpers.shows(ann, /milk\n\nWhen: .* \(Europe\/Berlin\) \[Change or delete\]$/);
    expect((await harness.accounts.findTelegramUser(ann.id))?.settings.timeZone).toBe('Europe/Berlin');
  });
});

describe('a task of a model', () => {
  test('is scheduled by a tool that knows day and zone, and says what it has understood', async () => {
    await setStage();
    const ann = await meet('Ann');
    const order = { kind: 'question', text: 'News about space?', at: '2030-01-07T08:00', rrule: 'FREQ=DAILY' };
    harness.models.scripts.push(schedule(order), 'Every day at 8.');
    ann.writes('Every day at 8 the news about space');
    await harness.sees(ann.chatId, 'Every day at 8.');
    expect(systemPrompt()).toMatch(/^Today is \w+, \d{4}-\d\d-\d\d\. The user's time zone is Europe\/Berlin\.$/);
    expect(results()).toEqual([
      expect.stringMatching(
        /^Scheduled: task \d+, question, "News about space\?", repeated by FREQ=DAILY, next Monday 2030-01-07 08:00 \(Europe\/Berlin\)\. It is \w+ [\d-]+ \d\d:\d\d \(Europe\/Berlin\) now\.$/,
      ),
    ]);
    await harness.sees(ann.chatId, /^⏰ Task scheduled\nNews about space\?\n\nEvery day at 8:00 AM\n/);
    await harness.settles(ann.chatId);
    await ann.presses('Change or delete');
    await harness.sees(ann.chatId, /^News about space\?\n\nQuestion to the model\n/);
  });

  test('is not scheduled twice if the answer is written again', async () => {
    await setStage();
    const ann = await meet('Ann');
    const order = schedule({ kind: 'reminder', text: 'tea', in_minutes: '30' });
    harness.models.scripts.push(order, 'Done.', order, 'Done again.');
    ann.writes('Tea in 30 minutes');
    await harness.sees(ann.chatId, 'Done.');
    await harness.settles(ann.chatId);
    await ann.presses('🔄 Again');
    await harness.sees(ann.chatId, 'Done again.');
    expect(results()?.[0]).toMatch(/^This task exists already: /);
    expect(await helpers.listTasks()).toHaveLength(1);
  });

  test.each([
    [{ kind: 'reminder', text: 'tea' }, /^give at \(local date and time; it is [\dT:-]+ now\) or in_minutes/],
    [{ kind: 'reminder', text: 'tea', in_minutes: 'soon' }, /^give at/],
    [{ kind: 'reminder', text: 'tea', at: '2020-01-01T08:00' }, /^this time is in the past; .* now$/],
    [{ kind: 'reminder', text: 'tea', at: '8:00' }, /^at must be a local date and time/],
    [{ kind: 'reminder', text: 'tea', at: '2030-02-31T08:00' }, /^at is not a date/],
    [{ kind: 'reminder', text: 'tea', rrule: 'FREQ=DAILY' }, /^a repeated task needs at/],
    [{ kind: 'reminder', text: 'tea', at: '2030-01-01T08:00', rrule: 'FREQ=NEVER' }, /FREQ must be/],
    [{ kind: 'reminder', text: 'tea', at: '2030-01-01T08:00', rrule: 'FREQ=MINUTELY' }, /too often/],
    [{ kind: 'alarm', text: 'tea', in_minutes: 5 }, /^kind must be/],
    [{ kind: 'reminder', text: ' ', in_minutes: 5 }, /^the text is missing/],
    [{ kind: 'reminder', text: 'x'.repeat(3000), in_minutes: 5 }, /longer than 2000/],
  ])('is refused with words for the model: %j', async (order, reason) => {
    await setStage();
    const ann = await meet('Ann');
    harness.models.scripts.push(schedule(order), 'Sorry.');
    ann.writes('Remind me');
    await harness.sees(ann.chatId, 'Sorry.');
    expect(results()?.[0]?.replace(/^Error: /i, '')).toMatch(reason);
    expect(await helpers.listTasks()).toEqual([]);
  });

  test('is listed and cancelled by tools, only by its user', async () => {
    await setStage();
    const [ann, bob] = [await meet('Ann'), await meet('Bob')];
    ann.writes('/remind 30m tea');
    await helpers.shows(ann, /Reminder set/);
    const [task] = await helpers.listTasks();
    const cancel = [{ name: 'cancel_task', arguments: { id: task?.id, name: 'Tea' } }];
    harness.models.scripts.push([{ name: 'list_tasks', arguments: {} }], cancel, 'None.');
    bob.writes('Cancel all');
    await harness.sees(bob.chatId, 'None.');
    expect(results()?.[0]).toBe('There are no tasks.');
    expect(results()?.[1]).toMatch(/there is no such task/);
    harness.models.scripts.push([{ name: 'cancel_task', arguments: { id: task?.id, name: 'news' } }], 'Which?');
    ann.writes('Cancel the news');
    await harness.sees(ann.chatId, 'Which?');
    expect(results()?.[0]).toMatch(/name is not that of the task: task \d+, reminder, "tea"/);
    harness.models.scripts.push([{ name: 'list_tasks', arguments: {} }], cancel, 'Cancelled.');
    ann.writes('Cancel it');
    await harness.sees(ann.chatId, 'Cancelled.');
    expect(results()?.[0]).toMatch(/^task \d+, reminder, "tea", next /);
    expect(await helpers.listTasks()).toEqual([]);
  });
});

describe('a run', () => {
  const order = { kind: 'question', text: 'News about space?', at: '2020-01-07T08:00', rrule: 'FREQ=DAILY' };
  const begin = async (ann: Actor, more: object = {}) => {
    harness.models.scripts.push(schedule({ ...order, ...more }), 'Scheduled.');
    ann.writes('The news, please');
    await harness.sees(ann.chatId, 'Scheduled.');
    await harness.settles(ann.chatId);
  };

  test('answers in a conversation of its own that knows the earlier runs', async () => {
    await setStage();
    const ann = await meet('Ann');
    await begin(ann);
    harness.models.scripts.push('A rocket.');
    await helpers.makeDue();
    await harness.sees(ann.chatId, /^⏰ News about space\? · .*\nA rocket\.$/);
    await helpers.ends('done');
    expect(systemPrompt()).toMatch(/a task that the user scheduled earlier\. It was due /);
    expect(harness.models.requests.at(-1)?.messages.map(({ content }) => content)).not.toContain('The news, please');
    harness.models.scripts.push('Another rocket.');
    await helpers.makeDue(3 * 86_400_000);
    await harness.sees(
      ann.chatId,
      /^⏰ News about space\? · planned for .*, and \d more missed: I was offline\nAnother rocket\.$/,
    );
    expect(harness.models.requests.at(-1)?.messages.map(({ content }) => content)).toContain('A rocket.');
  });

  test('is silent if there is nothing new', async () => {
    await setStage();
    const ann = await meet('Ann');
    await begin(ann, { quiet: true });
    const before = harness.lines(ann.chatId);
    harness.models.scripts.push('**NOTHING_NEW**.');
    await helpers.makeDue();
    await helpers.ends('done');
    expect((await helpers.listRuns()).at(-1)?.isQuiet).toBe(true);
    expect(harness.lines(ann.chatId)).toEqual(before);
    harness.models.scripts.push('A rocket.');
    await helpers.makeDue();
    await harness.sees(ann.chatId, /^⏰ .*\nA rocket\.$/);
    await helpers.ends('done');
    expect((await helpers.listRuns()).at(-1)?.isQuiet).toBe(false);
  });

  test('schedules nothing without a press', async () => {
    await setStage();
    const ann = await meet('Ann');
    await begin(ann);
    harness.models.scripts.push(schedule({ kind: 'reminder', text: 'evil', in_minutes: 5 }));
    await helpers.makeDue();
    await helpers.shows(
      ann,
      /^Bot: ⏰ News about space\? · .*\n\nSet this reminder\?\n\nevil\n.* \(Europe\/Berlin\)\n/s,
    );
    harness.models.scripts.push('Scheduled by permission.');
    await ann.presses('Set reminder');
    await harness.sees(ann.chatId, /Scheduled by permission\./);
    expect(await helpers.listTasks()).toHaveLength(2);
    await harness.settles(ann.chatId);
    await harness.db.delete(tasks).where(eq(tasks.prompt, 'evil'));
    harness.models.scripts.push(schedule({ kind: 'reminder', text: 'more evil', in_minutes: 5 }));
    await helpers.makeDue();
    await helpers.shows(ann, /Set this reminder\?\n\nmore evil\n/);
    expect(await helpers.listTasks()).toHaveLength(1);
  });

  test('reports its failure with buttons, and three in a row pause the task', async () => {
    await setStage();
    const ann = await meet('Ann');
    await begin(ann);
    const fail = async () => {
      throw new Error('broken');
    };
    for (const state of ['active', 'active', 'paused']) {
      harness.models.scripts.push(fail);
      await helpers.makeDue();
      await helpers.ends('failed');
      expect((await helpers.listTasks())[0]?.state).toBe(state);
      await harness.settles(ann.chatId);
    }
    expect(harness.lines(ann.chatId)).toContainEqual(
      expect.stringMatching(
        /^Bot: ⏰ News about space\? · .*\n\nSomething went wrong.*\[Retry\].*\[Pause task\] \[Delete task\]$/s,
      ),
    );
    await helpers.shows(
      ann,
      /^Bot: The task “News about space\?” does not run any more\. Paused after several failures in a row\. \[Change or delete\]$/,
    );
    await ann.presses('Change or delete');
    expect(await ann.presses('▶️ Resume')).toBe('Resumed.');
    expect((await helpers.listTasks())[0]?.state).toBe('active');
  });

  test('is not extended by a message that the user sends meanwhile', async () => {
    await setStage();
    const ann = await meet('Ann');
    await begin(ann);
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    harness.models.scripts.push(async (write) => {
      await waiting;
      write('A rocket.');
      return undefined;
    });
    await helpers.makeDue();
    await expect.poll(() => harness.models.requests.at(-1)?.messages.at(-1)?.content).toBe('News about space?');
    ann.writes('And tea?');
    await harness.hasHandledAll();
    release();
    await harness.sees(ann.chatId, /A rocket\.$/);
    await harness.sees(ann.chatId, 'You said: And tea?');
    const questions = await harness.db.select().from(messages);
    expect(questions.filter(({ content }) => content.includes('News about space?'))).toHaveLength(1);
  });

  test('pauses the task if the user has blocked the bot', async () => {
    await setStage();
    const ann = await meet('Ann');
    ann.writes('/remind every day 9:00 tea');
    await helpers.shows(ann, /Reminder set/);
    await harness.accounts.recordReachability(ann.id, false);
    await helpers.makeDue();
    await helpers.ends('failed');
    expect((await helpers.listTasks())[0]).toMatchObject({ state: 'paused', pausedReason: 'unreachable' });
  });
});

describe('/tasks', () => {
  test('lists, shows, changes, pauses and deletes', async () => {
    await setStage();
    const ann = await meet('Ann');
    ann.writes('/tasks');
    await helpers.shows(ann, /^Bot: No tasks here yet\./);
    ann.writes('/remind every weekday 8:00 stand-up');
    await helpers.shows(ann, /stand-up\n\nEvery weekday at 8:00 AM\nNext: /);
    ann.writes('/tasks');
    await helpers.shows(ann, /^Bot: 1 task in this chat\. \[⏰ stand-up · .*\] \[Close\]$/);
    const label = /\[(⏰ stand-up[^\]]*)\]/.exec(last(ann))?.[1] ?? '';
    await ann.presses(label);
    await helpers.shows(ann, /\[▶️ Run now\] \[⏸ Pause\] \[✏️ Text\] \[🕐 Time\] \[History\] \[🗑 Delete\] \[Back\]$/);
    expect(await ann.presses('⏸ Pause')).toBe('Paused.');
    await helpers.shows(ann, /\nPaused\. \[▶️ Run now\] \[▶️ Resume\]/);
    expect(await ann.presses('▶️ Resume')).toBe('Resumed.');
    await helpers.shows(ann, /\[⏸ Pause\]/);
    await ann.presses('✏️ Text');
    await helpers.shows(ann, /^Bot: Send me the new text of this task\./);
    ann.writes('plan the day');
    await helpers.shows(ann, /^Bot: plan the day\n.*\n\nChanged\./s);
    await ann.presses('🕐 Time');
    ann.writes('whenever');
    await helpers.shows(ann, /^Bot: I don’t understand this time\./);
    ann.writes('every friday 17:00');
    await helpers.shows(ann, /Every Fri at 5:00 PM\nNext: Fri, .*5:00 PM/);
    await ann.presses('🗑 Delete');
    await helpers.shows(ann, /Delete this task with its history\? \[Yes, delete\] \[Keep it\]$/);
    await ann.presses('Keep it');
    await helpers.shows(ann, /\[🗑 Delete\]/);
    await ann.presses('🗑 Delete');
    await ann.presses('Yes, delete');
    await helpers.shows(ann, /^Bot: Deleted\.\n\nNo tasks here yet\./);
    expect(await helpers.listTasks()).toEqual([]);
  });

  test('runs a task at once, and shows its history with a way to the message', async () => {
    await setStage();
    const ann = await meet('Ann');
    ann.writes('/remind every day 8:00 stand-up');
    await helpers.shows(ann, /stand-up/);
    await ann.presses('Change or delete');
    expect(await ann.presses('▶️ Run now')).toBe('It starts now.');
    await helpers.shows(ann, /^Bot: ⏰ Reminder · run by hand\nstand-up/);
    await helpers.ends('done');
    await ann.presses('History');
    await harness.sees(ann.chatId, /^Runs of “stand-up”, the newest first:\n1\. .*: ✅ done, by hand$/);
    await ann.presses('↩︎ 1');
    await helpers.shows(ann, /^Bot: This is the message of that run\./);
  });

  test('is of use for stale buttons and for two presses at once', async () => {
    await setStage();
    const ann = await meet('Ann');
    ann.writes('/remind every day 8:00 stand-up');
    await helpers.shows(ann, /stand-up/);
    await ann.presses('Change or delete');
    await helpers.shows(ann, /Run now/);
    const answers = await Promise.all([ann.presses('▶️ Run now'), ann.presses('▶️ Run now')]);
    expect(answers).toContain('It starts now.');
    await helpers.ends('done');
    expect((await helpers.listRuns()).length).toBe(answers.filter((answer) => answer === 'It starts now.').length);
    await harness.db.delete(tasks);
    expect(await ann.presses('⏸ Pause')).toBe('This task no longer exists.');
  });
});

describe('in a group', () => {
  test('tasks belong to their user; admins list and delete those of all', async () => {
    await setStage();
    const { Ann: ann, Bob: bob } = harness.group(['Ann', 'Bob']);
    await helpers.meet(bob);
    bob.writes('/remind@switch_bot 30m tea');
    await helpers.shows(bob, /⏰ Reminder set\ntea/);
    const [task] = await helpers.listTasks();
    expect(task).toMatchObject({ groupId: bob.chatId, userId: await helpers.userIdOf(bob) });
    bob.writes('/tasks@switch_bot');
    await helpers.shows(bob, /1 task in this chat\./);
    ann.writes('/tasks@switch_bot');
    await helpers.shows(ann, /Tasks in this group: 1\. \[⏰ tea/);
    const label = /\[(⏰ tea[^\]]*)\]/.exec(last(ann))?.[1] ?? '';
    expect(await bob.presses(label)).toBe('This button belongs to someone else.');
    await ann.presses(label);
    await helpers.shows(ann, /\nMade by Bob\n.*\[🗑 Delete\] \[Back\]$/s);
    await ann.presses('🗑 Delete');
    await ann.presses('Yes, delete');
    expect(await helpers.listTasks()).toEqual([]);
  });

  test('a run ends if its user has left, or the admins have switched tasks off', async () => {
    await setStage();
    const { Bob: bob, Cid: cid } = harness.group(['Ann', 'Bob', 'Cid']);
    for (const actor of [bob, cid]) {
      await helpers.meet(actor);
      actor.writes('/remind@switch_bot every day 9:00 tea');
      await helpers.shows(actor, /⏰ Reminder set\ntea/);
      if (actor === bob) {
        harness.telegram.changeMember(bob.chatId, { action: 'leave', personId: bob.id });
        await helpers.makeDue();
        await helpers.ends('failed');
        expect((await helpers.listTasks()).at(-1)).toMatchObject({ state: 'paused', pausedReason: 'not-allowed' });
      }
    }
    await harness.groups.change(cid.chatId, { hasTasks: false });
    await helpers.makeDue();
    await expect.poll(async () => (await helpers.listTasks()).at(-1)?.state).toBe('paused');
    cid.writes('/remind@switch_bot 30m tea');
    await helpers.shows(cid, /The admins of this group have switched tasks off\./);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BUILT_IN_TOOLS } from '../../src/core/tools/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import type { BotHarnessOptions } from '../support/harness/bot-services.ts';
import { createTaskHelpers, TASK_TOOLS, type TaskHelpers } from '../support/harness/tasks.ts';
import { enterPlace } from '../support/harness/topics.ts';
import type { Actor } from '../support/harness/users.ts';
import { answerJson, type FakeSearchServer, startFakeSearchServer } from '../support/hosts/fake-search-server.ts';
import { createGate, createModelEntry } from '../support/hosts/scripted-models.ts';

const BY_ADMIN = { adminTelegramId: 1, reason: '' };

let harness: BotHarness;
let helpers: TaskHelpers;
let search: FakeSearchServer;
/** Queries that the search service has got. */
let searched: string[] = [];
beforeAll(async () => {
  search = await startFakeSearchServer();
  search.answers((response, request) => {
    searched.push(String(request.parameters['q']));
    answerJson({ results: [{ url: 'https://pages.example/', title: 'Space', content: 'A rocket.' }] })(
      response,
      request,
    );
  });
});
beforeEach(() => {
  searched = [];
});
afterEach(() => harness.close());
afterAll(() => search.close());

const setStage = async (options: BotHarnessOptions = {}) => {
  harness = await createBotHarness({ ...TASK_TOOLS, ...options });
  helpers = createTaskHelpers(harness);
};
/** Lets the model schedule a daily question of Ann. */
const scheduleNews = async (ann: Actor, write = (text: string) => void ann.writes(text)) => {
  const order = { kind: 'question', text: 'News about space?', at: '2020-01-07T08:00', rrule: 'FREQ=DAILY' };
  harness.models.scripts.push([{ name: 'schedule_task', arguments: order }], 'Scheduled.');
  write('The news, please');
  await harness.sees(ann.chatId, 'Scheduled.');
  await harness.settles(ann.chatId);
};
/** Returns the bot's messages with a text, and their topics. */
const findSaid = ({ chatId }: Pick<Actor, 'chatId'>, text: RegExp) =>
  harness.telegram
    .transcript(chatId)
    .filter(({ message }) => message.from?.is_bot && text.test(message.text ?? ''))
    .map(({ message }) => message);

describe.each(['private topic', 'forum topic'] as const)('in a %s', (place) => {
  test('a run answers there, in its conversation', async () => {
    await setStage({ privateTopics: true });
    const scene = enterPlace(harness, place);
    await helpers.meet(scene.ann);
    await scheduleNews(scene.ann, (text) => void scene.asks(text));
    harness.models.scripts.push('A rocket.');
    await helpers.makeDue();
    await harness.sees(scene.chatId, /^⏰ News about space\? · .*\nA rocket\.$/);
    await helpers.ends('done');
    expect(findSaid(scene, /A rocket/).map((message) => message.message_thread_id)).toEqual([scene.topicId]);
    const seen = harness.models.requests.at(-1)?.messages.map(({ content }) => JSON.stringify(content)) ?? [];
    expect(seen.some((content) => content.includes('The news, please'))).toBe(true);
  });

  test.each(['reminder', 'question'])('a %s tells its user that the topic was deleted', async (kind) => {
    await setStage({ privateTopics: true });
    const scene = enterPlace(harness, place);
    await helpers.meet(scene.ann);
    if (kind === 'question') await scheduleNews(scene.ann, (text) => void scene.asks(text));
    else scene.writes(scene.isGroup ? '/remind@switch_bot every day 9:00 tea' : '/remind every day 9:00 tea');
    await expect.poll(helpers.listTasks).toHaveLength(1);
    await harness.hasHandledAll();
    harness.telegram.deleteTopic({ chatId: scene.chatId, topicId: scene.topicId ?? 0 });
    const own = scene.isGroup ? openPrivateChat(scene.ann) : scene.ann;
    await harness.hasHandledAll();
    await helpers.makeDue();
    await helpers.ends('failed');
    expect((await helpers.listTasks())[0]).toMatchObject({ state: 'paused', pausedReason: 'unreachable' });
    await harness.sees(own.chatId, /^The task “.*” (in a group )?does not run any more: /);
  });
});

/** Lets a member of a group start the private chat with the bot. */
const openPrivateChat = ({ id }: Actor): Pick<Actor, 'chatId'> => {
  const { id: chatId } = harness.telegram.createChat({ type: 'private', memberIds: [id] });
  harness.telegram.sendMessage(chatId, { text: '/start', from: id });
  return { chatId };
};

describe('a task of a group', () => {
  const remindDaily = async (ann: Actor) => {
    await helpers.meet(ann);
    ann.writes('/remind@switch_bot every day 9:00 tea');
    await helpers.shows(ann, /⏰ Reminder set\ntea/);
  };

  test('is paused, and its user told in private, if the bot was removed', async () => {
    await setStage();
    const { Ann: ann } = harness.group(['Ann']);
    await remindDaily(ann);
    const own = openPrivateChat(ann);
    harness.telegram.changeBot(ann.chatId, { action: 'remove' });
    await harness.hasHandledAll();
    await helpers.makeDue();
    await harness.sees(own.chatId, 'The task “tea” in a group does not run any more: I can’t write there.');
    expect((await helpers.listTasks())[0]).toMatchObject({ state: 'paused', pausedReason: 'unreachable' });
    expect(findSaid(own, /does not run any more/)).toHaveLength(1);
  });

  test('says in private that its user has left', async () => {
    await setStage();
    const { Ann: ann } = harness.group(['Ann', 'Bob']);
    await remindDaily(ann);
    const own = openPrivateChat(ann);
    await harness.sees(own.chatId, /./);
    harness.telegram.changeMember(ann.chatId, { action: 'leave', personId: ann.id });
    await helpers.makeDue();
    await harness.sees(own.chatId, /^The task “tea” in a group does not run any more: you have left it, or /);
  });

  test('runs in the supergroup that its group has become', async () => {
    await setStage();
    const { Ann: ann } = harness.group(['Ann'], { type: 'group' });
    await remindDaily(ann);
    const { id: chatId } = harness.telegram.upgradeGroup(ann.chatId, {});
    await expect.poll(async () => (await helpers.listTasks())[0]?.groupId).toBe(chatId);
    await helpers.makeDue();
    await harness.sees(chatId, /^⏰ Reminder for Ann · .*\ntea$/);
    await helpers.ends('done');
  });

  test('runs there also if it is due before the bot knows of the change', async () => {
    await setStage();
    const { Ann: ann } = harness.group(['Ann'], { type: 'group' });
    await remindDaily(ann);
    harness.telegram.injectFault({ method: 'getUpdates', kind: { type: 'no-answer', takesEffect: false } });
    const { id: chatId } = harness.telegram.upgradeGroup(ann.chatId, {});
    await helpers.makeDue();
    await harness.sees(chatId, /^⏰ Reminder for Ann · .*\ntea$/);
    await helpers.ends('done');
  });

  test('can be deleted by two admins at once', async () => {
    await setStage();
    const { Ann: ann, Bob: bob } = harness.group(['Ann', 'Bob']);
    await remindDaily(bob);
    ann.writes('/tasks@switch_bot');
    await helpers.shows(ann, /Tasks in this group: 1\./);
    const label = /\[(⏰ tea[^\]]*)\]/.exec(harness.lines(ann.chatId).at(-1) ?? '')?.[1] ?? '';
    await ann.presses(label);
    await ann.presses('🗑 Delete');
    await helpers.shows(ann, /Yes, delete/);
    const hints = await Promise.all([ann.presses('Yes, delete'), ann.presses('Yes, delete')]);
    expect(hints.filter((hint) => hint === 'This task no longer exists.').length).toBeLessThanOrEqual(1);
    expect(await helpers.listTasks()).toEqual([]);
  });
});

/** Lets the model write an answer whose words come one step at a time. */
const beginAnswer = (ann: Actor) => {
  const steps = [createGate(), createGate()];
  harness.models.scripts.push(async (write, signal) => {
    write('Once upon');
    await steps[0]?.passed;
    write(' a time');
    await steps[1]?.passed;
    write(' a king');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw signal.reason;
  });
  ann.writes('A story, please');
  let taken = 0;
  return { resume: () => steps[taken++]?.open() };
};

describe('a run', () => {
  test('is skipped without quota, which the user is told once', async () => {
    await setStage({ plans: { poor: { user: { usdPerMonth: 0 } } } });
    const ann = await helpers.meet(harness.user('Ann'));
    await scheduleNews(ann);
    await harness.accounts.setPlan(await helpers.userIdOf(ann), 'poor');
    for (let run = 0; run < 2; run++) {
      await helpers.makeDue();
      await helpers.ends('skipped');
    }
    await harness.sees(ann.chatId, 'The task “News about space?” did not run: your limit is reached.');
    await harness.hasHandledAll();
    expect(findSaid(ann, /your limit is reached/)).toHaveLength(1);
    expect((await helpers.listTasks())[0]).toMatchObject({ state: 'active', failures: 0 });
  });

  test('fails with a notice if no model is connected; a reminder needs none', async () => {
    await setStage();
    const ann = await helpers.meet(harness.user('Ann'));
    await scheduleNews(ann);
    harness.models.models = [];
    await helpers.makeDue();
    await harness.sees(ann.chatId, 'The task “News about space?” did not run: no model is connected.');
    expect((await helpers.listRuns()).at(-1)).toMatchObject({ state: 'failed', reason: 'no-model' });
    ann.writes('/remind 1m tea');
    await harness.sees(ann.chatId, /^⏰ Reminder set\ntea/);
    await helpers.makeDue();
    await harness.sees(ann.chatId, /^⏰ Reminder · .*\ntea$/);
    await helpers.ends('done');
  });

  test('takes the default model if that of its conversation is gone', async () => {
    await setStage();
    const ann = await helpers.meet(harness.user('Ann'));
    await scheduleNews(ann);
    await helpers.makeDue();
    await harness.sees(ann.chatId, /You said: News about space\?/);
    await helpers.ends('done');
    const current = await harness.conversations.findCurrentConversation({ chatId: ann.chatId, topicId: undefined });
    await harness.conversations.setModel(current?.id ?? 0, 'basic');
    harness.models.models = [createModelEntry('clever')];
    await helpers.makeDue();
    await expect.poll(() => harness.models.requests.at(-1)?.model).toBe('clever');
    await helpers.ends('done');
  });

  test('cancels no task, and searches the web only once its user allows it, from then on', async () => {
    await setStage({ tools: { builtIn: BUILT_IN_TOOLS, webSearch: [{ kind: 'searxng', baseUrl: search.baseUrl }] } });
    const ann = await helpers.meet(harness.user('Ann'));
    await scheduleNews(ann);
    const [task] = await helpers.listTasks();
    harness.models.scripts.push([{ name: 'cancel_task', arguments: { id: task?.id } }]);
    await helpers.makeDue();
    await harness.sees(ann.chatId, /Delete this task\?/);
    harness.models.scripts.push(
      [{ name: 'web_search', arguments: { query: 'space news' } }],
      'A rocket.',
      [{ name: 'web_search', arguments: { query: 'rockets' } }],
      'Another rocket.',
    );
    await ann.presses('Keep it');
    await harness.sees(ann.chatId, /Search the web for this\?\n\nspace news\n/);
    expect(await helpers.listTasks()).toHaveLength(1);
    expect(searched).toEqual([]);
    await ann.presses('Always in this conversation');
    await harness.sees(ann.chatId, /A rocket\./);
    await harness.settles(ann.chatId);
    await helpers.makeDue();
    await harness.sees(ann.chatId, /Another rocket\./);
    expect(searched).toEqual(['space news', 'rockets']);
  });

  test('can be stopped half-way', async () => {
    await setStage();
    const ann = await helpers.meet(harness.user('Ann'));
    await scheduleNews(ann);
    harness.models.scripts.push(async (write, signal) => {
      write('A rocket is ');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    await helpers.makeDue();
    await harness.sees(ann.chatId, /A rocket is/);
    ann.writes('/stop');
    await helpers.ends('done');
    expect((await helpers.listTasks())[0]).toMatchObject({ state: 'active', failures: 0 });
  });

  test('of a reminder is sent at once beside a running answer, and /stop and the button leave it', async () => {
    await setStage();
    const ann = await helpers.meet(harness.user('Ann'));
    ann.writes('/remind every day 9:00 tea');
    await helpers.shows(ann, /⏰ Reminder set/);
    const answering = beginAnswer(ann);
    await harness.sees(ann.chatId, /^Once upon/);
    for (let waiting = 0; waiting < 5; waiting++) ann.writes(`Also ${waiting}`);
    await harness.hasHandledAll();
    await helpers.makeDue();
    await harness.sees(ann.chatId, /^⏰ Reminder · .*\ntea$/);
    await helpers.ends('done');
    answering.resume();
    await expect
      .poll(() => harness.lines(ann.chatId).join('\n'))
      .toMatch(/Once upon a time \[Stop\] \[Discard 1 waiting\]/);
    ann.writes('/stop');
    await harness.sees(ann.chatId, /^Stopped\./);
    expect(findSaid(ann, /^⏰ Reminder ·/)).toHaveLength(1);
  });

  test('that waits for an answer is not among the messages to discard', async () => {
    await setStage();
    const ann = await helpers.meet(harness.user('Ann'));
    await scheduleNews(ann);
    const answering = beginAnswer(ann);
    await harness.sees(ann.chatId, /^Once upon/);
    await helpers.makeDue();
    await expect.poll(async () => (await helpers.listRuns()).at(-1)?.state).toBe('started');
    answering.resume();
    await harness.sees(ann.chatId, /^Once upon a time/);
    expect(harness.buttons(ann.chatId)).toBe('Stop');
    ann.writes('And tea?');
    await harness.hasHandledAll();
    answering.resume();
    await expect.poll(() => harness.buttons(ann.chatId)).toBe('Stop Discard 1 waiting');
    expect(await ann.presses('Discard 1 waiting')).toBe('1 waiting message was discarded.');
    ann.writes('/stop');
    await harness.sees(ann.chatId, /^Stopped\.$/);
    await harness.sees(ann.chatId, /^⏰ News about space\?.*\n.*You said: News about space\?$/s);
    await helpers.ends('done');
    expect(findSaid(ann, /You said: And tea/)).toEqual([]);
  });

  test('is skipped if its user stops it before its first words', async () => {
    await setStage();
    const ann = await helpers.meet(harness.user('Ann'));
    await scheduleNews(ann);
    harness.models.scripts.push(async (_write, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    const asked = harness.models.requests.length;
    await helpers.makeDue();
    await expect.poll(() => harness.models.requests.length).toBe(asked + 1);
    ann.writes('/stop');
    await helpers.ends('skipped');
    expect((await helpers.listRuns()).at(-1)).toMatchObject({ reason: 'stopped', notice: null });
    expect((await helpers.listTasks())[0]).toMatchObject({ state: 'active', failures: 0 });
    ann.writes('/tasks');
    await helpers.shows(ann, /task in this chat/);
    await ann.presses(/\[([^\]]*News about space[^\]]*)\]/.exec(harness.lines(ann.chatId).at(-1) ?? '')?.[1] ?? '');
    await ann.presses('History');
    await harness.sees(ann.chatId, /1\. .*: ⏭ skipped, stopped by you$/);
  });

  test('does not take place for a banned user, who is not told', async () => {
    await setStage();
    const ann = await helpers.meet(harness.user('Ann'));
    ann.writes('/remind every day 9:00 tea');
    await helpers.shows(ann, /Reminder set/);
    const before = harness.lines(ann.chatId);
    await harness.administration.ban({ ...BY_ADMIN, telegramId: ann.id });
    await helpers.makeDue();
    await helpers.ends('failed');
    await expect.poll(async () => (await helpers.listRuns()).at(-1)?.notice).toBe(null);
    expect((await helpers.listTasks())[0]).toMatchObject({ state: 'paused', pausedReason: 'not-allowed' });
    expect(harness.lines(ann.chatId)).toEqual(before);
  });

  test('has ended for its user as soon as its answer is complete', async () => {
    await setStage();
    const ann = await helpers.meet(harness.user('Ann'));
    ann.writes('/remind every day 8:00 stand-up');
    await helpers.shows(ann, /stand-up/);
    await ann.presses('Change or delete');
    for (const count of [1, 2, 3]) {
      expect(await ann.presses('▶️ Run now')).toBe('It starts now.');
      await expect.poll(() => findSaid(ann, /run by hand/).length).toBe(count);
      await harness.settles(ann.chatId);
    }
    await ann.presses('History');
    await harness.sees(ann.chatId, /^Runs of “stand-up”, the newest first:(\n\d\. .*: ✅ done, by hand){3}$/);
  });
});

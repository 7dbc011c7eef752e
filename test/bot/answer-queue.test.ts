import { describe, expect, test } from 'vitest';
import { AnswerQueue, type AnswerRequest, type QueuedAnswer } from '../../src/bot/answers/queue.ts';
import { toChatTopicKey } from '../../src/bot/kit/chats.ts';
import type { BotJobKind } from '../../src/bot/kit/feature.ts';
import type { BotServices } from '../../src/bot/kit/services.ts';
import { ChatLeases, ChatLostError } from '../../src/core/inbox/index.ts';
import { type Job, Jobs } from '../../src/core/jobs/index.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { createGate } from '../support/hosts/scripted-models.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';

const kitchen = { chatId: 1, topicId: undefined };
const garden = { chatId: 1, topicId: 9 };

function setUp(options: { maxWaiting?: number; maxChatTopics?: number } = {}) {
  const clock = createFakeClock();
  const log: string[] = [];
  const gates = new Map<number, ReturnType<typeof createGate>>();
  const dropped: number[] = [];
  const { logger, lines } = createRecordingLogger();
  const write = async (answer: QueuedAnswer, { stopSignal, takeoverSignal }: Job) => {
    log.push(`${answer.id} begins`);
    const gate = createGate();
    gates.set(answer.id, gate);
    stopSignal.addEventListener('abort', gate.open);
    takeoverSignal.addEventListener('abort', () => log.push(`${answer.id} taken over`));
    if (stopSignal.aborted) gate.open();
    await gate.passed;
    log.push(`${answer.id} ${stopSignal.aborted ? `stopped by ${stopSignal.reason.by}` : 'ends'}`);
    if (answer.id === 666) throw new Error('a bug');
    return undefined;
  };
  const kind: BotJobKind<AnswerRequest<QueuedAnswer>> = {
    name: 'answer',
    maxJobs: 2000,
    maxUserJobs: 2000,
    drop: async (_services, { answer }) => void dropped.push(answer.id),
  };
  const services = { clock, logger, chatLeases: new ChatLeases() } satisfies Partial<BotServices>;
  const jobs = new Jobs<BotServices, BotJobKind>(services as Partial<BotServices> as BotServices, [kind]);
  const queue = new AnswerQueue({ services: { jobs }, kind, write }, options);
  const submit = (id: number, chatTopic = kitchen as QueuedAnswer['chatTopic'], userId = 1, batch?: number) =>
    queue.submit({ chatTopic, userId, id, batch });
  const finish = async (id: number) => {
    gates.get(id)?.open();
    await clock.advance(0);
  };
  return { clock, dropped, log, lines, services, jobs, kind, queue, submit, finish };
}

describe('the answer queue', () => {
  test('runs jobs of one conversation in order, and of several conversations in parallel', async () => {
    const { log, jobs, submit, finish } = setUp();
    submit(1);
    submit(2);
    submit(3, garden);
    expect(log).toEqual(['1 begins', '3 begins']);
    expect(jobs.count()).toEqual({ answer: 3 });
    await finish(1);
    await finish(3);
    await finish(2);
    expect(log).toEqual(['1 begins', '3 begins', '1 ends', '2 begins', '3 ends', '2 ends']);
  });

  test('runs the jobs of a batch at the same time, before or after others', async () => {
    const { log, queue, submit, finish } = setUp();
    submit(1);
    for (const id of [2, 3]) submit(id, kitchen, 1, 7);
    submit(4);
    submit(5, kitchen, 1, 7);
    await finish(1);
    expect(log).toEqual(['1 begins', '1 ends', '2 begins', '3 begins', '5 begins']);
    submit(6, kitchen, 1, 7);
    expect(log.at(-1)).toBe('6 begins');
    expect(queue.countWaiting(kitchen, 1)).toBe(1);
    for (const id of [2, 3, 5]) await finish(id);
    expect(log).not.toContain('4 begins');
    await finish(6);
    expect(log.at(-1)).toBe('4 begins');
  });

  test('stops a batch without the other jobs', async () => {
    const { clock, log, queue, submit } = setUp();
    for (const id of [1, 2]) submit(id, kitchen, 1, 7);
    submit(3);
    expect(await queue.stop(kitchen, 1, { batch: 7 })).toEqual({ stoppedCount: 2, droppedCount: 0 });
    await clock.advance(0);
    expect(log.slice(2)).toEqual(['1 stopped by user', '2 stopped by user', '3 begins']);
  });

  test('reports when it is full', async () => {
    const { queue, submit, finish } = setUp({ maxWaiting: 2 });
    expect(queue.checkCapacity(kitchen)).toBe('at-once');
    submit(1);
    expect(queue.checkCapacity(kitchen)).toBe('waits');
    submit(2);
    submit(3);
    expect(queue.checkCapacity(kitchen)).toBe('full');
    await finish(1);
    expect(queue.checkCapacity(kitchen)).toBe('waits');
  });

  test('does not run jobs submitted after closing, and keeps their chats busy for the next process', async () => {
    const { jobs, log, submit } = setUp();
    await jobs.close();
    submit(1);
    expect(log).toEqual([]);
    expect([...jobs.listBusyChats()]).toEqual([kitchen.chatId]);
  });

  test('abandons all jobs of one chat, in all its topics', async () => {
    const { jobs, clock, log, submit } = setUp();
    submit(1);
    submit(2);
    submit(3, garden);
    submit(4, { chatId: 2, topicId: undefined });
    jobs.abandon(1);
    await clock.advance(0);
    expect(log.slice(3, 5)).toEqual(['1 taken over', '3 taken over']);
    expect(log.slice(5)).toEqual(['1 stopped by other-process', '3 stopped by other-process']);
    expect([...jobs.listBusyChats()]).toEqual([2]);
  });

  test('tells also a job that its user has stopped that another process has taken over', async () => {
    const { jobs, queue, clock, log, submit } = setUp();
    submit(1);
    const stopped = queue.stop(kitchen, 1);
    jobs.abandon(1);
    await stopped;
    await clock.advance(0);
    expect(log).toEqual(['1 begins', '1 taken over', '1 stopped by user']);
  });

  test('limits the number of parallel topics', async () => {
    const { queue, submit, finish } = setUp({ maxChatTopics: 1 });
    submit(1);
    expect(queue.checkCapacity(garden)).toBe('overloaded');
    await finish(1);
    expect(queue.checkCapacity(garden)).toBe('at-once');
  });

  test('runs a thousand topics in parallel by default', () => {
    const { log, queue, submit } = setUp();
    for (let chatId = 1; chatId <= 1000; chatId++) {
      expect(queue.checkCapacity({ chatId, topicId: undefined })).toBe('at-once');
      submit(chatId, { chatId, topicId: undefined });
    }
    expect(log).toHaveLength(1000);
    expect(queue.checkCapacity({ chatId: 1001, topicId: undefined })).toBe('overloaded');
  });

  test('stops the running and waiting jobs of the user who asked', async () => {
    const { dropped, log, queue, submit, finish } = setUp();
    submit(1);
    submit(2);
    submit(3, kitchen, 2);
    expect(await queue.stop(kitchen, 1)).toEqual({ stoppedCount: 1, droppedCount: 1 });
    expect(dropped).toEqual([2]);
    await finish(1);
    expect(log).toEqual(['1 begins', '1 stopped by user', '3 begins']);
  });

  test('sends reminders in order beside other jobs, and neither stops, counts nor drops them', async () => {
    const { dropped, log, jobs, queue, finish, submit } = setUp({ maxWaiting: 1 });
    const own = { chatTopic: kitchen, userId: 1 };
    submit(1);
    submit(2);
    expect(queue.checkCapacity(kitchen)).toBe('full');
    expect(queue.checkCapacity(kitchen, true)).toBe('at-once');
    for (const id of [8, 9]) queue.submit({ ...own, id, isReminder: true, staysQueued: true });
    expect(log).toEqual(['1 begins', '8 begins']);
    expect(queue.countWaiting(kitchen, 1)).toBe(1);
    expect(queue.listJobs(kitchen).map(({ id }) => id)).toEqual([1, 2]);
    expect(await queue.stop('everywhere', 1)).toEqual({ stoppedCount: 1, droppedCount: 1 });
    expect(dropped).toEqual([2]);
    expect(jobs.hasStoppable('everywhere', 1)).toBe(false);
    await finish(8);
    await finish(9);
    expect(log.slice(2)).toEqual(['1 stopped by user', '8 ends', '9 begins', '9 ends']);
    expect(jobs.listBusyChats().size).toBe(0);
  });

  test('keeps waiting jobs that stay queued, and counts those of a batch as one message', async () => {
    const { dropped, log, queue, finish, submit } = setUp();
    submit(1);
    queue.submit({ chatTopic: kitchen, userId: 1, id: 2, staysQueued: true });
    for (const answerId of [3, 4]) submit(answerId, kitchen, 1, 7);
    submit(5);
    expect(queue.countWaiting(kitchen, 1)).toBe(2);
    expect(await queue.dropWaiting(kitchen, 1)).toBe(2);
    expect(dropped).toEqual([3, 4, 5]);
    expect(queue.countWaiting(kitchen, 1)).toBe(0);
    expect(await queue.stop(kitchen, 1)).toEqual({ stoppedCount: 1, droppedCount: 0 });
    await finish(1);
    expect(log).toEqual(['1 begins', '1 stopped by user', '2 begins']);
  });

  test('goes on after a job that could not be recorded', async () => {
    const { jobs, kind, log, submit } = setUp();
    const recording = createGate();
    const answer = { chatTopic: kitchen, userId: 1, id: 1 };
    const request = { answer, userId: 1, chatTopic: kitchen, queue: toChatTopicKey(kitchen) };
    const recorded = jobs.recordAndStart(kind, request, async () => {
      await recording.passed;
      throw new Error('the database is away');
    });
    submit(2);
    expect(log).toEqual([]);
    recording.open();
    await expect(recorded).rejects.toThrow('the database is away');
    expect(log).toEqual(['2 begins']);
  });

  test('does not stop jobs of other users, other answers or other topics', async () => {
    const { log, queue, submit } = setUp();
    submit(1);
    const nothing = { stoppedCount: 0, droppedCount: 0 };
    expect(await queue.stop(kitchen, 2)).toEqual(nothing);
    expect(await queue.stop(kitchen, 1, { answerId: 99 })).toEqual(nothing);
    expect(await queue.stop(garden, 1)).toEqual(nothing);
    expect(log).toEqual(['1 begins']);
  });

  test('stops a job once', async () => {
    const { queue, submit } = setUp();
    submit(1);
    const [first, second] = await Promise.all([queue.stop(kitchen, 1), queue.stop(kitchen, 1)]);
    expect([first.stoppedCount, second.stoppedCount]).toEqual([1, 0]);
  });

  test('continues after a job that failed', async () => {
    const { log, lines, submit, finish } = setUp();
    submit(666);
    submit(2);
    await finish(666);
    expect(log.at(-1)).toBe('2 begins');
    expect(lines.join()).toContain('a bug');
  });

  test.each([
    [7, []],
    [undefined, ['sent']],
  ])('ends the work of a lost chat unless no other process would repeat it: job %s', async (id, expected) => {
    const { clock, log, services, jobs, kind } = setUp();
    const { chatLeases } = services;
    const lease = {
      chatQueue: kitchen.chatId,
      isLost: false,
      isInTime: () => true,
      isOwn: async () => true,
      lose() {},
    };
    const gate = createGate();
    chatLeases.run(lease, () =>
      jobs.start(kind as BotJobKind, { ...(id && { id }), userId: 1, chatTopic: kitchen }, async () => {
        await gate.passed;
        chatLeases.throwIfLost();
        log.push('sent');
      }),
    );
    lease.isLost = true;
    gate.open();
    await clock.advance(0);
    expect(log).toEqual(expected);
  });

  test('gives running jobs time at shutdown, then stops them and the waiting ones', async () => {
    const { clock, jobs, log, queue, submit, finish } = setUp();
    submit(1);
    submit(2, garden);
    submit(3, garden);
    const closed = jobs.close();
    expect(queue.checkCapacity(kitchen)).toBe('overloaded');
    await finish(1);
    await clock.advance(7999);
    expect(log).toEqual(['1 begins', '2 begins', '1 ends']);
    await clock.advance(1);
    await closed;
    expect(log.slice(3)).toEqual(['2 stopped by shutdown', '3 begins', '3 stopped by shutdown']);
  });

  test('does not wait for a job that does not end after its delivery was aborted, and leaves its chat to the next process', async () => {
    const { clock, jobs, lines } = setUp();
    const kind = jobs.kinds[0] ?? expect.fail('no kind');
    jobs.start(kind, { id: 1, userId: 1, chatTopic: kitchen }, () => new Promise<void>(() => {}));
    let isClosed = false;
    const closed = jobs.close().then(() => {
      isClosed = true;
    });
    await clock.advance(15_999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closed;
    expect([...jobs.listBusyChats()]).toEqual([kitchen.chatId]);
    expect(lines.join()).toContain('jobs did not end in time');
    expect(clock.pending).toBe(0);
  }, 5000);

  test('recovers a chat that is back although a job of its time before does not end', async () => {
    const { clock, lines, services } = setUp();
    const recovered: (readonly [number, number])[] = [];
    const kind = {
      name: 'sending',
      maxJobs: 9,
      maxUserJobs: 9,
      recordsSends: true,
      recover: async (_services: object, chatId: number) => void recovered.push([chatId, jobs.list(kind).length]),
    };
    const jobs = new Jobs(services, [kind]);
    jobs.start(kind, { id: 1, userId: 1, chatTopic: kitchen }, () => new Promise<void>(() => {}));
    jobs.abandon(kitchen.chatId);
    const recovering = jobs.recover(kitchen.chatId, new AbortController().signal);
    await clock.advance(29_999);
    expect(recovered).toEqual([]);
    await clock.advance(1);
    await recovering;
    expect(recovered).toEqual([[kitchen.chatId, 0]]);
    expect(lines.join()).toContain('jobs of a lost chat did not end in time');
    expect(clock.pending).toBe(0);
  }, 5000);

  test('prints nothing of a job whose chat another process has taken over', async () => {
    const { clock, jobs, lines } = setUp();
    const kind = jobs.kinds[0] ?? expect.fail('no kind');
    jobs.start(kind, { id: 1, userId: 1, chatTopic: kitchen }, async () => {
      throw new ChatLostError(kitchen.chatId);
    });
    await clock.advance(0);
    expect(jobs.count()).toEqual({ answer: 0 });
    expect(lines).toEqual([]);
  });

  test('leaves no timer when all jobs have ended in time', async () => {
    const { clock, jobs, submit, finish } = setUp();
    submit(1);
    const closed = jobs.close();
    await finish(1);
    await closed;
    expect(clock.pending).toBe(0);
  });
});

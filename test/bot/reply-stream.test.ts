import { describe, expect, it } from 'vitest';
import { ReplyUndeliverableError } from '../../src/bot/reply-stream/reply-stream.ts';
import { contentOf, createReplyHarness, paginate } from '../support/harness/replies.ts';
import type { Fate, ScriptedCall } from '../support/hosts/scripted-telegram.ts';

const STOP = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] };
const DONE = { inline_keyboard: [[{ text: 'Again', callback_data: 'again' }]] };
const LONG_WORDS = Array.from({ length: 12_000 }, (_, index) => `word${index}`);

/** Streams this many words per second and returns the streamed text. */
async function speak(
  stage: ReturnType<typeof createReplyHarness>,
  stream: ReturnType<ReturnType<typeof createReplyHarness>['stream']>,
  words: readonly string[],
  perSecond = 10,
): Promise<string> {
  let text = '';
  for (const word of words) {
    text += `${word} `;
    stream.update(text);
    await stage.clock.advance(1000 / perSecond);
  }
  return text;
}

describe('the first preview', () => {
  it('is sent at once', async () => {
    const stage = createReplyHarness();
    stage.stream().update('Good');
    await stage.clock.advance(0);
    expect(stage.calls('sendMessage')[0]?.at).toBe(stage.clock.now());
  });

  it('waits for four characters, unless the answer is shorter', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    stream.update('  Yes');
    await stage.clock.advance(5000);
    expect(stage.calls()).toHaveLength(0);
    await stage.settle(stream.finish('Yes'));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate('Yes'));
  });

  it('replies to the question in its topic, without link preview', async () => {
    const stage = createReplyHarness();
    stage.stream({ replyToMessageId: 3, topicId: 9 }).update('Good morning');
    await stage.clock.advance(100);
    expect(stage.calls()[0]?.payload).toMatchObject({
      reply_parameters: { message_id: 3, allow_sending_without_reply: true },
      message_thread_id: 9,
      link_preview_options: { is_disabled: true },
    });
  });

  it('is sent to the General topic of a forum without message_thread_id', async () => {
    const stage = createReplyHarness();
    stage.stream({ chatId: -100, isPrivate: false, topicId: 1 }).update('Good morning');
    await stage.clock.advance(100);
    expect(stage.calls()[0]?.payload).not.toHaveProperty('message_thread_id');
  });
});

describe('previews', () => {
  it.each([
    ['private chats', true, 850],
    ['groups', false, 3100],
  ])('keep their pace in %s, measured from the start of the last successful call', async (_name, isPrivate, paceMs) => {
    const stage = createReplyHarness({ latencyMs: 100 });
    const stream = stage.stream({ isPrivate, chatId: isPrivate ? 7 : -7 });
    await speak(stage, stream, LONG_WORDS.slice(0, 200), 20);
    const times = stage.calls().map((call) => call.at);
    expect(times.length).toBeGreaterThanOrEqual(Math.floor(10_000 / (paceMs + 300)));
    for (let n = 1; n < times.length; n++) {
      expect((times[n] ?? 0) - (times[n - 1] ?? 0)).toBeGreaterThanOrEqual(paceMs);
    }
  });

  it('are sent one at a time, with the newest text', async () => {
    const stage = createReplyHarness({ latencyMs: 5000 });
    const stream = stage.stream();
    await speak(stage, stream, LONG_WORDS.slice(0, 200), 20);
    const times = stage.calls().map((call) => call.at);
    for (let n = 1; n < times.length; n++) expect((times[n] ?? 0) - (times[n - 1] ?? 0)).toBeGreaterThanOrEqual(5000);
    expect(stage.calls()[1]?.payload['text']).toContain('word95');
  });

  it('make no edit when nothing has changed', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    for (let n = 0; n < 50; n++) {
      stream.update('The same words.');
      await stage.clock.advance(500);
    }
    await stage.settle(stream.finish('The same words.'));
    expect(stage.calls()).toHaveLength(1);
  });

  it('make no edit without effect while an answer overflows its page', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, { maxUnits: 200, streamingKeyboard: () => STOP });
    const refused: string[] = [];
    stage.telegram.decide(() => 'normal');
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 300), 20);
    await stage.settle(stream.finish(text));
    const seen = new Set<string>();
    for (const call of stage.calls('editMessageText')) {
      const { message_id, text: shown, entities, reply_markup } = call.payload;
      const key = JSON.stringify([message_id, shown, entities, reply_markup]);
      if (seen.has(key)) refused.push(key);
      seen.add(key);
    }
    expect(refused).toEqual([]);
  });

  it('have the streaming buttons below the last page only', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, { maxUnits: 100, streamingKeyboard: () => STOP });
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 60), 5);
    await stage.clock.advance(10_000);
    const keyboards = stage.telegram.transcript(7).map((message) => message.keyboard);
    expect(keyboards.length).toBeGreaterThan(3);
    expect(keyboards.at(-1)).toEqual(STOP);
    expect(keyboards.slice(0, -1).every((keyboard) => keyboard === undefined)).toBe(true);
    await stage.settle(stream.finish(text, { keyboard: DONE }));
    const after = stage.telegram.transcript(7).map((message) => message.keyboard);
    expect(after.slice(0, -1).every((keyboard) => keyboard === undefined)).toBe(true);
    expect(after.at(-1)).toEqual(DONE);
  });

  it('do not edit finished pages again, and send later pages silently', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, { maxUnits: 200 });
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 200), 10);
    await stage.settle(stream.finish(text));
    const messages = stage.telegram.transcript(7);
    expect(contentOf(messages)).toEqual(paginate(text, 200));
    expect(messages.map((message) => message.isSilent)).toEqual(messages.map((_, index) => index > 0));
    const ids = stage.calls('editMessageText').map((call) => Number(call.payload['message_id']));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('pause during retry_after and continue after it', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    stage.telegram.decide((call) => (call.index === 2 ? { status: 429, retryAfter: 8 } : 'normal'));
    await speak(stage, stream, LONG_WORDS.slice(0, 150), 10);
    const times = stage.calls().map((call) => call.at);
    expect((times[3] ?? 0) - (times[2] ?? 0)).toBeGreaterThanOrEqual(8000);
    expect((times[3] ?? 0) - (times[2] ?? 0)).toBeLessThan(10_000);
    expect(times.length).toBeGreaterThan(5);
  });
});

describe('finish', () => {
  it('resolves with the messages in order, each reported once', async () => {
    const stage = createReplyHarness();
    const reported: unknown[] = [];
    const stream = stage.stream({}, { maxUnits: 100, onDelivered: (page) => void reported.push(page) });
    const text = LONG_WORDS.slice(0, 50).join(' ');
    const pages = await stage.settle(stream.finish(text));
    expect(pages).toEqual(stage.telegram.transcript(7).map(({ messageId }, index) => ({ index, messageId })));
    expect(reported).toEqual(pages);
    expect(stream.delivered).toEqual(pages);
  });

  it('does not wait for the pace of previews', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({ chatId: -7, isPrivate: false });
    stream.update('The beginning');
    await stage.clock.advance(100);
    const finished = stream.finish('The beginning and the end.');
    await stage.clock.advance(100);
    await finished;
  });

  it('may be called twice', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    const [first, second] = [stream.finish('Once.'), stream.finish('Twice.')];
    await stage.settle(first);
    expect(await second).toEqual(await first);
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate('Once.'));
  });

  it('of an empty answer removes the preview', async () => {
    const stage = createReplyHarness();
    const removed: number[] = [];
    const stream = stage.stream({}, { onRemoved: (id) => void removed.push(id) });
    stream.update('Thinking about it');
    await stage.clock.advance(1000);
    const [shown] = stream.delivered;
    expect(await stage.settle(stream.finish(''))).toEqual([]);
    expect(stage.telegram.transcript(7)).toEqual([]);
    expect(removed).toEqual([shown?.messageId]);
    expect(await stage.settle(stage.stream().finish(' \n'))).toEqual([]);
  });

  it('replaces the preview when the final text differs', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, { maxUnits: 100 });
    await speak(stage, stream, LONG_WORDS.slice(0, 50), 5);
    await stage.settle(stream.finish('Something else, and shorter.'));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate('Something else, and shorter.', 100));
  });

  it('delivers 20 pages with emoji at page boundaries', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    const text = '👩‍👩‍👧‍👦'.repeat(7500);
    stream.update(text.slice(0, 30_001));
    await stage.clock.advance(5000);
    await stage.settle(stream.finish(text));
    const messages = stage.telegram.transcript(7);
    expect(messages.length).toBeGreaterThanOrEqual(20);
    expect(contentOf(messages)).toEqual(paginate(text));
    expect(messages.every((message) => message.text.isWellFormed())).toBe(true);
  });

  it('leaves no timer', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 30));
    await stage.settle(stream.finish(text));
    expect(stage.clock.pending).toBe(0);
  });
});

describe('faults', () => {
  const faults: [string, (call: ScriptedCall) => Fate][] = [
    ['a 429', () => ({ status: 429, retryAfter: 3 })],
    ['a server error', (call) => (call.method === 'sendMessage' ? 'refused' : { status: 500 })],
    [
      'a server error after execution',
      (call) => (call.method === 'sendMessage' ? 'normal' : { status: 502, isExecuted: true }),
    ],
    ['a lost response', (call) => (call.method === 'sendMessage' ? 'normal' : 'lost-answer')],
    ['an unreachable server', () => 'refused'],
    ['a missing response', (call) => (call.method === 'sendMessage' ? 'refused' : 'hang')],
    ['an edit that is executed late', (call) => (call.method === 'sendMessage' ? 'normal' : { late: 9000 })],
  ];

  it.each(faults)('%s at any single call does not change the result', async (_name, fate) => {
    for (let faulty = 0; faulty < 12; faulty++) {
      const stage = createReplyHarness();
      stage.telegram.decide((call) => (call.index === faulty ? fate(call) : 'normal'));
      const stream = stage.stream({}, { maxUnits: 150, streamingKeyboard: () => STOP });
      const text = await speak(stage, stream, LONG_WORDS.slice(0, 40), 5);
      await stage.settle(stream.finish(text, { keyboard: DONE }));
      await stage.clock.advance(30_000);
      expect(contentOf(stage.telegram.transcript(7)), `fault at call ${faulty}`).toEqual(paginate(text, 150));
    }
  });

  it('a 429 at every second call delays the answer and does not change it', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide((call) => (call.index % 2 === 0 ? { status: 429, retryAfter: 5 } : 'normal'));
    const stream = stage.stream({}, { maxUnits: 150 });
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 100), 10);
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text, 150));
  });

  it('a retry_after of an hour is waited out', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    stream.update('The beginning');
    await stage.clock.advance(3000);
    stage.telegram.decide((call) => (call.index === 1 ? { status: 429, retryAfter: 3600 } : 'normal'));
    await stage.settle(stream.finish('The beginning and the end.'));
    expect(stage.now()).toBeGreaterThan(3_600_000);
    expect(stage.calls()).toHaveLength(3);
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate('The beginning and the end.'));
  });

  it('a message that a user deleted is sent again, and pages stay in order', async () => {
    const stage = createReplyHarness();
    const removed: number[] = [];
    const stream = stage.stream({}, { maxUnits: 150, onRemoved: (id) => void removed.push(id) });
    const words = LONG_WORDS.slice(0, 60);
    await speak(stage, stream, words.slice(0, 30), 5);
    const last = stage.telegram.transcript(7).at(-1)?.messageId ?? 0;
    stage.telegram.deleteMessage(7, last);
    stream.update(words.slice(0, 40).join(' '));
    await stage.clock.advance(5000);
    const text = words.join(' ');
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text, 150));
    expect(removed).toEqual([last]);
  });

  it('a deleted page that must change is sent again with the pages after it', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, { maxUnits: 150 });
    await speak(stage, stream, LONG_WORDS.slice(0, 60), 5);
    const [first] = stage.telegram.transcript(7);
    stage.telegram.deleteMessage(7, first?.messageId ?? 0);
    const text = LONG_WORDS.slice(500, 560).join(' ');
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text, 150));
  });

  it('a message that can no longer be edited is replaced', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    stream.update('The beginning');
    await stage.clock.advance(3000);
    stage.telegram.decide((call) =>
      call.index === 1 ? { status: 400, description: "Bad Request: message can't be edited" } : 'normal',
    );
    await stage.settle(stream.finish('The beginning and the end.'));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate('The beginning and the end.'));
  });

  it('messages that a user keeps deleting are not sent forever', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    stage.telegram.decide((call) => {
      if (call.method === 'editMessageText') stage.telegram.deleteMessage(7, Number(call.payload['message_id']));
      return 'normal';
    });
    for (let n = 0; n < 100; n++) {
      stream.update(`Draft number ${n}`);
      await stage.clock.advance(1200);
    }
    await stage.settle(stream.finish('Final.')).catch(() => undefined);
    expect(stage.calls('sendMessage').length).toBeLessThan(15);
  });

  it('a deleted question does not lose the answer', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide((call) =>
      call.index === 0 ? { status: 400, description: 'Bad Request: message to be replied not found' } : 'normal',
    );
    await stage.settle(stage.stream({ replyToMessageId: 3 }).finish('The answer.'));
    expect(stage.telegram.transcript(7)).toMatchObject([{ text: 'The answer.', replyTo: undefined }]);
  });

  it('rejected formatting is dropped, and the text is sent', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide((call) =>
      (call.payload['entities'] as unknown[]).length > 0
        ? { status: 400, description: 'Bad Request: ENTITY_INVALID' }
        : 'normal',
    );
    await stage.settle(stage.stream().finish('Some **bold** words.'));
    const [page] = paginate('Some **bold** words.');
    expect(page?.entities).toHaveLength(1);
    expect(contentOf(stage.telegram.transcript(7))).toEqual([{ text: page?.text, entities: [] }]);
  });

  it('a callback that throws does not affect the answer', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream(
      {},
      {
        onDelivered: () => {
          throw new Error('no database');
        },
      },
    );
    await stage.settle(stream.finish('The answer.'));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate('The answer.'));
    expect(stage.lines.some((line) => line.includes('no database'))).toBe(true);
  });
});

describe('a send with a lost response', () => {
  const lose = (fate: Fate) => (call: ScriptedCall) => (call.index === 0 ? fate : 'normal');

  it.each<[string, Fate, number]>([
    ['arrived', 'lost-answer', 1],
    ['did not arrive', 'lost-request', 0],
    ['met a server error', { status: 502 }, 0],
  ])('is not repeated blindly: it %s', async (_name, fate, messageCount) => {
    const stage = createReplyHarness();
    stage.telegram.decide(lose(fate));
    const stream = stage.stream({}, { findLostSend: async () => 'unknown' });
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 50), 10);
    const error = await stage.settle(stream.finish(text)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ReplyUndeliverableError);
    expect(error).toMatchObject({ failure: { kind: 'unclear' }, delivered: [] });
    expect(stage.telegram.transcript(7)).toHaveLength(messageCount);
    expect(stage.calls()).toHaveLength(1);
  });

  it('is adopted when its message is found', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide(lose('lost-answer'));
    const stream = stage.stream(
      {},
      { findLostSend: async () => stage.telegram.transcript(7)[0]?.messageId ?? 'absent' },
    );
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 50), 10);
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text));
  });

  it('is repeated when it certainly did not arrive', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide(lose('lost-request'));
    const stream = stage.stream({}, { findLostSend: async () => 'absent' });
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 50), 10);
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text));
  });

  it('is searched for again at the end', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide(lose('lost-answer'));
    let asked = 0;
    const stream = stage.stream(
      {},
      {
        findLostSend: async () =>
          asked++ === 0 ? 'unknown' : (stage.telegram.transcript(7)[0]?.messageId ?? 'absent'),
      },
    );
    const text = await speak(stage, stream, LONG_WORDS.slice(0, 50), 10);
    expect(stage.calls()).toHaveLength(1);
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text));
  });
});

describe('an answer that cannot be delivered', () => {
  it('stops, reports once and makes no further calls when the user blocked the bot', async () => {
    const stage = createReplyHarness();
    const reasons: string[] = [];
    const stream = stage.stream({}, { onUndeliverable: (failure) => void reasons.push(failure.kind) });
    await speak(stage, stream, LONG_WORDS.slice(0, 20), 10);
    stage.telegram.block(7);
    await speak(stage, stream, LONG_WORDS.slice(0, 100), 10);
    const callCount = stage.calls().length;
    expect(reasons).toEqual(['blocked']);
    const error = await stage.settle(stream.finish('The end.')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ReplyUndeliverableError', failure: { kind: 'blocked' } });
    expect(stage.calls()).toHaveLength(callCount);
  });

  it('gives up when Telegram stays unreachable', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide(() => 'refused');
    const error = await stage
      .settle(stage.stream({}, { maxFailedTries: 5 }).finish('The end.'))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ failure: { kind: 'not-sent' } });
    expect(stage.calls()).toHaveLength(6);
  });

  it('stays as shown when it is abandoned', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    await speak(stage, stream, LONG_WORDS.slice(0, 20), 10);
    await stage.settle(stream.abandon());
    const before = stage.telegram.transcript(7);
    stream.update('More');
    const error = await stage.settle(stream.finish('The end.')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ failure: { kind: 'aborted' }, delivered: [{ index: 0 }] });
    expect(stage.telegram.transcript(7)).toEqual(before);
    expect(stage.clock.pending).toBe(0);
  });

  it('is abandoned even while it waits for retry_after', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide(() => ({ status: 429, retryAfter: 3600 }));
    const stream = stage.stream();
    const finished = stream.finish('The end.').catch((thrown: unknown) => thrown);
    await stage.clock.advance(1000);
    await stage.settle(stream.abandon(), 3000);
    expect(await finished).toMatchObject({ failure: { kind: 'aborted' } });
  });

  it('that is abandoned first waits for the call in flight, so that its message is known', async () => {
    const stage = createReplyHarness({ latencyMs: 1500 });
    const delivered: number[] = [];
    const stream = stage.stream({}, { onDelivered: (page) => void delivered.push(page.messageId) });
    stream.update('The beginning');
    await stage.clock.advance(100);
    await stage.settle(stream.abandon());
    expect(delivered).toEqual(stage.telegram.transcript(7).map((message) => message.messageId));
  });
});

describe('parallel answers', () => {
  it('in one chat arrive completely and within its rate limit', async () => {
    const stage = createReplyHarness();
    const streams = [stage.stream({}, { maxUnits: 300 }), stage.stream({}, { maxUnits: 300 })];
    const texts = [LONG_WORDS.slice(0, 150), LONG_WORDS.slice(500, 650)].map((words) => words.join(' '));
    for (let n = 1; n <= 100; n++) {
      streams.forEach((stream, which) => {
        stream.update(texts[which]?.slice(0, n * 12) ?? '');
      });
      await stage.clock.advance(100);
    }
    const pages = await stage.settle(Promise.all(streams.map((stream, which) => stream.finish(texts[which] ?? ''))));
    const messages = stage.telegram.transcript(7);
    pages.forEach((delivered, which) => {
      const own = messages.filter(({ messageId }) => delivered.some((page) => page.messageId === messageId));
      expect(contentOf(own)).toEqual(paginate(texts[which] ?? '', 300));
    });
    expect(messages).toHaveLength(pages.flat().length);
    const times = stage.calls().map((call) => call.at);
    for (let n = 10; n < times.length; n++) expect((times[n] ?? 0) - (times[n - 10] ?? 0)).toBeGreaterThanOrEqual(7000);
  });

  it('in a hundred chats arrive within the rate limit of the token', async () => {
    const stage = createReplyHarness();
    const streams = Array.from({ length: 100 }, (_, index) => stage.stream({ chatId: index + 1 }));
    for (let n = 1; n <= 30; n++) {
      for (const stream of streams) stream.update(LONG_WORDS.slice(0, n * 5).join(' '));
      await stage.clock.advance(200);
    }
    const text = LONG_WORDS.slice(0, 200).join(' ');
    await stage.settle(Promise.all(streams.map((stream) => stream.finish(text))));
    for (let chat = 1; chat <= 100; chat++) expect(contentOf(stage.telegram.transcript(chat))).toEqual(paginate(text));
    const times = stage.calls().map((call) => call.at);
    for (let n = 30; n < times.length; n++) expect((times[n] ?? 0) - (times[n - 30] ?? 0)).toBeGreaterThanOrEqual(1000);
    // 30 calls a second reach each chat with its first text within seconds.
    const firstSends = stage.calls('sendMessage').map((call) => call.at);
    expect((firstSends[99] ?? 0) - (firstSends[0] ?? 0)).toBeLessThan(6000);
  });
});

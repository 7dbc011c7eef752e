import { describe, expect, it } from 'vitest';
import { contentOf, createReplyHarness, paginate } from '../support/harness/replies.ts';
import type { Fate, ScriptedCall } from '../support/hosts/scripted-telegram.ts';

const STOP = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] };
const DRAFT = { draftId: 77, streamingKeyboard: () => STOP };

type Stage = ReturnType<typeof createReplyHarness>;

/** Streams a text in steps of this many characters, one every 100 ms. */
async function type(stage: Stage, stream: ReturnType<Stage['stream']>, text: string, step: number): Promise<void> {
  for (let length = step; length < text.length; length += step) {
    stream.update(text.slice(0, length));
    await stage.clock.advance(100);
  }
}

const isDraft = (call: ScriptedCall) => call.method === 'sendMessageDraft';
const textOf = (call: ScriptedCall) => String(call.payload['text']);

describe('a reply streamed as a native draft', () => {
  it('grows in one draft with a Stop button, and becomes one message', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({ topicId: 9 }, DRAFT);
    const text = 'Bees **dance** to tell where flowers are. '.repeat(10);
    await type(stage, stream, text, 10);
    expect(stage.telegram.transcript(7)).toEqual([]);
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text));
    const drafts = stage.calls('sendMessageDraft');
    expect(drafts.length).toBeGreaterThan(3);
    expect(stage.calls()).toHaveLength(drafts.length + 1);
    for (const { payload } of drafts)
      expect(payload).toMatchObject({ chat_id: 7, message_thread_id: 9, draft_id: 77, can_stop: true });
    expect(drafts.some(({ payload }) => JSON.stringify(payload['entities']).includes('bold'))).toBe(true);
  });

  it('equals the message that replaces it', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, DRAFT);
    stream.update('Good morn');
    await stage.clock.advance(2000);
    await stage.settle(stream.finish('Good morning, **dear** reader'));
    const [message] = stage.telegram.transcript(7);
    const last = stage.calls('sendMessageDraft').at(-1);
    expect(last?.payload).toMatchObject({ text: message?.text, entities: message?.entities });
    expect(stage.calls().at(-1)?.method).toBe('sendMessage');
  });

  it('is kept alive while the model sends nothing', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, DRAFT);
    stream.update('Let me think');
    await stage.clock.advance(100_000);
    const times = stage.calls('sendMessageDraft').map(({ at }) => at);
    expect(times.length).toBeGreaterThanOrEqual(5);
    for (const [index, at] of times.entries()) expect(at - (times[index - 1] ?? at)).toBeLessThan(30_000);
    await stage.settle(stream.finish('Let me think'));
    await stage.clock.advance(100_000);
    expect(stage.calls().at(-1)?.method).toBe('sendMessage');
  });

  it('of several pages sends complete pages as messages, each after a draft with the same beginning', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, DRAFT);
    const text = Array.from({ length: 1500 }, (_, index) => `word${index}`).join(' ');
    await type(stage, stream, text, 90);
    expect(stage.telegram.transcript(7).length).toBeGreaterThan(0);
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text));
    let draft = '';
    for (const call of stage.calls()) {
      if (isDraft(call)) draft = textOf(call);
      else expect(textOf(call).startsWith(draft)).toBe(true);
      if (!isDraft(call)) draft = '';
    }
    expect(stage.calls('editMessageText')).toEqual([]);
  });

  it('falls back to edits when the chat does not accept drafts', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide((call) =>
      isDraft(call) ? { status: 400, description: 'Bad Request: TEXTDRAFT_PEER_INVALID' } : 'normal',
    );
    const stream = stage.stream({}, DRAFT);
    const text = 'Bees dance to tell where flowers are. '.repeat(10);
    await type(stage, stream, text, 10);
    expect(stage.telegram.transcript(7)[0]?.keyboard).toEqual(STOP);
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text));
    expect(stage.calls('sendMessageDraft')).toHaveLength(1);
    expect(stage.calls('editMessageText').length).toBeGreaterThan(1);
  });

  it('makes no calls during retry_after and arrives completely', async () => {
    const stage = createReplyHarness();
    stage.telegram.decide((call) => (call.index === 2 ? { status: 429, retryAfter: 5 } : 'normal'));
    const stream = stage.stream({}, DRAFT);
    const text = 'Bees dance to tell where flowers are. '.repeat(20);
    await type(stage, stream, text, 10);
    await stage.settle(stream.finish(text));
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text));
    const [refused, next] = stage.calls().slice(2);
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(5000);
  });

  it('does not wait for a draft call that hangs', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, DRAFT);
    stream.update('Good morn');
    await stage.clock.advance(2000);
    stage.telegram.decide((call) => (isDraft(call) ? 'hang' : 'normal'));
    const before = stage.now();
    await stage.settle(stream.finish('Good morning'));
    expect(stage.now() - before).toBeLessThan(4000);
    expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate('Good morning'));
  });

  describe.each<[string, Fate]>([
    ['a 429', { status: 429, retryAfter: 3 }],
    ['a 500', { status: 500 }],
    ['a 400', { status: 400 }],
    ['a lost request', 'lost-request'],
    ['a lost response', 'lost-answer'],
    ['no response', 'hang'],
    ['a refused connection', 'refused'],
    ['a late execution', { late: 4000 }],
  ])('with %s', (_name, fate) => {
    it.each([0, 1, 2, 3, 4, 5])('at draft %i arrives completely and once', async (unlucky) => {
      const stage = createReplyHarness();
      let count = 0;
      stage.telegram.decide((call) => (isDraft(call) && count++ === unlucky ? fate : 'normal'));
      const stream = stage.stream({}, DRAFT);
      const text = 'Bees **dance** to tell where flowers are. '.repeat(12);
      await type(stage, stream, text, 10);
      await stage.settle(stream.finish(text));
      expect(count).toBeGreaterThan(unlucky);
      expect(contentOf(stage.telegram.transcript(7))).toEqual(paginate(text));
    });
  });

  it('reports at once that the user blocked the bot', async () => {
    const stage = createReplyHarness();
    stage.telegram.block(7);
    const failures: string[] = [];
    const stream = stage.stream({}, { ...DRAFT, onUndeliverable: ({ kind }) => failures.push(kind) });
    stream.update('Good morning');
    await stage.clock.advance(1000);
    expect(failures).toEqual(['blocked']);
  });

  it.each([
    ['in groups', { chatId: -7, isPrivate: false }, {}],
    ['when existing messages are replaced', {}, { initialMessageIds: [100] }],
  ])('uses no drafts %s', async (_name, target, more) => {
    const stage = createReplyHarness();
    const stream = stage.stream(target, { ...DRAFT, ...more });
    await type(stage, stream, 'Good morning to all of you here', 5);
    await stage.settle(stream.finish('Good morning to all of you here'));
    expect(stage.calls('sendMessageDraft')).toEqual([]);
    expect(stage.calls().length).toBeGreaterThan(1);
  });
});

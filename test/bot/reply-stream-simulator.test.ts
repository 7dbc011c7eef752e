import { createSimulator, type FaultKind, listenSimulator } from 'telegram-bot-simulator';
import { afterEach, describe, expect, it } from 'vitest';
import { createRichSupport } from '../../src/bot/reply-stream/page-formats.ts';
import { ReplyStream, type ReplyStreamOptions } from '../../src/bot/reply-stream/reply-stream.ts';
import { sleep } from '../../src/lib/clock.ts';
import { createTelegramClient } from '../../src/telegram/telegram-client.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { contentOf, paginate } from '../support/harness/replies.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const TOKEN = '424242:AAsimulatedsimulatedsimulatedsimulated';
const STOP = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] };
const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Runs at real speed, but waits for a busy machine, so no call is late because of that. */
const clock = createFastClock(1);

/** A bot that talks to a simulated Telegram over HTTP. Without limits, pacing is fast. */
async function createStage(limits: 'telegram' | 'off', botApiVersion?: '10.0' | '10.1') {
  const simulator = createSimulator({
    clock,
    botApiVersion,
    limits,
    bots: [{ token: TOKEN, username: 'test_bot', firstName: 'Test' }],
  });
  const server = await listenSimulator(simulator);
  closers.push(() => server.close());
  const { logger } = createRecordingLogger();
  const loose = { burst: 1000, refillMs: 1 };
  const client = createTelegramClient(
    { token: TOKEN, apiRoot: server.url, clock, logger },
    limits === 'telegram'
      ? {}
      : { timeoutMs: 5000, previewTimeoutMs: 300, flood: { privateChat: loose, group: loose, token: loose } },
  );
  closers.push(() => client.close());
  const { control } = simulator;
  return {
    control,
    createChat: () => control.createChat({ type: 'private' }).id,
    createGroup: () => control.createChat({ type: 'group', title: 'Friends' }).id,
    stream: (chatId: number, options: ReplyStreamOptions = {}, replyToMessageId?: number) =>
      new ReplyStream(
        { client, clock, logger },
        { chatId, isPrivate: chatId > 0, replyToMessageId, isInChain: replyToMessageId !== undefined },
        { ...(limits === 'off' ? { paceMs: 20 } : {}), ...options },
      ),
    contentOf: (chatId: number) =>
      contentOf(
        control.transcript(chatId).map(({ message }) => ({
          messageId: message.message_id,
          text: message.text ?? '',
          entities: message.entities ?? [],
          keyboard: message.reply_markup,
          isSilent: false,
          replyTo: undefined,
        })),
      ),
  };
}

/** Returns about `pages` pages of 300 units with formatting. */
function createText(seed: string, pages: number): string {
  return Array.from({ length: pages * 6 }, (_, n) => `Line ${n} of **${seed}** has \`code\` and 🦊 in it.`).join(
    '\n\n',
  );
}

async function speak(stream: ReplyStream, text: string, durationMs: number): Promise<void> {
  const steps = Math.ceil(durationMs / 20);
  for (let step = 1; step <= steps; step++) {
    stream.update(text.slice(0, Math.ceil((text.length * step) / steps)));
    await sleep(clock, 20);
  }
}

const ANYWHERE: readonly FaultKind[] = [
  { type: 'flood', retryAfterSeconds: 1 },
  { type: 'slow', delayMs: 200 },
  { type: 'message-vanishes' },
];
const ON_EDITS: readonly FaultKind[] = [
  { type: 'error', status: 500 },
  { type: 'error', status: 502 },
  { type: 'no-answer' },
  { type: 'no-answer', takesEffect: true },
  { type: 'reset-before' },
  { type: 'reset-after' },
  { type: 'garbage' },
];

describe('a reply stream to a simulated Telegram', () => {
  it('shows exactly the answer after each kind of fault at each call', EXHAUSTIVE, async () => {
    const stage = await createStage('off');
    const runs = [
      ...ANYWHERE.map((kind) => ({ kind, method: '*' })),
      ...ON_EDITS.map((kind) => ({ kind, method: 'editMessageText' })),
    ].flatMap((fault) => Array.from({ length: 6 }, (_, skip) => ({ ...fault, skip })));
    await Promise.all(
      runs.map(async ({ kind, method, skip }, index) => {
        const chatId = stage.createChat();
        stage.control.injectFault({ method, kind, skip, match: { chat_id: chatId } });
        const stream = stage.stream(chatId, { maxUnits: 300, streamingKeyboard: () => STOP });
        const text = createText(`run ${index}`, 3);
        await speak(stream, text, 600);
        const delivered = await stream.finish(text);
        const name = `${JSON.stringify(kind)} at call ${skip} of ${method}`;
        expect(stage.contentOf(chatId), name).toEqual(paginate(text, 300));
        expect(delivered.map((page) => page.messageId)).toEqual(
          stage.control.transcript(chatId).map(({ message }) => message.message_id),
        );
        expect(
          stage.control.transcript(chatId).every(({ message }) => !message.reply_markup),
          name,
        ).toBe(true);
      }),
    );
  });

  it.each([
    ['streamed', true],
    ['complete', false],
  ])('delivers a %s answer completely when the replied-to message is deleted', async (_, isStreamed) => {
    const stage = await createStage('off');
    const chatId = stage.createChat();
    const question = stage.control.sendMessage(chatId, { text: 'question' }).message.message_id;
    stage.control.injectFault({ method: 'sendMessage', kind: { type: 'reply-target-vanishes' } });
    const stream = stage.stream(chatId, { maxUnits: 300 }, question);
    const text = createText('the answer', 3);
    if (isStreamed) await speak(stream, text, 300);
    await stream.finish(text);
    expect(stage.contentOf(chatId)).toEqual(paginate(text, 300));
    const replies = stage.control.transcript(chatId).map(({ message }) => message.reply_to_message?.message_id);
    expect([replies[0], typeof replies[1]]).toEqual([undefined, 'number']);
  });

  it.each(['10.0', '10.1'] as const)(
    'sends plain text in place of tables to a server of version %s',
    async (version) => {
      const stage = await createStage('off', version);
      const richSupport = createRichSupport();
      for (const hasPreview of [false, true]) {
        const chatId = stage.createChat();
        const stream = stage.stream(chatId, { richSupport });
        if (hasPreview) await speak(stream, 'The prices', 100);
        await stream.finish('The prices:\n\n| Thing | Price |\n|---|--:|\n| Tea | $5 |');
        const [{ message } = {}, ...others] = stage.control.transcript(chatId);
        expect(message?.text).toContain('Tea   |    $5');
        expect(others).toEqual([]);
      }
      expect(richSupport.isSupported).toBe(false);
    },
  );

  it('delivers an answer of 20 full pages', async () => {
    const stage = await createStage('off');
    const chatId = stage.createChat();
    const stream = stage.stream(chatId);
    const text = createText('a long story', 400);
    await speak(stream, text, 1000);
    const delivered = await stream.finish(text);
    expect(delivered.length).toBeGreaterThanOrEqual(20);
    expect(stage.contentOf(chatId)).toEqual(paginate(text));
  });

  it('sends a message again that a user deleted while it was growing', async () => {
    const stage = await createStage('off');
    const chatId = stage.createChat();
    const stream = stage.stream(chatId);
    const text = createText('what was deleted', 2);
    const spoken = speak(stream, text, 400);
    const [first] = await stage.control.waitFor(() => {
      const messages = stage.control.transcript(chatId);
      return messages.length > 0 && messages;
    });
    stage.control.deleteMessage(chatId, first?.message.message_id ?? 0);
    await spoken;
    await stream.finish(text);
    expect(stage.contentOf(chatId)).toEqual(paginate(text));
  });

  it('stops and makes no further calls when the user blocks the bot', async () => {
    const stage = await createStage('off');
    const chatId = stage.createChat();
    const reasons: string[] = [];
    const stream = stage.stream(chatId, { onUndeliverable: (failure) => void reasons.push(failure.kind) });
    const text = createText('unwanted words', 4);
    const spoken = speak(stream, text, 400);
    await stage.control.waitFor(() => stage.control.calls('editMessageText').length > 1);
    stage.control.changeBot(chatId, { action: 'block' });
    await spoken;
    expect(reasons).toEqual(['blocked']);
    const callCount = stage.control.calls().length;
    await expect(stream.finish(text)).rejects.toMatchObject({ failure: { kind: 'blocked' } });
    expect(stage.control.calls()).toHaveLength(callCount);
  });

  it('delivers many parallel answers, two of them in one chat, within Telegram’s limits', async () => {
    const stage = await createStage('telegram');
    const shared = stage.createChat();
    const chatIds = [shared, shared, stage.createGroup(), ...Array.from({ length: 20 }, () => stage.createChat())];
    const runs = chatIds.map((chatId, index) => ({
      chatId,
      text: createText(`chat ${index}`, 2),
      stream: stage.stream(chatId),
    }));
    await Promise.all(runs.map(({ stream, text }) => speak(stream, text, 5000)));
    const delivered = await Promise.all(runs.map(({ stream, text }) => stream.finish(text)));
    for (const { chatId, text } of runs.slice(2)) expect(stage.contentOf(chatId)).toEqual(paginate(text));
    const expected = runs.slice(0, 2).flatMap(({ text }) => paginate(text).map((page) => page.text));
    const shown = stage.contentOf(shared).map(({ text }) => text);
    expect(shown.toSorted()).toEqual(expected.toSorted());
    expect(delivered.flat()).toHaveLength(chatIds.length);
    // The pace depends on the clock, so on a busy machine a call may be slightly early.
    const calls = stage.control.calls();
    expect(calls.filter((call) => call.status === 429).length).toBeLessThan(calls.length / 10);
  });
});

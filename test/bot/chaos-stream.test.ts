import { createSimulator } from 'telegram-bot-simulator';
import { afterAll } from 'vitest';
import { ReplyStream, ReplyUndeliverableError } from '../../src/bot/reply-stream/reply-stream.ts';
import { sleep } from '../../src/lib/clock.ts';
import { createTelegramClient } from '../../src/telegram/telegram-client.ts';
import {
  createFormattedAnswer,
  createPlainAnswer,
  createShrinkingAnswer,
  findDifference,
} from '../support/chaos/answers.ts';
import {
  CALLS_OF_A_REMOVAL,
  CALLS_OF_PAGES,
  type ChaosResult,
  type ChaosRun,
  findCallsInFloods,
  injectFaults,
} from '../support/chaos/faults.ts';
import { listMixes } from '../support/chaos/mixes.ts';
import { describeFaults, testMixes } from '../support/chaos/suite.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { createDirectFetch } from '../support/hosts/direct-fetch.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';

const TOKEN = '424242:AAsimulatedsimulatedsimulatedsimulated';

const STOP = { inline_keyboard: [[{ text: 'Stop', callback_data: 'stop' }]] };

const LATENCY_MS = 60;

const PIECE_MS = 200;

const STEP_MS = 1000;

const MOST_MS = 4 * 3_600_000;

const AFTERMATH_MS = 30_000;

/** The same faults on the reply stream alone. This is faster than with the whole bot, so there are more mixes. */
const PAGE_UNITS = 400;
const streams = createChaosStreams(PAGE_UNITS);
afterAll(() => streams.close());

const CALLS = CALLS_OF_PAGES.filter(({ name }) => name !== 'typing');

describeFaults('the reply stream alone', streams.run, [
  ['plain text', createPlainAnswer('Ann', 1000), CALLS],
  ['formatted text', createFormattedAnswer('Bob', 1000), CALLS],
  ['text that becomes shorter at the end', createShrinkingAnswer('Cleo', PAGE_UNITS), CALLS_OF_A_REMOVAL],
]);

testMixes(listMixes(400, PAGE_UNITS), 40, streams.run);

/** Creates reply streams without the bot, on a fake clock, with injected failures of Telegram. */
function createChaosStreams(maxUnits: number) {
  const clock = createFakeClock();
  const simulator = createSimulator({
    clock,
    limits: 'telegram',
    bots: [{ token: TOKEN, username: 'test_bot', firstName: 'Test' }],
  });
  const { control } = simulator;
  const { logger, lines } = createRecordingLogger();
  const fetch = createDirectFetch({ simulator, clock, latencyMs: LATENCY_MS });
  const client = createTelegramClient({ token: TOKEN, clock, logger }, { fetch });

  return {
    /** Streams the answer to a new chat, with pages of at most `maxUnits`. */
    async run({ answer, chatKind = 'private', writingMs = 6000, faults = [] }: ChaosRun): Promise<ChaosResult> {
      const { chatId, topicId } = createChat(chatKind);
      injectFaults(control, chatId, faults);
      const stopping = new AbortController();
      const stream = new ReplyStream(
        { client, clock, logger },
        { chatId, topicId, isPrivate: chatId > 0 },
        { maxUnits, streamingKeyboard: () => STOP, onUndeliverable: () => stopping.abort() },
      );
      let hasWritten = false;
      const write = async () => {
        const count = Math.ceil(writingMs / PIECE_MS);
        for (let piece = 1; piece <= count; piece++) {
          stream.update(answer.markdown.slice(0, Math.ceil((answer.markdown.length * piece) / count)));
          await sleep(clock, PIECE_MS, stopping.signal);
        }
        hasWritten = true;
      };
      let end: 'delivered' | 'undeliverable' | undefined;
      const deliver = async () => {
        await write().catch(() => {});
        end = await stream.finish(answer.markdown).then(
          () => 'delivered',
          (error: unknown) => {
            if (error instanceof ReplyUndeliverableError) return 'undeliverable';
            throw error;
          },
        );
      };
      const delivering = deliver();
      for (let passedMs = 0; !end && passedMs < MOST_MS; passedMs += STEP_MS) await clock.advance(STEP_MS);
      await stream.abandon();
      await delivering;
      await clock.advance(AFTERMATH_MS);
      control.clearFaults();

      const calls = control.calls().filter(({ params }) => params['chat_id'] === chatId);
      const messages = control.transcript(chatId).flatMap(({ message }) => (message.from?.is_bot ? [message] : []));
      const isCut = calls.some(({ status }) => status === 403);
      const shown = messages.map(({ text = '', entities = [] }) => ({ text, entities }));
      const difference = findDifference(shown, answer, { isCut, maxUnits });
      const ids = stream.delivered.map(({ messageId }) => messageId);
      return {
        wrong: [
          ...(end ? [] : ['the stream does not come to an end']),
          ...(difference === undefined ? [] : [difference]),
          ...(isCut === (end === 'undeliverable') ? [] : [`the stream says ${end}`]),
          ...(isCut && !hasWritten && !stopping.signal.aborted ? ['the model goes on'] : []),
          ...(!isCut && messages.some((message) => message.reply_markup) ? ['a button is left'] : []),
          ...(isCut || String(ids) === String(messages.map(({ message_id }) => message_id))
            ? []
            : ['other messages are told of']),
          ...findCallsInFloods(calls),
          ...(clock.pending === 0 ? [] : [`${clock.pending} timers are left`]),
        ],
        shown: shown.map(({ text }) => text),
        calls,
      };
    },
    lines,
    close() {
      client.close();
      simulator.close();
    },
  };

  function createChat(chatKind: ChaosRun['chatKind']): { chatId: number; topicId?: number | undefined } {
    if (chatKind === 'private') return { chatId: control.createChat({ type: 'private' }).id };
    const type = chatKind === 'topic' ? 'forum' : (chatKind ?? 'group');
    const chatId = control.createChat({ type, title: 'Friends', person: { firstName: 'Ann' } }).id;
    if (chatKind !== 'topic') return { chatId };
    return { chatId, topicId: control.createTopic({ chatId, name: 'Talk' }).topics[0]?.id };
  }
}

import { setTimeout as sleepReally } from 'node:timers/promises';
import type { Message } from '@grammyjs/types';
import type { LoggedCall } from 'telegram-bot-simulator';
import { describe, expect } from 'vitest';
import { sleep } from '../../src/lib/clock.ts';
import {
  createFormattedAnswer,
  createPlainAnswer,
  createShrinkingAnswer,
  findDifference,
  type ShownText,
} from '../support/chaos/answers.ts';
import {
  CALLS_OF_A_REMOVAL,
  CALLS_OF_PAGES,
  type ChaosChatKind,
  type ChaosResult,
  type ChaosRun,
  findCallsInFloods,
  injectFaults,
  planFault,
} from '../support/chaos/faults.ts';
import { listMixes } from '../support/chaos/mixes.ts';
import { describeFaults, testMixes, useUndisturbed } from '../support/chaos/suite.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { listOtherButtons } from '../support/harness/chats.ts';
import type { ModelScript } from '../support/hosts/scripted-models.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { type BusyDatabase, createBusyDatabase } from '../support/stores/watched-database.ts';
import { startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

const PIECE_MS = 200;

/** Delay before the first text, during which the bot sends "typing". */
const THINKING_MS = 1000;

const STEP_MS = 1000;

/** Covers several consecutive 429s of 300 s each, and the delays between retries. */
const MOST_MS = 4 * 3_600_000;

/** Time after the run in which the bot must make no more calls. */
const AFTERMATH_MS = 30_000;

const ERROR_LEVEL = 50;

/** Every fault at every call of a long answer, and several faults in one answer, with the whole bot. */
const bot = startBeforeAll(() => createChaosBot());

const run = (one: ChaosRun) => bot.run(one);

describeFaults('the whole bot', run, [
  ['plain text', createPlainAnswer('Ann', 5200), CALLS_OF_PAGES],
  ['formatted text', createFormattedAnswer('Bob', 3500), CALLS_OF_PAGES.slice(-4)],
  ['text that becomes shorter at the end', createShrinkingAnswer('Cleo', 4096), CALLS_OF_A_REMOVAL],
]);

describe.each([
  ['a group that becomes a supergroup', 'group', 'group upgraded'],
  ['a topic that is deleted', 'topic', 'topic deleted'],
] as const)('%s', (_, chatKind, fault) => {
  const answer = createPlainAnswer('Ann', 5200);
  const findUndisturbed = useUndisturbed(run, { answer, chatKind });

  testByTier(CALLS_OF_PAGES.filter(({ before }) => !before))('at the $name', async (call) => {
    const { wrong } = await bot.run({ answer, chatKind, faults: planFault(call, fault, findUndisturbed()) });
    expect(wrong).toEqual([]);
  });
});

testMixes(listMixes(160, 4096), 10, run);

/** Complete bot on a fake clock, with injected failures of Telegram. */
async function createChaosBot() {
  let database: BusyDatabase | undefined;
  const clock = createFakeClock(Date.now(), async () => database?.waitForWork() ?? false);
  const wrapDatabase = (db: BotHarness['db']) => {
    database = createBusyDatabase(db);
    return database.db;
  };
  const letPass = async <Value>(promise: Promise<Value>): Promise<Value> => {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    settled.catch(() => {});
    while (!isSettled) {
      await clock.advance(STEP_MS);
      await sleepReally(1);
    }
    return settled;
  };
  const harness = await letPass(createBotHarness({ clock, wrapDatabase }));
  const { telegram } = harness;

  const ask = (chatKind: ChaosChatKind): number => {
    if (chatKind === 'private') {
      const ann = harness.user('Ann');
      ann.writes('Tell me.');
      return ann.chatId;
    }
    const { Ann } = harness.group(['Ann'], { type: chatKind === 'topic' ? 'forum' : chatKind });
    const [topic] =
      chatKind === 'topic' ? telegram.createTopic({ chatId: Ann.chatId, name: 'Talk', from: Ann.id }).topics : [];
    Ann.writes('Tell me, @switch_bot.', topic ? { topicId: topic.id } : {});
    return Ann.chatId;
  };

  return {
    async run({ answer, chatKind = 'private', writingMs = 6000, faults = [] }: ChaosRun): Promise<ChaosResult> {
      const model = { hasBegun: false, hasEnded: false, wasStopped: false };
      harness.models.scripts.push(createWriter(answer.markdown, writingMs, model));
      const logFrom = harness.log.length;
      const chatId = ask(chatKind);
      injectFaults(telegram, chatId, faults);
      const isOver = () => model.hasBegun && !harness.bot.listBusyChats().has(chatId);
      for (let passedMs = 0; !isOver() && passedMs < MOST_MS; passedMs += STEP_MS) await clock.advance(STEP_MS);
      const isEnding = isOver();
      await clock.advance(AFTERMATH_MS);
      telegram.clearFaults();
      harness.models.scripts.length = 0;

      const upgradedToId = telegram.state().chats.find(({ id }) => id === chatId)?.upgradedToId;
      const lastChatId = upgradedToId ?? chatId;
      const calls = telegram.calls().filter(({ params }) => [chatId, lastChatId].includes(Number(params['chat_id'])));
      const isCut = calls.some(isRefusedForGood);
      const messages = listBotMessages(telegram, lastChatId);
      const difference = findDifference(messages.map(toShownText), answer, { isCut });
      const wrong = [
        ...(isEnding ? [] : ['the bot does not come to an end']),
        ...(difference === undefined ? [] : [difference]),
        ...(isCut && !model.hasEnded && !model.wasStopped ? ['the model goes on'] : []),
        ...(!isCut && messages.some((message) => listOtherButtons(message).length > 0) ? ['a button is left'] : []),
        ...findCallsInFloods(calls),
        ...findErrors(harness.log.slice(logFrom)),
      ];
      if (upgradedToId !== undefined) {
        const left = findDifference(listBotMessages(telegram, chatId).map(toShownText), answer, { isCut: true });
        if (left !== undefined) wrong.push(`in the old group ${left}`);
      }
      if (difference === undefined && !isCut) {
        for (const { message_id } of messages) {
          const kept = await letPass(harness.conversations.findByDelivery(lastChatId, message_id));
          if (kept?.content !== answer.markdown) wrong.push(`message ${message_id} is not known as part of the answer`);
        }
      }
      return { wrong, shown: messages.map(({ text = '' }) => text), calls };

      function createWriter(text: string, durationMs: number, state: typeof model): ModelScript {
        return async (write, signal) => {
          state.hasBegun = true;
          signal.addEventListener('abort', () => (state.wasStopped ||= !state.hasEnded));
          await sleep(clock, THINKING_MS, signal);
          const count = Math.ceil(durationMs / PIECE_MS);
          const at = (piece: number) => Math.ceil((text.length * piece) / count);
          for (let piece = 0; piece < count; piece++) {
            write(text.slice(at(piece), at(piece + 1)));
            await sleep(clock, PIECE_MS, signal);
          }
          state.hasEnded = true;
          return 'stop';
        };
      }
    },
    close: () => letPass(harness.close()),
  };
}

/** After these errors no message can reach the chat any more. */
function isRefusedForGood({ status, description = '' }: LoggedCall): boolean {
  return status === 403 || description.endsWith('message thread not found');
}

function listBotMessages(telegram: BotHarness['telegram'], chatId: number): Message[] {
  return telegram.transcript(chatId).flatMap(({ message }) => (message.from?.is_bot ? [message] : []));
}

function toShownText({ text = '', entities = [] }: Message): ShownText {
  return { text, entities };
}

/** Returns the errors that the bot has logged. */
function findErrors(lines: readonly string[]): string[] {
  return lines
    .filter((line) => line.includes(`"level":${ERROR_LEVEL}`))
    .map((line) => `the log has an error: ${line.slice(0, 300)}`);
}

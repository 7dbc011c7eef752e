import type { Control, LoggedCall } from 'telegram-bot-simulator';
import type { ChaosAnswer } from './answers.ts';
import { FAULTS, type PlannedFault } from './faults.ts';

/** One answer, and the faults while it is delivered. */
export interface ChaosRun {
  readonly answer: ChaosAnswer;
  /** Default `private`. */
  readonly chatTopic?: ChaosPlace;
  /** Duration of the generation. Default 6 s. */
  readonly writingMs?: number;
  readonly faults?: readonly PlannedFault[];
}

export type ChaosPlace = 'private' | 'group' | 'supergroup' | 'topic';

export interface ChaosResult {
  /** Violated expectations; empty if all hold. */
  readonly wrong: readonly string[];
  /** Texts of the bot's messages in the chat at the end. */
  readonly shown: readonly string[];
  /** Calls to this chat, oldest first. */
  readonly calls: readonly LoggedCall[];
}

/** Injects faults into the calls to one chat. */
export function injectFaults(control: Control, chatId: number, faults: readonly PlannedFault[]): void {
  for (const { fault, ...where } of faults) {
    control.injectFault({ ...where, match: { chat_id: chatId }, kind: FAULTS[fault] });
  }
}

/** Calls already in flight when the 429 arrives are accepted. */
const ON_THE_WIRE_MS = 100;

/** Returns errors for calls to the chat within the wait of a 429. */
export function findCallsInFloods(calls: readonly LoggedCall[]): string[] {
  const wrong: string[] = [];
  for (const [index, { status, description = '', at, method }] of calls.entries()) {
    if (status !== 429) continue;
    const until = at + Number(/retry after (\d+)/.exec(description)?.[1] ?? 0) * 1000;
    const early = calls.slice(index + 1).find((call) => call.at > at + ON_THE_WIRE_MS && call.at < until);
    if (early)
      wrong.push(`${early.method} ${Math.round((until - early.at) / 1000)} s too early after a 429 at ${method}`);
  }
  return wrong;
}

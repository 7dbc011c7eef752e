import type { Control, LoggedCall } from 'telegram-bot-simulator';
import type { ChaosAnswer } from './chaos-answers.ts';
import { FAULTS, type PlannedFault } from './chaos-faults.ts';

/** One answer, and what happens while it comes into the chat. */
export interface ChaosRun {
  readonly answer: ChaosAnswer;
  /** Default `private`. */
  readonly place?: ChaosPlace;
  /** How long the model writes. Default 6 s. */
  readonly writingMs?: number;
  readonly faults?: readonly PlannedFault[];
}

export type ChaosPlace = 'private' | 'group' | 'supergroup' | 'topic';

export interface ChaosResult {
  /** What is not as promised; empty where all is well. */
  readonly wrong: readonly string[];
  /** The bot's messages that stand in the chat. */
  readonly shown: readonly string[];
  /** Calls to this chat, oldest first. */
  readonly calls: readonly LoggedCall[];
}

/** Lets the calls to one chat fail. */
export function injectFaults(control: Control, chatId: number, faults: readonly PlannedFault[]): void {
  for (const { fault, ...where } of faults) {
    control.injectFault({ ...where, match: { chat_id: chatId }, kind: FAULTS[fault] });
  }
}

/** What was on its way when the 429 came is no disobedience. */
const ON_THE_WIRE_MS = 100;

/** Inside the time that a 429 asks for, nothing may be called in the chat. */
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

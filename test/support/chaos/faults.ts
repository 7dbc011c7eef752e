import type { Control, FaultKind, LoggedCall } from 'telegram-bot-simulator';
import type { ChaosAnswer } from './answers.ts';

/** One answer, and the faults while it is delivered. */
export interface ChaosRun {
  readonly answer: ChaosAnswer;
  /** Default `private`. */
  readonly chatKind?: ChaosChatKind;
  /** Duration of the generation. Default 6 s. */
  readonly writingMs?: number;
  readonly faults?: readonly PlannedFault[];
}

export type ChaosChatKind = 'private' | 'group' | 'supergroup' | 'topic';

export interface ChaosResult {
  /** Violated expectations; empty if all hold. */
  readonly wrong: readonly string[];
  /** Texts of the bot's messages in the chat at the end. */
  readonly shown: readonly string[];
  /** Calls to this chat, oldest first. */
  readonly calls: readonly LoggedCall[];
}

/** Calls already in flight when the 429 arrives are accepted. */
const ON_THE_WIRE_MS = 100;

/** Faults by the name used in tables and error messages. */
export const FAULTS = {
  '429 for 1 s': { type: 'flood', retryAfterSeconds: 1 },
  '429 for 30 s': { type: 'flood', retryAfterSeconds: 30 },
  '429 for 300 s': { type: 'flood', retryAfterSeconds: 300 },
  'status 500': { type: 'error', status: 500 },
  'status 502': { type: 'error', status: 502 },
  '502 page': { type: 'error', status: 502, isPage: true },
  '502 executed': { type: 'error', status: 502, isPage: true, takesEffect: true },
  timeout: { type: 'no-answer' },
  'timeout executed': { type: 'no-answer', takesEffect: true },
  'reset before': { type: 'reset-before' },
  'reset after': { type: 'reset-after' },
  'no JSON': { type: 'garbage' },
  'message vanished': { type: 'message-vanishes' },
  'bot blocked': { type: 'bot-blocked' },
  'topic deleted': { type: 'topic-vanishes' },
  'group upgraded': { type: 'group-upgraded' },
} as const satisfies { readonly [name: string]: FaultKind };

export type FaultName = keyof typeof FAULTS;

/** Fault at one or several consecutive calls of a reply. */
export interface PlannedFault {
  readonly fault: FaultName;
  /** `*`: any method. */
  readonly method: string;
  /** Number of matching calls that succeed before. */
  readonly skip: number;
  readonly times: number;
}

/** Returns all faults that can happen to a method in any chat. Calls that name no message can't have a vanished one. */
export function listFaultsOf(method: string): FaultName[] {
  const namesMessage = /^(edit|delete)/.test(method);
  return faultNames.filter((fault) => !PLACE_FAULTS.includes(fault) && (fault !== 'message vanished' || namesMessage));
}

const PLACE_FAULTS: readonly FaultName[] = ['topic deleted', 'group upgraded'];

const faultNames = Object.keys(FAULTS) as FaultName[];

/** Failures of consecutive calls during an outage of Telegram or of the network. */
export const OUTAGES = ['status 500', '502 page', 'timeout', 'reset before'] as const satisfies readonly FaultName[];

/** Call that an answer needs, or that an earlier fault causes. */
export interface DisturbedCall {
  readonly name: string;
  readonly method: string;
  /** Finds the call in an undisturbed run. Default: the first of its method. */
  readonly find?: (calls: readonly LoggedCall[]) => LoggedCall | undefined;
  readonly before?: readonly PlannedFault[];
}

/** Calls of an answer with two or more pages. */
export const CALLS_OF_PAGES: readonly DisturbedCall[] = [
  { name: 'typing', method: 'sendChatAction' },
  { name: 'first send', method: 'sendMessage' },
  {
    name: 'search for it',
    method: 'stopMessageLiveLocation',
    before: [{ method: 'sendMessage', skip: 0, fault: 'reset after', times: 1 }],
  },
  { name: 'preview', method: 'editMessageText' },
  { name: 'full page', method: 'editMessageText', find: (calls) => calls[calls.findLastIndex(isSend) - 1] },
  { name: 'next page', method: 'sendMessage', find: (calls) => calls.findLast(isSend) },
  { name: 'final edit', method: 'editMessageText', find: (calls) => calls.findLast(isEdit) },
];

/** Calls of an answer whose previews had one message more than the final answer. */
export const CALLS_OF_A_REMOVAL: readonly DisturbedCall[] = [
  { name: 'final edit', method: 'editMessageText', find: (calls) => calls.findLast(isEdit) },
  { name: 'removal', method: 'deleteMessage' },
];

function isSend({ method }: LoggedCall): boolean {
  return method === 'sendMessage';
}

function isEdit({ method }: LoggedCall): boolean {
  return method === 'editMessageText';
}

/**
 * Plans the fault for that call, preceded by the call's own faults.
 * @param undisturbed the calls of a run without faults
 * @throws an Error if the call is not among them
 */
export function planFault(call: DisturbedCall, fault: FaultName, undisturbed: readonly LoggedCall[]): PlannedFault[] {
  const { method, before = [] } = call;
  const skip =
    before.length > 0 ? 0 : undisturbed.filter((made) => made.method === method).indexOf(findCall(call, undisturbed));
  return [...before, { method, skip, fault, times: 1 }];
}

/** Plans an outage of `times` calls that starts at that call. @throws like `planFault` */
export function planOutage(
  call: DisturbedCall,
  fault: FaultName,
  undisturbed: readonly LoggedCall[],
  times: number,
): PlannedFault {
  return { method: '*', skip: undisturbed.indexOf(findCall(call, undisturbed)), fault, times };
}

function findCall({ method, name, find }: DisturbedCall, undisturbed: readonly LoggedCall[]): LoggedCall {
  const found = find ? find(undisturbed) : undisturbed.find((call) => call.method === method);
  if (found?.method !== method) throw new Error(`where nothing fails there is no ${name}`);
  return found;
}

/** Injects faults into the calls to one chat. */
export function injectFaults(control: Control, chatId: number, faults: readonly PlannedFault[]): void {
  for (const { fault, ...where } of faults) {
    control.injectFault({ ...where, match: { chat_id: chatId }, kind: FAULTS[fault] });
  }
}

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

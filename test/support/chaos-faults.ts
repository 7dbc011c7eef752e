import type { FaultKind, LoggedCall } from 'telegram-bot-simulator';

/** What goes wrong with a call, by the name under which tables and failures tell it. */
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

/** A fault at one call of a reply, or at several in a row. */
export interface PlannedFault {
  readonly fault: FaultName;
  /** `*`: whatever is called. */
  readonly method: string;
  /** Such calls that go well before. */
  readonly skip: number;
  readonly times: number;
}

/** Every fault that can happen to calls of a method in any chat. Where no message is named, none can vanish. */
export function listFaultsOf(method: string): FaultName[] {
  const namesMessage = /^(edit|delete)/.test(method);
  return faultNames.filter((fault) => !PLACE_FAULTS.includes(fault) && (fault !== 'message vanished' || namesMessage));
}

const PLACE_FAULTS: readonly FaultName[] = ['topic deleted', 'group upgraded'];

const faultNames = Object.keys(FAULTS) as FaultName[];

/** How calls fail one after the other while Telegram, or the way to it, is down. */
export const OUTAGES = ['status 500', '502 page', 'timeout', 'reset before'] as const satisfies readonly FaultName[];

/** A call that an answer needs, or that an earlier fault makes necessary. */
export interface DisturbedCall {
  readonly name: string;
  readonly method: string;
  /** Which call it is where nothing fails. Default the first of its method. */
  readonly find?: (calls: readonly LoggedCall[]) => LoggedCall | undefined;
  readonly before?: readonly PlannedFault[];
}

/** Of an answer that has two pages or more. */
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

/** Of an answer whose previews had a message more than itself. */
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
 * The fault at that call, with those before it.
 * @param undisturbed the calls where nothing fails.
 * @throws an Error where the call is not among them.
 */
export function planFault(call: DisturbedCall, fault: FaultName, undisturbed: readonly LoggedCall[]): PlannedFault[] {
  const { method, before = [] } = call;
  const skip =
    before.length > 0 ? 0 : undisturbed.filter((made) => made.method === method).indexOf(findCall(call, undisturbed));
  return [...before, { method, skip, fault, times: 1 }];
}

/** Nothing goes through any more from that call on, for `times` calls. @throws as `planFault` */
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

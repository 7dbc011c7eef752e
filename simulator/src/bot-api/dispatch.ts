import { ApiError, badRequest, tooManyRequests } from '../api-error.ts';
import { sleep } from '../clock.ts';
import type { FaultKind } from '../control-protocol.ts';
import { COVERAGE } from '../coverage.ts';
import { findChat, findChatByUsername } from '../world/chats.ts';
import type { Chat, World } from '../world/world.ts';
import type { Call } from './call.ts';
import type { CallLog } from './call-log.ts';
import type { Faults } from './faults.ts';
import type { CallKind, FloodLimits } from './flood-limits.ts';
import { METHODS } from './methods/index.ts';
import { causeMishap } from './mishaps.ts';
import type { Outcome } from './outcome.ts';
import { readArray, readInteger, readString } from './params.ts';
import type { UploadPacing } from './upload-pacing.ts';

export interface DispatchDeps {
  readonly faults: Faults;
  /** Undefined if limits are off. */
  readonly floodLimits: FloodLimits | undefined;
  readonly uploadPacing: UploadPacing | undefined;
  readonly callLog: CallLog;
}

const METHOD_NAMES = new Map(Object.keys(COVERAGE).map((name) => [name.toLowerCase(), name]));

/** Returns the documented name of a method, matched case-insensitively; undefined if the server has no such method. */
export function findMethodName({ botApiVersion }: World, name: string): string | undefined {
  const method = METHOD_NAMES.get(name.toLowerCase());
  return botApiVersion === '10.0' && method?.startsWith('sendRichMessage') ? undefined : method;
}

/** Runs one call: faults, flood control, then the method itself. Never throws ApiError. */
export async function dispatch(deps: DispatchDeps, call: Call): Promise<Outcome> {
  const fault = deps.faults.take(call.method, call.params);
  const note = (outcome: Outcome) => {
    deps.callLog.add(call, outcome);
    return outcome;
  };
  const before = fault && outcomeWithoutEffect(fault);
  if (before) return note(before);
  const chat = fault && findCallChat(call);
  if (chat) causeMishap(call, chat, fault);
  const answer = await answerCall(deps, call);
  return note(await spoil(call, fault, answer));
}

function outcomeWithoutEffect(fault: FaultKind): Outcome | undefined {
  switch (fault.type) {
    case 'flood':
      return toOutcome(tooManyRequests(fault.retryAfterSeconds));
    case 'error':
      return fault.takesEffect ? undefined : toErrorOutcome(fault);
    case 'reset-before':
      return { type: 'reset' };
    case 'no-answer':
      return fault.takesEffect ? undefined : { type: 'silence' };
    default:
      return undefined;
  }
}

function toErrorOutcome({ status, description, isPage }: FaultKind & { readonly type: 'error' }): Outcome {
  if (isPage) return { type: 'page', status };
  return toOutcome(new ApiError(status, description ?? describeStatus(status)));
}

function describeStatus(status: number): string {
  const known: { readonly [status: number]: string } = { 500: 'Internal Server Error', 502: 'Bad Gateway' };
  return known[status] ?? (status >= 500 ? 'Bad Gateway' : 'Bad Request');
}

async function spoil(call: Call, fault: FaultKind | undefined, answer: Outcome): Promise<Outcome> {
  switch (fault?.type) {
    case 'reset-after':
      return { type: 'reset' };
    case 'garbage':
      return { type: 'garbage' };
    case 'no-answer':
      return { type: 'silence' };
    case 'error':
      return toErrorOutcome(fault);
    case 'slow':
      await sleep(call.world.clock, fault.delayMs, call.signal).catch(() => undefined);
      return answer;
    default:
      return answer;
  }
}

async function answerCall(deps: DispatchDeps, call: Call): Promise<Outcome> {
  try {
    checkLimits(deps, call);
    await deps.uploadPacing?.wait(call);
    const handler = METHODS.get(call.method);
    if (!handler) throw badRequest(`method ${call.method} is unsupported by this simulator`);
    return { type: 'answer', status: 200, body: { ok: true, result: await handler(call) } };
  } catch (error) {
    if (error instanceof ApiError) return toOutcome(error);
    throw error;
  }
}

/** Converts a refusal to an outcome. */
export function toOutcome(error: ApiError): Outcome {
  return { type: 'answer', status: error.code, body: toErrorBody(error) };
}

/** Returns the JSON body of a refusal. */
export function toErrorBody({ code, message, parameters }: ApiError): object {
  return { ok: false, error_code: code, description: message, ...(parameters === undefined ? {} : { parameters }) };
}

function checkLimits({ floodLimits }: DispatchDeps, call: Call): void {
  const kind = kindOf(call.method);
  const chat = kind && findCallChat(call);
  if (!floodLimits || !kind || !chat) return;
  floodLimits.check({
    botId: call.bot.id,
    chat: { key: chat.key, isPrivate: chat.type === 'private' },
    kind,
    cost: countMessages(call),
  });
}

function kindOf(method: string): CallKind | undefined {
  if (/^(sendChatAction|sendMessageDraft|sendRichMessageDraft)$/.test(method)) return 'presence';
  return /^(send|editMessage|stopMessage|forwardMessage|copyMessage)/.test(method) ? 'message' : undefined;
}

function countMessages({ method, params }: Call): number {
  if (method === 'sendMediaGroup') return readArray(params, 'media')?.length ?? 1;
  if (method === 'forwardMessages' || method === 'copyMessages') return readArray(params, 'message_ids')?.length ?? 1;
  return 1;
}

/** Returns the chat of the call, if any. An invalid `chat_id` is ignored here because the method itself refuses it. */
function findCallChat({ world, bot, params }: Call): Chat | undefined {
  const id = readInteger(params, 'chat_id');
  if (id !== undefined) return findChat(world, bot, id);
  const name = readString(params, 'chat_id');
  return name === undefined ? undefined : findChatByUsername(world, name);
}

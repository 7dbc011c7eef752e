import { ApiError } from '../api-error.ts';
import type { Bot, World } from '../world/world.ts';
import type { Call } from './call.ts';
import { type DispatchDeps, dispatch, findMethodName, toOutcome } from './dispatch.ts';
import { findBot } from './find-bot.ts';
import type { Outcome } from './outcome.ts';
import type { Params } from './params.ts';

export interface BotApiDeps extends DispatchDeps {
  readonly world: World;
}

/** Returns a call without files that cannot be aborted, for methods requested in the response to a webhook. */
export function createCall(deps: BotApiDeps, bot: Bot, method: string, params: Params): Call {
  return {
    world: deps.world,
    bot,
    method,
    params,
    uploads: new Map(),
    signal: deps.world.closing,
    async runMethod(otherName, { params: otherParams, uploads }) {
      const other = findMethodName(deps.world, otherName);
      if (other) await dispatch(deps, { ...createCall(deps, bot, other, otherParams), uploads });
    },
  };
}

/** Call made in process, without HTTP. */
export interface DirectCall {
  readonly token: string;
  /** Case-insensitive. */
  readonly method: string;
  readonly params: Params;
  /** Aborts when the caller cancels the request. */
  readonly signal: AbortSignal;
}

/** Returns the outcome that the HTTP server would send, with faults and limits applied. Never throws ApiError. */
export async function answerDirectCall(
  deps: BotApiDeps,
  { token, params, signal, ...named }: DirectCall,
): Promise<Outcome> {
  const bot = findBot(deps.world, token);
  if (!bot) return toOutcome(new ApiError(401, 'Unauthorized'));
  const method = findMethodName(deps.world, named.method);
  if (!method) return toOutcome(new ApiError(404, 'Not Found: method not found'));
  return dispatch(deps, { ...createCall(deps, bot, method, params), signal });
}

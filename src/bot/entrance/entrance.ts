import type { MiddlewareFn } from 'grammy';
import type { Administration } from '../../core/administration/index.ts';
import { createCache } from '../../lib/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BotContext } from '../framework/context.ts';
import { answerPress } from '../framework/press.ts';
import { showView, type View } from '../framework/view.ts';

interface EntranceDeps {
  readonly administration: Pick<Administration, 'admit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Whoever keeps writing is told so seldom, milliseconds. */
const TELL_EVERY_MS = 6 * 3_600_000;
/** A bound on memory; beyond it somebody may hear it again sooner. */
const MAX_TOLD = 10_000;

/**
 * Keeps out people who are banned, or not on the list of a private service: before anything is kept of them. In private they are told
 * why, once in six hours; strangers with their id, so that the operator can let them in.
 */
export function createEntrance(deps: EntranceDeps): MiddlewareFn<BotContext> {
  const told = createCache<string, true>(deps.clock, { max: MAX_TOLD, ttlMs: TELL_EVERY_MS });
  const isToldAlready = (telegramId: number, what: string): boolean => {
    const key = `${what}:${telegramId}`;
    if (told.has(key)) return true;
    told.set(key, true);
    return false;
  };

  return async (ctx, next) => {
    if (!ctx.from) return;
    const { id } = ctx.from;
    const admission = await deps.administration.admit(id);
    if (admission === 'welcome') return next();
    const { access } = ctx.texts;
    const text = admission === 'banned' ? access.banned : access.stranger(`${id}`);
    // The spinner of a button ends with an answer.
    if (ctx.callbackQuery) return answerPress(deps, ctx, { hint: text, isAlert: true });
    const isTold = ctx.message?.chat.type === 'private' && !isToldAlready(id, admission);
    if (isTold) await showView(ctx, { text, keyboard: admission === 'banned' ? undefined : offerWayBack(ctx) });
  };
}

/** Nothing is kept of strangers: where a link has brought them, the message does. */
function offerWayBack({ me, message, texts }: BotContext): View['keyboard'] {
  const [, payload] = /^\/start(?:@\w+)? ([\w-]{1,64})$/.exec(message?.text ?? '') ?? [];
  if (payload === undefined) return undefined;
  const url = `https://t.me/${me.username}?start=${payload}`;
  return { inline_keyboard: [[{ text: texts.access.openLinkAgain, url }]] };
}

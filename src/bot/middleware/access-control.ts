import type { MiddlewareFn } from 'grammy';
import { createCache } from '../../lib/cache.ts';
import { answerAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';
import { showView, type View } from '../kit/views.ts';

/** Minimum interval between two notices to the same user, in milliseconds. */
const NOTICE_INTERVAL_MS = 6 * 3_600_000;
/** Bounds memory; beyond it a user may get the notice more often. */
const MAX_NOTIFIED = 10_000;

/**
 * Creates the access control: drops updates of banned users and, on a private service, of users who are not on its
 * list, before anything about them is stored. Private messages get a notice at most once in six hours; for unlisted
 * users it contains their id, so that the operator can allow them.
 */
export function createAccessControl(services: BotServices): MiddlewareFn<BotContext> {
  const notified = createCache<string, true>(services.clock, { max: MAX_NOTIFIED, ttlMs: NOTICE_INTERVAL_MS });
  const isNotifiedAlready = (telegramId: number, what: string): boolean => {
    const key = `${what}:${telegramId}`;
    if (notified.has(key)) return true;
    notified.set(key, true);
    return false;
  };

  return async (ctx, next) => {
    if (!ctx.from) return;
    const { id } = ctx.from;
    const admission = await services.administration.admit(id);
    if (admission === 'welcome') return next();
    const { access } = ctx.texts;
    const text = admission === 'banned' ? access.banned : access.stranger(`${id}`);
    // A callback query needs an answer, or the button keeps its spinner.
    if (ctx.callbackQuery) return answerAction(services, ctx, { hint: text, isAlert: true });
    const isNotice = ctx.message?.chat.type === 'private' && !isNotifiedAlready(id, admission);
    if (isNotice) await showView(ctx, { text, keyboard: admission === 'banned' ? undefined : sendWayBack(ctx) });
  };
}

/** Nothing is stored about unlisted users, so the notice itself carries the link to try again. */
function sendWayBack({ me, message, texts }: BotContext): View['keyboard'] {
  const [, payload] = /^\/start(?:@\w+)? ([\w-]{1,64})$/.exec(message?.text ?? '') ?? [];
  if (payload === undefined) return undefined;
  const url = `https://t.me/${me.username}?start=${payload}`;
  return { inline_keyboard: [[{ text: texts.access.openLinkAgain, url }]] };
}

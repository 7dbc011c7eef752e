import type { MiddlewareFn } from 'grammy';
import type { InlineKeyboardMarkup } from 'grammy/types';
import { createCache } from '../../lib/async/cache.ts';
import { readStartPayload } from '../../lib/start-link.ts';
import { answerAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import { toFullName, toShownName } from '../kit/names.ts';
import type { BotServices } from '../kit/services.ts';
import { showView, type View } from '../kit/views.ts';
import { createWrongCodes } from '../kit/wrong-codes.ts';

/** Minimum interval between two notices to the same user, in milliseconds. */
const NOTICE_INTERVAL_MS = 6 * 3_600_000;
/** Bounds memory; beyond it a user may get the notice more often. */
const MAX_NOTIFIED = 10_000;
/** Data of the button that asks for access. Unlisted users have no row that a stored action could belong to. */
const ASK_DATA = 'ask-for-access';

/**
 * Creates the access control: drops updates of banned users and, on a private service, of users who are not on its
 * list, before anything about them is stored. Private messages get a notice at most once in six hours. By its button
 * unlisted users ask the admins for access; an invitation of an admin lets them in at once.
 */
export function createAccessControl(services: BotServices): MiddlewareFn<BotContext> {
  const notified = createCache<string, true>(services.clock, { max: MAX_NOTIFIED, ttlMs: NOTICE_INTERVAL_MS });
  const isNotifiedAlready = (telegramId: number, what: string): boolean => {
    const key = `${what}:${telegramId}`;
    if (notified.has(key)) return true;
    notified.set(key, true);
    return false;
  };
  const redeem = createRedeem(services);

  return async (ctx, next) => {
    if (!ctx.from) return;
    const { id } = ctx.from;
    const admission = await services.administration.admit(id);
    const { access } = ctx.texts;
    const isAsking = ctx.callbackQuery?.data === ASK_DATA && ctx.chat?.type === 'private';
    if (admission === 'welcome')
      return isAsking ? answerAction(services, ctx, { hint: access.hasAccess, isAlert: true }) : next();
    if (admission === 'stranger' && isAsking) return askForAccess(services, ctx);
    const invitation = admission === 'stranger' ? await redeem(ctx) : undefined;
    if (invitation === 'redeemed') return next();
    const text = admission === 'banned' ? access.banned : describeRefusal(services, ctx, invitation);
    // A callback query needs an answer, or the button keeps its spinner.
    if (ctx.callbackQuery) return answerAction(services, ctx, { hint: text.slice(0, MAX_HINT), isAlert: true });
    const isNotice = ctx.message?.chat.type === 'private' && (invitation || !isNotifiedAlready(id, admission));
    if (isNotice)
      await showView(ctx, { text, keyboard: admission === 'banned' ? undefined : toKeyboard(services, ctx) });
  };
}

/** Telegram's limit for the answer to a callback query. */
const MAX_HINT = 200;
/** Minimum interval of telling an account that its invitations are not looked up, in milliseconds. */
const LIMITED_NOTICE_MS = 60_000;

/** Outcome of a `/start` with an invitation that gives no access. */
type RefusedInvitation = 'wrong' | 'limited';

/** Creates the function that lets a user in whose `/start` has the code of an invitation. */
function createRedeem({ clock, invitations, logger }: BotServices) {
  const wrongCodes = createWrongCodes(clock);
  const limited = createCache<number, true>(clock, { max: MAX_NOTIFIED, ttlMs: LIMITED_NOTICE_MS });
  return async ({ from, message }: BotContext): Promise<'redeemed' | RefusedInvitation | undefined> => {
    const code = message?.chat.type === 'private' ? readInvitation(message.text) : undefined;
    if (code === undefined || !from) return undefined;
    if (wrongCodes.areTooMany(from.id)) {
      if (limited.has(from.id)) return undefined;
      limited.set(from.id, true);
      return 'limited';
    }
    if (!(await invitations.redeem(code, from.id))) {
      wrongCodes.add(from.id);
      return 'wrong';
    }
    logger.info({ telegramId: from.id }, 'user let in by an invitation');
    return 'redeemed';
  };
}

function describeRefusal(
  { administration }: BotServices,
  ctx: BotContext,
  invitation: RefusedInvitation | undefined,
): string {
  const { access } = ctx.texts;
  const id = `${ctx.from?.id ?? 0}`;
  const stranger = administration.adminIds.length === 0 ? access.strangerAlone(id) : access.stranger(id);
  if (invitation === undefined) return stranger;
  return `${invitation === 'wrong' ? access.invitationOver : access.tooManyInvitations}\n\n${stranger}`;
}

/** Asks the admins, and says so in place of the notice. */
async function askForAccess(services: BotServices, ctx: BotContext): Promise<void> {
  const { from, texts } = ctx;
  if (!from) return;
  // The button may be older than the configuration.
  if (services.administration.adminIds.length === 0)
    return answerAction(services, ctx, { hint: texts.access.strangerAlone(`${from.id}`), isAlert: true });
  const username = from.username === undefined ? '' : ` (@${from.username})`;
  // Without @, or a name could pretend a username.
  const name = `${toShownName(toFullName(from).replaceAll('@', ''))}${username}`;
  const outcome = await services.accessRequests.ask({ telegramId: from.id, name, language: ctx.locale });
  if (outcome !== 'asked') {
    const hint = outcome === 'full' ? texts.access.tooManyRequests : texts.access.askedAlready;
    return answerAction(services, ctx, { hint, isAlert: true });
  }
  services.requestSender.wake();
  await answerAction(services, ctx, {});
  const rows = ctx.callbackQuery?.message?.reply_markup?.inline_keyboard ?? [];
  const links = rows.filter((row) => row.every((button) => 'url' in button));
  await showView(ctx, { text: texts.access.asked, keyboard: { inline_keyboard: links } });
}

/**
 * Returns the button that asks for access. Nothing is stored about unlisted users, so the notice itself carries the link
 * to try again.
 */
function toKeyboard({ administration }: BotServices, { me, message, texts }: BotContext): View['keyboard'] {
  const rows: InlineKeyboardMarkup['inline_keyboard'] = [];
  if (administration.adminIds.length > 0) rows.push([{ text: texts.access.ask, callback_data: ASK_DATA }]);
  const [, payload] = START.exec(message?.text ?? '') ?? [];
  const isInvitation = payload !== undefined && readStartPayload(payload, 'invitation') !== undefined;
  if (payload !== undefined && !isInvitation)
    rows.push([{ text: texts.access.openLinkAgain, url: `https://t.me/${me.username}?start=${payload}` }]);
  return rows.length === 0 ? undefined : { inline_keyboard: rows };
}

const START = /^\/start(?:@\w+)? ([\w-]{1,64})$/;

function readInvitation(text = ''): string | undefined {
  const [, payload = ''] = START.exec(text) ?? [];
  return readStartPayload(payload, 'invitation');
}

import { Composer } from 'grammy';
import type { AnnouncementSender } from '../../../core/announcements/index.ts';
import { findCommandText } from '../../framework/address.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ChoiceOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog } from '../../framework/dialog.ts';
import { offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { isGroup } from '../../framework/place.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import { toAnnouncementView } from './announcement-view.ts';
import { showPreview } from './show-preview.ts';

/** Far below what Telegram allows a bot, so that nobody's answer is held up. */
const INTERVAL_MS = 1000;
const SLOW_INTERVAL_MS = 5000;
/** Fewer users than this have the announcement within five minutes anyway. */
const SLOW_FROM_USERS = 300;
/** Over which a slow announcement is spread, where it does not take longer anyway. */
const SLOW_MS = 6 * 3_600_000;

/**
 * `/announce`, for those who run the service: a message to everybody who uses the bot, shown as it will look before it is sent. Nobody
 * else learns that there is such a command.
 */
export function createAnnounceFeature(deps: BotDeps, sender: Pick<AnnouncementSender, 'wake'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  // It may stand below a picture.
  composer.on('message', async (ctx, next) => {
    const isMeant = findCommandText(ctx.message, ctx.me, 'announce') !== undefined;
    if (!isMeant || ctx.person.role !== 'admin' || isGroup(ctx.chat)) return next();
    await previewByMessage(deps, ctx);
  });
  composer.use(
    onPress(deps, 'start-announcement', (ctx, choice) => start(deps, sender, ctx, choice)),
    onPress(deps, 'change-announcement', (ctx, choice) => change(deps, sender, ctx, choice)),
    onPress(deps, 'drop-announcement', (ctx) => ({
      afterwards: () => showView(ctx, { text: ctx.texts.administration.announce.dropped }),
    })),
  );
  return composer;
}

/** Shows the message as everybody will get it, and asks whether it is to be sent; a command that stands alone is asked for the message. */
export async function previewByMessage(deps: BotDeps, ctx: BotContext): Promise<void> {
  if (!ctx.message || ctx.person.role !== 'admin') return;
  const { administration, buttons } = ctx.texts;
  const { announce } = administration;
  const people = await deps.announcements.countAudience(ctx.person.telegramId ?? 0);
  if (people === 0) return void (await ctx.reply(announce.nobody));
  const sourceMessageId = await showPreview(ctx, ctx.message);
  if (sourceMessageId === 'nothing') return beginDialog(deps, ctx, 'announcement', announce.ask);
  if (sourceMessageId === 'refused') return void (await ctx.reply(announce.refused));
  const kind = 'start-announcement';
  const slowly = {
    text: announce.sendSlowly(people * toSlowIntervalMs(people)),
    choice: { kind, sourceMessageId, isSlow: true },
  } as const;
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [{ text: announce.send(people * INTERVAL_MS), choice: { kind, sourceMessageId, isSlow: false } }],
    ...(people < SLOW_FROM_USERS ? [] : [[slowly]]),
    [{ text: buttons.cancel, choice: { kind: 'drop-announcement' } }],
  ]);
  const reply = { message_id: sourceMessageId, allow_sending_without_reply: true };
  await ctx.reply(announce.confirm(people), { reply_markup: keyboard, reply_parameters: reply });
}

async function start(
  deps: BotDeps,
  sender: Pick<AnnouncementSender, 'wake'>,
  ctx: BotContext,
  { sourceMessageId, isSlow }: ChoiceOf<'start-announcement'>,
): Promise<PressAnswer> {
  const { telegramId: adminTelegramId, role } = ctx.person;
  if (role !== 'admin' || adminTelegramId === undefined || !ctx.msgId) return { hint: ctx.texts.stalePress };
  const people = await deps.announcements.countAudience(adminTelegramId);
  const outcome = await deps.announcements.start({
    adminTelegramId,
    sourceMessageId,
    statusMessageId: ctx.msgId,
    language: ctx.locale,
    intervalMs: isSlow ? toSlowIntervalMs(people) : INTERVAL_MS,
  });
  if (outcome === 'busy') return { hint: ctx.texts.administration.announce.busy, isAlert: true };
  sender.wake();
  deps.logger.info({ adminId: ctx.person.id, people, isSlow }, 'an announcement was started');
  const announcement = await deps.announcements.findBySource(adminTelegramId, sourceMessageId);
  return announcement ? { afterwards: () => showProgress(deps, ctx, announcement.id) } : {};
}

async function change(
  deps: BotDeps,
  sender: Pick<AnnouncementSender, 'wake'>,
  ctx: BotContext,
  { announcementId, change: wanted }: ChoiceOf<'change-announcement'>,
): Promise<PressAnswer> {
  const { telegramId, role } = ctx.person;
  if (role !== 'admin' || telegramId === undefined) return { hint: ctx.texts.stalePress };
  const isDone = await deps.announcements.change(announcementId, wanted, telegramId);
  sender.wake();
  return {
    ...(isDone ? {} : { hint: ctx.texts.administration.announce.tooLate }),
    afterwards: () => showProgress(deps, ctx, announcementId),
  };
}

async function showProgress(deps: BotDeps, ctx: BotContext, announcementId: number): Promise<void> {
  const announcement = await deps.announcements.find(announcementId);
  if (announcement) await showView(ctx, await toAnnouncementView(deps, ctx.texts, ctx.person.id, announcement));
}

function toSlowIntervalMs(people: number): number {
  return Math.max(Math.floor(SLOW_MS / Math.max(people, 1)), SLOW_INTERVAL_MS);
}

import { WorkQueue } from '../../lib/async/work-queue.ts';
import { endsWithin } from '../../lib/clock.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { findLocale, type Locale } from '../texts/locales.ts';
import { sendWhenever } from './send-whenever.ts';
import type { BotServices } from './services.ts';
import type { View } from './views.ts';

/** User in whose private chat a notice is shown. */
export interface NoticeRecipient {
  readonly user: { readonly id: number };
  /** Telegram id of the user, and of the private chat. */
  readonly chatId: number;
  readonly locale: Locale;
}

/** Messages to users that are not answers to what they have sent. */
export type Notices = ReturnType<typeof createNotices>;

const BOUNDS = { total: 8, perOwner: 1, maxWaiting: 1000, maxWaitingPerOwner: 50 };
const CLOSE_TIMEOUT_MS = 5000;

export function createNotices(services: BotServices) {
  const { accounts, administration, client, clock, logger } = services;
  const queue = new WorkQueue<number>(BOUNDS);
  const closing = new AbortController();
  const pending = new Set<Promise<void>>();

  const findRecipient = async (userId: number): Promise<NoticeRecipient | undefined> => {
    const user = await accounts.findUser(userId);
    if (user?.telegramId === undefined || !user.isReachable) return undefined;
    if ((await administration.admit(user.telegramId)) !== 'welcome') return undefined;
    return { user, chatId: user.telegramId, locale: findLocale(user.settings.language) };
  };
  const deliver = async (userId: number, createView: Parameters<Notices['send']>[1]) => {
    const recipient = await findRecipient(userId);
    const view = recipient && (await createView(recipient));
    if (!view) return;
    const { chatId } = recipient;
    const { text, entities = [], keyboard } = view;
    const options = {
      entities: [...entities],
      link_preview_options: { is_disabled: true },
      ...(keyboard && { reply_markup: keyboard }),
    };
    await sendWhenever(services, { chatId, isRepeatable: false }, closing.signal, () =>
      client.api.sendMessage(chatId, text, options, toGrammySignal(closing.signal)),
    );
  };
  const recordFailure = async (userId: number, error: unknown) => {
    logger.warn({ err: error, userId }, 'a notice could not be sent');
    if (classifyTelegramError(error).kind !== 'blocked') return;
    const user = await accounts.findUser(userId);
    if (user?.telegramId !== undefined) await accounts.recordReachability(user.telegramId, false);
  };

  return {
    /**
     * Sends a message in the background, and retries while Telegram is not reachable. Users whom the bot can't write to,
     * or who may not use the service, get none.
     * @param createView called right before sending; undefined: there is nothing to send any more.
     */
    send(userId: number, createView: (recipient: NoticeRecipient) => Promise<View | undefined>): void {
      const sending = queue
        .run(() => deliver(userId, createView), { owner: userId, signal: closing.signal })
        .catch((error: unknown) => recordFailure(userId, error))
        .catch((error: unknown) => logger.warn({ err: error, userId }, 'a blocked chat could not be recorded'))
        .finally(() => pending.delete(sending));
      pending.add(sending);
    },
    /** Waits some seconds for the messages being sent and gives up those that remain. */
    async close(): Promise<void> {
      await endsWithin(clock, Promise.all(pending), CLOSE_TIMEOUT_MS);
      closing.abort(new Error('the bot is stopping'));
      await Promise.all(pending);
    },
  };
}

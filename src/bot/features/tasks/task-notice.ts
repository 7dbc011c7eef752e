import type { InlineKeyboardMarkup } from 'grammy/types';
import type { User } from '../../../core/accounts/index.ts';
import { type DueRun, isForPrivateChat } from '../../../core/tasks/index.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError, isSafeToRetry } from '../../../telegram/telegram-errors.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import { findLostPage } from '../../kit/send-whenever.ts';
import type { BotServices } from '../../kit/services.ts';
import { findLocale, type Locale } from '../../texts/locales.ts';
import { texts } from './texts.ts';
import { toTaskName } from './views.ts';

const SEND_TIMEOUT_MS = 10_000;

interface NoticeChat {
  readonly chatId: number;
  readonly topicId: number | undefined;
}

/** Tells the user about a run that has no message of its own. What can't be sent now is sent at a later attempt. */
export async function sendTaskNotice(services: BotServices, due: DueRun): Promise<void> {
  const { run, task } = due;
  if (run.notice === undefined) return;
  const user = await services.accounts.findUser(task.owner.userId);
  const chat = await findNoticeChat(services, due, user);
  const locale = findLocale(user?.settings.language ?? task.language);
  if (chat) await send(services, due, chat, locale);
  await services.taskLedger.recordNotice(run.id);
}

/** Returns the task's chat, or the private chat of its user if that one can't be used; undefined if neither can be. */
async function findNoticeChat(
  { administration }: BotServices,
  { run, task, chatId }: DueRun,
  user: User | undefined,
): Promise<NoticeChat | undefined> {
  if (!isForPrivateChat(run.notice)) return { chatId, topicId: task.topicId };
  const telegramId = user?.telegramId;
  if (!user?.isReachable || telegramId === undefined) return undefined;
  return (await administration.admit(telegramId)) === 'welcome'
    ? { chatId: telegramId, topicId: undefined }
    : undefined;
}

function toText(locale: Locale, { run: { notice }, task }: DueRun): string {
  const { notices, paused } = texts[locale];
  const name = toTaskName(task);
  if (notice === undefined) return '';
  if (notice === 'paused') return notices.paused(name, task.state.kind === 'paused' ? paused[task.state.reason] : '');
  return notice === 'unreachable' ? notices.unreachable(name, task.owner.groupId !== undefined) : notices[notice](name);
}

/** @throws errors after which the notice can be sent again. */
async function send(
  services: BotServices,
  due: DueRun,
  { chatId, topicId }: NoticeChat,
  locale: Locale,
): Promise<void> {
  const keyboard = await toKeyboard(services, due, { chatId, locale });
  const options = { ...(topicId !== undefined && { message_thread_id: topicId }), reply_markup: keyboard };
  const afterId = services.client.messageIds.newest(chatId);
  const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
  try {
    await services.client.api.sendMessage(chatId, toText(locale, due), options, toGrammySignal(timeout));
  } catch (error) {
    const failure = classifyTelegramError(error);
    const isUnknown = failure.kind === 'unclear' || failure.kind === 'aborted';
    const isLost = isUnknown && (await findLostPage(services, { chatId, afterId }, timeout)) === 'absent';
    if (isLost || isSafeToRetry(failure)) throw error;
    services.logger.info({ failure: failure.kind, runId: due.run.id }, 'a notice about a task could not be delivered');
  }
}

/** Returns a button that leads to the task. It works in the chat of the task only. */
async function toKeyboard(
  services: BotServices,
  { task, chatId }: DueRun,
  shown: { readonly chatId: number; readonly locale: Locale },
): Promise<InlineKeyboardMarkup> {
  if (shown.chatId !== chatId) return { inline_keyboard: [] };
  const { userId } = task.owner;
  const { toTask } = texts[shown.locale].buttons;
  return storeKeyboard(services, { userId, chatId }, [
    [{ text: toTask, action: { kind: 'show-task', taskId: task.id } }],
  ]);
}

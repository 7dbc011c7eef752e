import type { DueRun } from '../../../core/tasks/index.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError, isSafeToRetry } from '../../../telegram/telegram-errors.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { storeKeyboard } from '../../framework/keyboard.ts';
import { findLostPage } from '../../sending/find-lost-page.ts';
import { findLocale } from '../../texts/locales.ts';
import { toTaskName } from './task-name.ts';
import { texts } from './texts/index.ts';

const SEND_TIMEOUT_MS = 10_000;

/** Tells the user about a run that has no message of its own. What can't be sent now is sent at a later attempt. */
export async function sendTaskNotice(deps: BotDeps, { run, task, chatId }: DueRun): Promise<void> {
  if (run.notice === undefined) return;
  const user = await deps.accounts.findUser(task.owner.userId);
  const { notices, paused, buttons } = texts[findLocale(user?.settings.language ?? task.language)];
  const name = toTaskName(task);
  const reason = task.state.kind === 'paused' ? paused[task.state.reason] : '';
  const text = run.notice === 'paused' ? notices.paused(name, reason) : notices[run.notice](name);
  const keyboard = await storeKeyboard(deps, { userId: task.owner.userId, chatId }, [
    [{ text: buttons.toTask, action: { kind: 'show-task', taskId: task.id } }],
  ]);
  const topic = task.topicId === undefined ? {} : { message_thread_id: task.topicId };
  const afterId = deps.client.messageIds.newest(chatId);
  const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
  try {
    await deps.client.api.sendMessage(chatId, text, { ...topic, reply_markup: keyboard }, toGrammySignal(timeout));
  } catch (error) {
    const failure = classifyTelegramError(error);
    const isUnknown = failure.kind === 'unclear' || failure.kind === 'aborted';
    const isLost = isUnknown && (await findLostPage(deps, { chatId, afterId }, timeout)) === 'absent';
    if (isLost || isSafeToRetry(failure)) throw error;
    deps.logger.info({ failure: failure.kind, runId: run.id }, 'a notice about a task could not be delivered');
  }
  await deps.taskLedger.recordNotice(run.id);
}

import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { BotServices } from '../kit/services.ts';
import type { View } from '../kit/views.ts';
import { sendWhenever } from '../sending/send-whenever.ts';
import type { AnswerJob } from './answer-job.ts';
import { toTaskHeading } from './task-answer.ts';

/**
 * Sends a message about an answer to the user who asked, and retries while Telegram is not reachable. Never throws.
 * @param createView called once before the first attempt.
 * @returns false if the signal aborted it and another process has to send the message.
 */
export async function sendAboutAnswer(
  services: BotServices,
  job: Pick<AnswerJob, 'chatTopic' | 'question' | 'replyToMessageId' | 'answerId' | 'texts'>,
  createView: () => Promise<View>,
  signal: AbortSignal,
): Promise<boolean> {
  const { replyToMessageId, answerId } = job;
  const { chatId } = job.chatTopic;
  try {
    const { text, entities = [], keyboard } = withTaskHeading(await createView(), toTaskHeading(services, job));
    const options = {
      entities: [...entities],
      ...(keyboard && { reply_markup: keyboard }),
      // A preview would send a request to the address.
      link_preview_options: { is_disabled: true },
      ...toSendOptions(job.chatTopic, replyToMessageId),
    };
    await sendWhenever(services, { chatId, isRepeatable: false }, signal, () =>
      services.client.api.sendMessage(chatId, text, options, toGrammySignal(signal)),
    );
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const { kind } = classifyTelegramError(error);
    services.logger[kind === 'blocked' ? 'info' : 'warn'](
      { err: error, answerId },
      'a message about an answer could not be sent',
    );
    return true;
  }
}

function withTaskHeading(view: View, heading: string | undefined): View {
  if (heading === undefined) return view;
  const text = `${heading}\n\n${view.text}`;
  const shift = text.length - view.text.length;
  const entities = view.entities?.map((entity) => ({ ...entity, offset: entity.offset + shift }));
  return { ...view, text, ...(entities && { entities }) };
}

import type { ChatTopic, StoredMessage } from '../../core/conversations/index.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { AnswerContext, AnsweredQuestion } from '../kit/feature.ts';
import { sendWhenever } from '../kit/send-whenever.ts';
import type { BotServices } from '../kit/services.ts';
import type { View } from '../kit/views.ts';
import type { Answer } from './answer.ts';
import { findHeading } from './extensions.ts';

/** @param chatTopic where it is shown now. */
export function toAnsweredQuestion({ id, question, replyTo, context }: Answer, chatTopic: ChatTopic): AnsweredQuestion {
  const { user, userName, texts } = context;
  return { answerId: id, question, chatTopic, replyTo, userId: user.id, userName, texts };
}

/** Returns the Telegram message with a question that was asked earlier. In groups, its answer replies to it. */
export async function findReplyTarget(
  { conversations }: Pick<BotServices, 'conversations'>,
  { isGroup, chatTopic: { chatId } }: AnswerContext,
  { id: answerId }: StoredMessage,
): Promise<Pick<Answer, 'replyTo' | 'questionMessageId'>> {
  const [questionMessageId] = await conversations.listShownIn({ answerId, chatId });
  return { questionMessageId, replyTo: isGroup ? questionMessageId : undefined };
}

/**
 * Sends a message about an answer to the user who asked, and retries while Telegram is not reachable. Never throws.
 * @param createView called once before the first attempt.
 * @returns false if the signal aborted it and another process has to send the message.
 */
export async function sendAboutAnswer(
  services: BotServices,
  answered: AnsweredQuestion,
  createView: () => Promise<View>,
  signal: AbortSignal,
): Promise<boolean> {
  const { replyTo, answerId, chatTopic } = answered;
  const { chatId } = chatTopic;
  try {
    const { text, entities = [], keyboard } = withHeading(await createView(), findHeading(services, answered));
    const options = {
      entities: [...entities],
      ...(keyboard && { reply_markup: keyboard }),
      // A preview would send a request to the address.
      link_preview_options: { is_disabled: true },
      ...toSendOptions(chatTopic, replyTo),
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

function withHeading(view: View, heading: string | undefined): View {
  if (heading === undefined) return view;
  const text = `${heading}\n\n${view.text}`;
  const shift = text.length - view.text.length;
  const entities = view.entities?.map((entity) => ({ ...entity, offset: entity.offset + shift }));
  return { ...view, text, ...(entities && { entities }) };
}

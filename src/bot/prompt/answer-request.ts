import type { ChatTopic, MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { ModelEntry } from '../../core/models/index.ts';
import type { WorkQueue } from '../../lib/async/work-queue.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { BotServices } from '../kit/services.ts';
import type { View } from '../kit/views.ts';
import type { Texts } from '../texts/locales.ts';

/** Input of the prompt of one answer. */
export interface AnswerRequest {
  /** Message of the answer. */
  readonly answerId: number;
  readonly userId: number;
  /** Chat and topic of the question: chats may have quotas of their own. */
  readonly chatTopic: ChatTopic;
  /** Group with its settings at the time of the question; undefined outside groups. */
  readonly group: Group | undefined;
  /** Message to answer. The messages before it in the tree are the context. */
  readonly question: StoredMessage;
  readonly model: ModelEntry;
  /** Text of the answer to continue; empty for a new answer. */
  readonly prefix: string;
  /** Extras of the answer to continue. */
  readonly prefixExtras: MessageExtras;
  /** Queue in which the attachments of the question are read, for several answers at the same time. Default none. */
  readonly readings?: Pick<WorkQueue, 'run'> | undefined;
  /** Instructions in addition to the system prompt. */
  readonly hint?: string | undefined;
  /** Name of the user who asks, in chats with several users. */
  readonly userName?: string | undefined;
  /** Texts for notices about the answer. */
  readonly texts: Texts;
  /** Telegram message that the answer replies to. */
  readonly replyToMessageId: number | undefined;
}

const TIMEOUT_MS = 30_000;

/**
 * Sends a notice about a question as a separate message, because an answer contains only text of the model. Never
 * throws.
 */
export async function addContext(
  services: BotServices,
  { chatTopic, replyToMessageId }: Pick<AnswerRequest, 'chatTopic' | 'replyToMessageId'>,
  view: View,
): Promise<void> {
  const options = {
    entities: [...(view.entities ?? [])],
    ...(view.keyboard && { reply_markup: view.keyboard }),
    link_preview_options: { is_disabled: true },
    ...toSendOptions(chatTopic, replyToMessageId),
  };
  try {
    const signal = toGrammySignal(AbortSignal.timeout(TIMEOUT_MS));
    await services.client.api.sendMessage(chatTopic.chatId, view.text, options, signal);
  } catch (error) {
    services.logger.info({ err: error }, 'a notice about a question could not be delivered');
  }
}

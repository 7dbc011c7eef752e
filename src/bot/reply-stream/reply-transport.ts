import type { InlineKeyboardMarkup } from '@grammyjs/types';
import type { CallPriority } from '../../telegram/flood-control/call-priority.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import { toSendOptions, toSendTopicId } from '../kit/chats.ts';
import type { DraftPreview } from './draft-preview.ts';
import type { RenderedPage } from './page-plan.ts';

/** Destination of a reply. */
export interface ReplyTarget {
  readonly chatId: number;
  /** `message_thread_id`; undefined outside topics. */
  readonly topicId?: number | undefined;
  /** Message that the first page replies to. */
  readonly replyToMessageId?: number | undefined;
  /** Each further page replies to the previous one. Default false. */
  readonly isInChain?: boolean;
  readonly isPrivate: boolean;
}

/** Page with its buttons: the complete content of a message. */
export interface PageWithButtons extends RenderedPage {
  readonly keyboard: InlineKeyboardMarkup | undefined;
}

interface SendParams {
  readonly priority: CallPriority;
  readonly replyToMessageId: number | undefined;
  readonly isSilent: boolean;
}

/** Sends, edits and deletes pages in a chat. Errors are those of the Telegram client. */
export interface ReplyTransport {
  readonly chatId: number;
  /** Newest known id of the chat's id counter, which chats may share. */
  readonly newestMessageId: number;
  /** Switches to the supergroup that the group has become. */
  useSupergroup(supergroupId: number): void;
  /** @returns the id of the new message. */
  send(page: PageWithButtons, params: SendParams): Promise<number>;
  edit(messageId: number, page: PageWithButtons, priority: CallPriority): Promise<void>;
  remove(messageId: number, priority: CallPriority): Promise<void>;
}

/**
 * Creates the transport that sends messages once and edits them as the answer grows; works in every chat and client.
 * @param draft draft that the sent messages replace. Default none.
 */
export function createEditTransport(
  client: TelegramClient,
  target: ReplyTarget,
  signal: AbortSignal,
  draft?: Pick<DraftPreview, 'showFinal'>,
): ReplyTransport {
  const topicId = toSendTopicId(target);
  const grammySignal = toGrammySignal(signal);
  let chatId = target.chatId;
  return {
    get chatId() {
      return chatId;
    },
    get newestMessageId() {
      return client.messageIds.newest(chatId);
    },
    useSupergroup(supergroupId) {
      chatId = supergroupId;
    },
    async send(page, { priority, replyToMessageId, isSilent }) {
      await draft?.showFinal(page);
      const api = client.withPriority(priority);
      const options = {
        ...keyboardOf(page),
        ...(isSilent ? { disable_notification: true } : {}),
        ...toSendOptions({ topicId }, replyToMessageId),
      };
      const message = page.rich
        ? await api.sendRichMessage(chatId, page.rich, options, grammySignal)
        : await api.sendMessage(chatId, page.text, { ...textOptionsOf(page), ...options }, grammySignal);
      return message.message_id;
    },
    async edit(messageId, page, priority) {
      const api = client.withPriority(priority);
      const content = page.rich ?? page.text;
      const options = { ...(page.rich ? {} : textOptionsOf(page)), ...keyboardOf(page) };
      await api.editMessageText(chatId, messageId, content, options, grammySignal);
    },
    async remove(messageId, priority) {
      await client.withPriority(priority).deleteMessage(chatId, messageId, grammySignal);
    },
  };
}

/** Adds the buttons to the last page. */
export function withKeyboard(
  pages: readonly RenderedPage[],
  keyboard: InlineKeyboardMarkup | undefined,
): readonly PageWithButtons[] {
  return pages.map((page, index) => ({ ...page, keyboard: index === pages.length - 1 ? keyboard : undefined }));
}

function keyboardOf({ keyboard }: PageWithButtons) {
  return keyboard ? { reply_markup: keyboard } : {};
}

/** Returns the formatting and switches link previews off. */
function textOptionsOf(page: RenderedPage) {
  return { entities: [...page.entities], link_preview_options: { is_disabled: true } };
}

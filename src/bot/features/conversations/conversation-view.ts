import type { ListedConversation, StoredMessage } from '../../../core/conversations/index.ts';
import { toOneLine } from '../../../lib/one-line.ts';
import { shorten } from '../../../lib/shorten.ts';
import { cutPage } from '../../../telegram/markdown/index.ts';
import { isGroup } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, type View } from '../../kit/views.ts';
import type { ConversationListing } from './actions.ts';
import { toConversationAgeMs, toConversationName } from './conversation-menu.ts';
import { texts } from './texts.ts';

/** Limit for the question and for the answer in a reminder. */
const MAX_EXCERPT_CHARACTERS = 300;

/** Returns the details of a conversation and its actions. */
export async function toConversationView(
  services: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
  listing: ConversationListing | undefined,
): Promise<View> {
  const words = texts[ctx.locale];
  const chosen = { conversationId: conversation.id, listing };
  const isArchived = !conversation.isArchived;
  const archive: ActionButton = {
    text: isArchived ? words.buttons.archive : words.buttons.unarchive,
    action: { kind: 'archive-thread', ...chosen, isArchived },
  };
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [{ text: words.buttons.continue, action: { kind: 'continue-thread', ...chosen } }],
    [{ text: words.buttons.rename, action: { kind: 'rename-thread', ...chosen } }, archive],
    ...(ctx.chat && !isGroup(ctx.chat)
      ? [
          [
            { text: words.buttons.share, action: { kind: 'share-thread', ...chosen } } as const,
            { text: words.buttons.continueByApi, action: { kind: 'continue-thread-by-api', ...chosen } } as const,
          ],
        ]
      : []),
    [
      { text: words.buttons.export, action: { kind: 'export-thread', ...chosen } },
      { text: words.buttons.delete, action: { kind: 'delete-thread', ...chosen } },
    ],
    [{ text: ctx.texts.buttons.back, action: { kind: 'list-threads', page: 0, ...listing } }],
  ]);
  return { ...(await toDescription(services, ctx, conversation)), keyboard };
}

/** Asks the user to confirm the deletion. */
export async function toConversationDeletion(
  services: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
  listing: ConversationListing | undefined,
): Promise<View> {
  const words = texts[ctx.locale];
  const chosen = { conversationId: conversation.id, listing };
  const view = await toDescription(services, ctx, conversation);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [
      { text: words.buttons.deleteForGood, action: { kind: 'delete-thread-for-good', ...chosen } },
      { text: words.buttons.keep, action: { kind: 'show-thread', ...chosen } },
    ],
  ]);
  return { ...view, text: `${view.text}\n\n${words.askDeletion}`, keyboard };
}

/**
 * Returns the reminder for a continued conversation: a sentence, by default with its title, and its last question and
 * answer.
 */
export async function toReminder(
  services: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
  sentence = texts[ctx.locale].continued(toConversationName(ctx, conversation)),
): Promise<View> {
  const messages = await toLastMessages(services, ctx, conversation);
  const text = [sentence, messages].join('\n\n');
  return { text, entities: markParts(text, 'expandable_blockquote', messages) };
}

async function toDescription(services: BotServices, ctx: BotContext, conversation: ListedConversation): Promise<View> {
  const words = texts[ctx.locale];
  const messages = await toLastMessages(services, ctx, conversation);
  const facts = [
    words.facts(conversation.messageCount, toConversationAgeMs(services, conversation)),
    ...(conversation.isCurrent ? [words.isCurrent] : []),
    ...(conversation.isArchived ? [words.isArchived] : []),
  ];
  const text = [toConversationName(ctx, conversation), facts.join('. ').replaceAll('..', '.'), messages].join('\n\n');
  return { text, entities: markParts(text, 'expandable_blockquote', messages) };
}

async function toLastMessages(
  { conversations }: BotServices,
  ctx: BotContext,
  { id }: ListedConversation,
): Promise<string> {
  const latest = await conversations.findLatestMessage(id);
  const path = latest ? await conversations.listPath(latest.id) : [];
  const question = path.findLast(({ role }) => role === 'user');
  const answer = path.findLast(({ role, content }) => role === 'assistant' && content !== '');
  const { asked, answered, photo } = texts[ctx.locale];
  const line = (who: string, message: StoredMessage | undefined) =>
    message ? [`${who}: ${excerpt(message.content) || photo}`] : [];
  const isTheirs = ctx.chat !== undefined && isGroup(ctx.chat);
  const lines = [...line(asked(isTheirs), question), ...line(answer?.model ?? answered, answer)];
  // A question without an answer follows the last answer.
  return (question && answer && question.id > answer.id ? lines.reverse() : lines).join('\n');
}

function excerpt(text: string): string {
  const { page } = cutPage(text, { maxUnits: 4 * MAX_EXCERPT_CHARACTERS });
  return shorten(toOneLine(page.text), MAX_EXCERPT_CHARACTERS);
}

import type { ConversationScope, ListedConversation, StoredMessage } from '../../../core/conversations/index.ts';
import { shorten, toOneLine } from '../../../lib/text.ts';
import { cutPage } from '../../../telegram/markdown/index.ts';
import { cutAtWord, toFirstWords } from '../../choices/topics.ts';
import { isGroup, toChatTopic, toChatTopicKey } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, loadPagedRows, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, type View } from '../../kit/views.ts';
import type { ConversationListing } from './feature.ts';
import { texts } from './texts.ts';

/** Number of conversations that fit on a phone without scrolling. */
const CONVERSATIONS_PER_PAGE = 8;

/** Returns one page of the accessible conversations, newest first. Beyond the last page, returns the last one. */
export async function toConversationMenu(
  services: BotServices,
  ctx: BotContext,
  listing: ConversationListing,
  /** Sentence above the list. */
  news?: string,
): Promise<View> {
  const { search, isArchived = false } = listing;
  const scope = toConversationScope(ctx);
  const { page, conversations, totalCount, pagerRow } = await loadPagedRows(
    listing.page,
    CONVERSATIONS_PER_PAGE,
    async (range) => {
      if (!scope) return { conversations: [], totalCount: 0 };
      const filter = { search, isArchived };
      const [listed, totalCount] = await Promise.all([
        services.conversations.listConversations(scope, { ...filter, ...range }),
        services.conversations.countConversations(scope, filter),
      ]);
      return { conversations: listed, totalCount };
    },
    (to) => ({ kind: 'list-threads', ...listing, page: to }),
  );
  const here = { ...listing, page };
  const rows = [
    ...conversations.map((conversation) => [toConversationButton(services, ctx, conversation, here)]),
    pagerRow,
    ...toToolRows(ctx, listing, totalCount),
  ];
  const heading = toHeading(ctx, { search, isArchived, count: totalCount });
  const text = news === undefined ? heading : `${news}\n\n${heading}`;
  return { text, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

/** Returns the title of a conversation, or its first words. */
export function toConversationName(
  ctx: BotContext,
  conversation: Pick<ListedConversation, 'title' | 'firstWords'>,
): string {
  return conversation.title ?? toFirstWords(conversation.firstWords) ?? ctx.texts.untitled;
}

/** Returns the time since the last message, in milliseconds. */
function toConversationAgeMs({ clock }: BotServices, { lastMessageAt }: ListedConversation): number {
  return Math.max(0, clock.now() - lastMessageAt.getTime());
}

function toHeading(
  ctx: BotContext,
  { search, isArchived, count }: { search: string | undefined; isArchived: boolean; count: number },
): string {
  const words = texts[ctx.locale];
  if (search !== undefined) return count > 0 ? words.found(count, search) : words.noneFound(search);
  if (isArchived) return count > 0 ? words.headingArchived(count) : words.emptyArchive;
  return count > 0 ? words.heading(count, ctx.chat !== undefined && isGroup(ctx.chat)) : words.empty;
}

/** Number of characters of a title, age and number that fit on a button of a phone's full width. */
const MAX_LABEL_CHARACTERS = 36;

function toConversationButton(
  services: BotServices,
  ctx: BotContext,
  conversation: ListedConversation,
  listing: ConversationListing,
): ActionButton {
  const isHere =
    ctx.msg &&
    conversation.isCurrent &&
    toChatTopicKey(toChatTopic(ctx.msg)) === toChatTopicKey(conversation.chatTopic);
  const mark = isHere ? '✓ ' : '';
  const facts = ` · ${texts[ctx.locale].age(toConversationAgeMs(services, conversation))} · ${conversation.messageCount}`;
  const name = cutAtWord(toConversationName(ctx, conversation), MAX_LABEL_CHARACTERS - mark.length - facts.length);
  return { text: mark + name + facts, action: { kind: 'show-thread', conversationId: conversation.id, listing } };
}

function toToolRows(
  ctx: BotContext,
  { search, isArchived }: ConversationListing,
  count: number,
): readonly (readonly ActionButton[])[] {
  const { buttons } = texts[ctx.locale];
  const isAll = search === undefined && !isArchived;
  const all: ActionButton = { text: buttons.all, action: { kind: 'list-threads', page: 0 } };
  const archived: ActionButton = {
    text: buttons.archived,
    action: { kind: 'list-threads', page: 0, isArchived: true },
  };
  const find: ActionButton = { text: ctx.texts.buttons.search, action: { kind: 'search-threads' } };
  const isWorthSearching = count > 0 || search !== undefined;
  return [
    [isAll ? archived : all, ...(isWorthSearching && !isArchived ? [find] : [])],
    [
      { text: ctx.texts.buttons.newConversation, action: { kind: 'new-conversation' } },
      { text: ctx.texts.buttons.close, action: { kind: 'close-menu' } },
    ],
  ];
}

/**
 * Returns the scope that a message or callback query can access: in private chats all conversations of the chat, in
 * groups those of the topic.
 */
export function toConversationScope({ msg }: BotContext): ConversationScope | undefined {
  return msg && { ...toChatTopic(msg), hasAllTopics: !isGroup(msg.chat) };
}

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

/** Limit for the question and for the answer in a reminder. */
const MAX_EXCERPT_CHARACTERS = 300;

function excerpt(text: string): string {
  const { page } = cutPage(text, { maxUnits: 4 * MAX_EXCERPT_CHARACTERS });
  return shorten(toOneLine(page.text), MAX_EXCERPT_CHARACTERS);
}

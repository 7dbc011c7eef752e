import type { ListedThread, StoredMessage } from '../../../core/conversations/index.ts';
import { shorten } from '../../../lib/shorten.ts';
import { cutPage } from '../../../telegram/markdown/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ThreadListing } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { isGroup } from '../../framework/place.ts';
import { markPieces, type View } from '../../framework/view.ts';
import { toThreadAgeMs, toThreadName } from './thread-menu.ts';

/** Of a question and of an answer each: a reminder, no reading. */
const MAX_EXCERPT_CHARACTERS = 300;

/** One conversation with what can be done about it. */
export async function toThreadView(
  deps: BotDeps,
  ctx: BotContext,
  thread: ListedThread,
  listing: ThreadListing | undefined,
): Promise<View> {
  const { threads, buttons } = ctx.texts;
  const chosen = { threadId: thread.id, listing };
  const isArchived = !thread.isArchived;
  const archive: ChoiceButton = {
    text: isArchived ? threads.buttons.archive : threads.buttons.unarchive,
    choice: { kind: 'archive-thread', ...chosen, isArchived },
  };
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [{ text: threads.buttons.continue, choice: { kind: 'continue-thread', ...chosen } }],
    [{ text: threads.buttons.rename, choice: { kind: 'rename-thread', ...chosen } }, archive],
    ...(ctx.chat && !isGroup(ctx.chat)
      ? [[{ text: ctx.texts.share.buttons.share, choice: { kind: 'share-thread', ...chosen } } as const]]
      : []),
    [
      { text: threads.buttons.export, choice: { kind: 'export-thread', ...chosen } },
      { text: threads.buttons.delete, choice: { kind: 'delete-thread', ...chosen } },
    ],
    [{ text: buttons.back, choice: { kind: 'list-threads', page: 0, ...listing } }],
  ]);
  return { ...(await toDescription(deps, ctx, thread)), keyboard };
}

/** Asks whether a conversation shall really go. */
export async function toThreadDeletion(
  deps: BotDeps,
  ctx: BotContext,
  thread: ListedThread,
  listing: ThreadListing | undefined,
): Promise<View> {
  const { threads } = ctx.texts;
  const chosen = { threadId: thread.id, listing };
  const view = await toDescription(deps, ctx, thread);
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: threads.buttons.deleteForGood, choice: { kind: 'delete-thread-for-good', ...chosen } },
      { text: threads.buttons.keep, choice: { kind: 'show-thread', ...chosen } },
    ],
  ]);
  return { ...view, text: `${view.text}\n\n${threads.askDeletion}`, keyboard };
}

/** What is shown where a conversation goes on: a sentence, by default with its title, and what was said last. */
export async function toReminder(
  deps: BotDeps,
  ctx: BotContext,
  thread: ListedThread,
  sentence = ctx.texts.threads.continued(toThreadName(ctx, thread)),
): Promise<View> {
  const exchange = await toLastExchange(deps, ctx, thread);
  const text = [sentence, exchange].join('\n\n');
  return { text, entities: markPieces(text, 'expandable_blockquote', exchange) };
}

async function toDescription(deps: BotDeps, ctx: BotContext, thread: ListedThread): Promise<View> {
  const { threads } = ctx.texts;
  const exchange = await toLastExchange(deps, ctx, thread);
  const facts = [
    threads.facts(thread.messageCount, toThreadAgeMs(deps, thread)),
    ...(thread.isCurrent ? [threads.isCurrent] : []),
    ...(thread.isArchived ? [threads.isArchived] : []),
  ];
  const text = [toThreadName(ctx, thread), facts.join('. ').replaceAll('..', '.'), exchange].join('\n\n');
  return { text, entities: markPieces(text, 'expandable_blockquote', exchange) };
}

async function toLastExchange({ conversations }: BotDeps, ctx: BotContext, { id }: ListedThread): Promise<string> {
  const latest = await conversations.findLatestMessage(id);
  const path = latest ? await conversations.listPath(latest.id) : [];
  const question = path.findLast(({ role }) => role === 'user');
  const answer = path.findLast(({ role, content }) => role === 'assistant' && content !== '');
  const { asked, answered, photo } = ctx.texts.threads;
  const line = (who: string, message: StoredMessage | undefined) =>
    message ? [`${who}: ${excerpt(message.content) || photo}`] : [];
  const isTheirs = ctx.chat !== undefined && isGroup(ctx.chat);
  const lines = [...line(asked(isTheirs), question), ...line(answer?.model ?? answered, answer)];
  // A question that was asked after the last answer stands behind it.
  return (question && answer && question.id > answer.id ? lines.reverse() : lines).join('\n');
}

function excerpt(text: string): string {
  const { page } = cutPage(text, { maxUnits: 4 * MAX_EXCERPT_CHARACTERS });
  const line = page.text.replace(/[\s\p{Cc}]+/gu, ' ');
  return shorten(line.trim(), MAX_EXCERPT_CHARACTERS);
}

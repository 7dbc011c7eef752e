import { Composer } from 'grammy';
import type { ListedThread, Place } from '../../../core/conversations/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { Answers } from '../../answers/answers.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { CallbackActionOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { toPlace, toPlaceKey } from '../../framework/place.ts';
import { type ActionAnswer, onAction } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import { nameTopic } from '../../topics/name-topic.ts';
import { isOutsideTopics, openTopic } from '../../topics/open-topic.ts';
import { toTitle } from '../../topics/thread-title.ts';
import { findReachableThread, mayTakeAway, toGoneThread } from './own-thread.ts';
import { texts } from './texts/index.ts';
import { type ThreadViewServices, toThreadMenu, toThreadName } from './thread-menu.ts';
import { toReminder, toThreadView } from './thread-view.ts';

/** Dependencies for continuing conversations in their topics. */
type TopicServices = ThreadViewServices & Pick<BotDeps, 'client' | 'logger'>;
export type ThreadsServices = TopicServices & { readonly answers: Pick<Answers, 'isUnderWay'> };

/** Buttons below a conversation: continue, rename, archive, delete. */
export function createThreadChanges(deps: ThreadsServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(deps, 'continue-thread', (ctx, pressed) => continueThread(deps, ctx, pressed)),
    onAction(deps, 'rename-thread', async (ctx, { threadId, listing }) => {
      if (!(await findReachableThread(deps, ctx, threadId))) return toGoneThread(deps, ctx, listing);
      return { afterwards: () => beginDialog(deps, ctx, 'thread-title', texts[ctx.locale].askTitle, threadId) };
    }),
    onAction(deps, 'archive-thread', async (ctx, { threadId, listing, isArchived }) => {
      if (!(await findReachableThread(deps, ctx, threadId))) return toGoneThread(deps, ctx, listing);
      await deps.conversations.setArchived(threadId, isArchived);
      return { afterwards: async () => showView(ctx, await toThreadMenu(deps, ctx, listing ?? { page: 0 })) };
    }),
    onAction(deps, 'delete-thread-for-good', (ctx, pressed) => deleteThread(deps, ctx, pressed)),
  );
  return composer;
}

/** Renames a conversation to the text that the user sent. */
export async function renameThreadByText(
  deps: ThreadsServices,
  ctx: BotContext,
  text: string,
  threadId: DialogSubject,
) {
  const words = texts[ctx.locale];
  const thread = typeof threadId === 'number' ? await findReachableThread(deps, ctx, threadId) : undefined;
  if (!thread) return void (await ctx.reply(words.gone));
  const title = toTitle(text);
  if (title === undefined) return beginDialog(deps, ctx, 'thread-title', words.badTitle, thread.id);
  await deps.conversations.renameThread(thread.id, title);
  await nameTopic(deps, thread, title);
  const view = await toThreadView(deps, ctx, { ...thread, title }, undefined);
  await showView(ctx, { ...view, text: `${view.text}\n\n${words.renamed}` });
}

/** Continues a conversation in the current topic, after a button was pressed or from a link. */
export async function continueThread(
  deps: ThreadsServices,
  ctx: BotContext,
  { threadId, listing }: Omit<CallbackActionOf<'continue-thread'>, 'kind'>,
): Promise<ActionAnswer> {
  const thread = await findReachableThread(deps, ctx, threadId);
  if (!thread || !ctx.msg) return toGoneThread(deps, ctx, listing);
  const place = toPlace(ctx.msg);
  if (isOutsideTopics(ctx, place)) return { afterwards: () => continueInTopic(deps, ctx, thread) };
  // A running answer stays in the topic where it started, so the conversation can't move now.
  const isMoving = toPlaceKey(place) !== toPlaceKey(thread.place);
  if (isMoving && (await isBeingWritten(deps, threadId))) return { hint: texts[ctx.locale].busy };
  await deps.conversations.continueThread(threadId, place);
  return { afterwards: async () => showView(ctx, await toReminder(deps, ctx, thread)) };
}

/** Continues a conversation in its own topic, or in a new one if that topic was deleted. */
export async function continueInTopic(deps: TopicServices, ctx: BotContext, thread: ListedThread): Promise<void> {
  const { conversations } = deps;
  const { chatId } = thread.place;
  const title = toThreadName(ctx, thread);
  const known = thread.place.topicId !== undefined && (await remindIn(deps, ctx, thread, thread.place));
  if (known) await conversations.continueThread(thread.id, thread.place);
  else {
    const place = await openTopic(deps, chatId, title);
    await conversations.continueThread(thread.id, place ?? { chatId, topicId: undefined });
    if (!place) return showView(ctx, await toReminder(deps, ctx, thread));
    await conversations.setNamesTopic(thread.id, true);
    await remindIn(deps, ctx, thread, place);
  }
  await showView(ctx, { text: texts[ctx.locale].continuedInTopic(title) });
}

/** Posts the reminder in a topic. @returns false if the topic was deleted. */
async function remindIn(
  deps: TopicServices,
  ctx: BotContext,
  thread: ListedThread,
  { chatId, topicId }: Place,
): Promise<boolean> {
  const { text, entities = [] } = await toReminder(deps, ctx, thread);
  const inTopic = topicId === undefined ? {} : { message_thread_id: topicId };
  try {
    await deps.client.api.sendMessage(chatId, text, { ...inTopic, entities: [...entities] });
    return true;
  } catch (error) {
    if (classifyTelegramError(error).kind !== 'topic-gone') throw error;
    return false;
  }
}

async function deleteThread(
  deps: ThreadsServices,
  ctx: BotContext,
  { threadId, listing = { page: 0 } }: CallbackActionOf<'delete-thread-for-good'>,
): Promise<ActionAnswer> {
  const thread = await findReachableThread(deps, ctx, threadId);
  if (!thread) return toGoneThread(deps, ctx, listing);
  if (!(await mayTakeAway(ctx, thread))) return { hint: texts[ctx.locale].onlyOwner, isAlert: true };
  if (await isBeingWritten(deps, threadId)) return { hint: texts[ctx.locale].busy, isAlert: true };
  await deps.conversations.deleteThread(threadId);
  const news = texts[ctx.locale].deleted(toThreadName(ctx, thread));
  return { afterwards: async () => showView(ctx, await toThreadMenu(deps, ctx, listing, news)) };
}

async function isBeingWritten({ answers, conversations }: ThreadsServices, threadId: number): Promise<boolean> {
  return (await conversations.listOpenAnswers(threadId)).some((id) => answers.isUnderWay(id));
}

import { Composer } from 'grammy';
import type { ListedThread, Place } from '../../../core/conversations/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { Answers } from '../../answers/answers.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ChoiceOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { toPlace, toPlaceKey } from '../../framework/place.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import { nameTopic } from '../../topics/name-topic.ts';
import { isOutsideTopics, openTopic } from '../../topics/open-topic.ts';
import { toTitle } from '../../topics/thread-title.ts';
import { findReachableThread, mayTakeAway, toGoneThread } from './own-thread.ts';
import { toThreadMenu, toThreadName } from './thread-menu.ts';
import { toReminder, toThreadView } from './thread-view.ts';

/** The buttons below a conversation: going on in it, another title, the archive, deletion. */
export function createThreadChangesFeature(
  deps: BotDeps,
  { answers }: { readonly answers: Pick<Answers, 'isUnderWay'> },
): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onPress(deps, 'continue-thread', (ctx, pressed) => continueThread(deps, ctx, answers, pressed)),
    onPress(deps, 'rename-thread', async (ctx, { threadId, listing }) => {
      if (!(await findReachableThread(deps, ctx, threadId))) return toGoneThread(deps, ctx, listing);
      return { afterwards: () => beginDialog(deps, ctx, 'thread-title', ctx.texts.threads.askTitle, threadId) };
    }),
    onPress(deps, 'archive-thread', async (ctx, { threadId, listing, isArchived }) => {
      if (!(await findReachableThread(deps, ctx, threadId))) return toGoneThread(deps, ctx, listing);
      await deps.conversations.setArchived(threadId, isArchived);
      return { afterwards: async () => showView(ctx, await toThreadMenu(deps, ctx, listing ?? { page: 0 })) };
    }),
    onPress(deps, 'delete-thread-for-good', (ctx, pressed) => deleteThread(deps, ctx, answers, pressed)),
  );
  return composer;
}

/** Gives a conversation the title that the person wrote. */
export async function renameThreadByText(deps: BotDeps, ctx: BotContext, text: string, threadId: DialogSubject) {
  const { threads } = ctx.texts;
  const thread = typeof threadId === 'number' ? await findReachableThread(deps, ctx, threadId) : undefined;
  if (!thread) return void (await ctx.reply(threads.gone));
  const title = toTitle(text);
  if (title === undefined) return beginDialog(deps, ctx, 'thread-title', threads.badTitle, thread.id);
  await deps.conversations.renameThread(thread.id, title);
  await nameTopic(deps, thread, title);
  const view = await toThreadView(deps, ctx, { ...thread, title }, undefined);
  await showView(ctx, { ...view, text: `${view.text}\n\n${threads.renamed}` });
}

/** Goes on with a conversation where the person is: a press, or a link. */
export async function continueThread(
  deps: BotDeps,
  ctx: BotContext,
  answers: Pick<Answers, 'isUnderWay'>,
  { threadId, listing }: Omit<ChoiceOf<'continue-thread'>, 'kind'>,
): Promise<PressAnswer> {
  const thread = await findReachableThread(deps, ctx, threadId);
  if (!thread || !ctx.msg) return toGoneThread(deps, ctx, listing);
  const place = toPlace(ctx.msg);
  if (isOutsideTopics(ctx, place)) return { afterwards: () => continueInTopic(deps, ctx, thread) };
  // An answer goes on being written in the topic where it began.
  const isMoving = toPlaceKey(place) !== toPlaceKey(thread.place);
  if (isMoving && (await isBeingWritten(deps, answers, threadId))) return { hint: ctx.texts.threads.busy };
  await deps.conversations.continueThread(threadId, place);
  return { afterwards: async () => showView(ctx, await toReminder(deps, ctx, thread)) };
}

/** In a chat with topics a conversation goes on in its own one, or in a new one where that is gone. */
export async function continueInTopic(deps: BotDeps, ctx: BotContext, thread: ListedThread): Promise<void> {
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
  await showView(ctx, { text: ctx.texts.threads.continuedInTopic(title) });
}

/** @returns false where the topic is gone. */
async function remindIn(
  deps: BotDeps,
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
  deps: BotDeps,
  ctx: BotContext,
  answers: Pick<Answers, 'isUnderWay'>,
  { threadId, listing = { page: 0 } }: ChoiceOf<'delete-thread-for-good'>,
): Promise<PressAnswer> {
  const thread = await findReachableThread(deps, ctx, threadId);
  if (!thread) return toGoneThread(deps, ctx, listing);
  if (!(await mayTakeAway(ctx, thread))) return { hint: ctx.texts.threads.onlyOwner, isAlert: true };
  if (await isBeingWritten(deps, answers, threadId)) return { hint: ctx.texts.threads.busy, isAlert: true };
  await deps.conversations.deleteThread(threadId);
  const news = ctx.texts.threads.deleted(toThreadName(ctx, thread));
  return { afterwards: async () => showView(ctx, await toThreadMenu(deps, ctx, listing, news)) };
}

async function isBeingWritten(
  { conversations }: BotDeps,
  answers: Pick<Answers, 'isUnderWay'>,
  threadId: number,
): Promise<boolean> {
  return (await conversations.listOpenAnswers(threadId)).some((id) => answers.isUnderWay(id));
}

import type { ListedThread } from '../../../core/conversations/index.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { ThreadListing } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import type { View } from '../../framework/view.ts';
import { toThreadName } from '../threads/thread-menu.ts';
import { countPictures, listShareable, MAX_PICTURES } from './take-snapshot.ts';

/**
 * Asks whether a conversation shall become a page, and says what others will see.
 * @param listing where the conversation was chosen; unset: by the command.
 * @returns undefined where nothing was said in it yet.
 */
export async function toShareQuestion(
  deps: BotDeps,
  ctx: BotContext,
  thread: ListedThread,
  listing?: ThreadListing,
): Promise<View | undefined> {
  const { share, buttons } = ctx.texts;
  const head = await deps.conversations.findLatestMessage(thread.id);
  const messages = head ? await listShareable(deps, head.id) : [];
  if (!head || messages.length === 0) return undefined;
  const pictureCount = countPictures(messages);
  const chosen = { kind: 'share-thread-now', threadId: thread.id, headId: head.id } as const;
  const pageCount = await deps.sharedConversations.count(ctx.person.id);
  const pages: ChoiceButton = {
    text: share.buttons.pages(pageCount),
    choice: { kind: 'list-files', page: 0, isOfPages: true },
  };
  const back: ChoiceButton = listing
    ? { text: buttons.back, choice: { kind: 'show-thread', threadId: thread.id, listing } }
    : { text: buttons.cancel, choice: { kind: 'close-menu' } };
  const withPictures: ChoiceButton = {
    text: share.buttons.withPictures(Math.min(pictureCount, MAX_PICTURES)),
    choice: { ...chosen, hasPictures: true },
  };
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: share.buttons.now, choice: { ...chosen, hasPictures: false } },
      ...(pictureCount > 0 ? [withPictures] : []),
    ],
    [...(pageCount > 0 ? [pages] : []), back],
  ]);
  const lines = [
    share.ask(toThreadName(ctx, thread), messages.length),
    share.nameless,
    ...(pictureCount > 0 ? [share.pictures(pictureCount, MAX_PICTURES)] : []),
    '',
    share.removable,
    ...(deps.isReachable === false ? ['', share.unreachable(deps.cloudUrl)] : []),
  ];
  return { text: lines.join('\n'), keyboard };
}

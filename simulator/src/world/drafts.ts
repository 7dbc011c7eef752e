import { publish } from './chats.ts';
import { toDraftView } from './views.ts';
import type { Chat, Draft, World } from './world.ts';

/** Lifetime of a draft after its last change: `message_typing_draft_ttl` of the app configuration. */
const DRAFT_LIFE_MS = 30_000;

export type DraftContent = Omit<Draft, 'expiresAt' | 'cancelTimer'>;

/** Shows a draft in a chat or topic for 30 s, replacing the previous one. */
export function showDraft(world: World, chat: Chat, content: DraftContent): void {
  const place = content.topicId ?? 0;
  const previous = chat.drafts.get(place);
  previous?.cancelTimer();
  if (previous && previous.draftId !== content.draftId) publishEnd(world, chat, previous);
  const draft: Draft = {
    ...content,
    expiresAt: world.clock.now() + DRAFT_LIFE_MS,
    cancelTimer: world.clock.setTimer(DRAFT_LIFE_MS, () => endDraft(world, chat, content.topicId)),
  };
  chat.drafts.set(place, draft);
  publish(world, chat, () => ({ type: 'draft', draft: toDraftView(chat, draft) }));
}

/** Removes the draft of a chat or topic, if there is one. */
export function endDraft(world: World, chat: Chat, topicId: number | undefined): void {
  const draft = chat.drafts.get(topicId ?? 0);
  if (!draft) return;
  draft.cancelTimer();
  chat.drafts.delete(topicId ?? 0);
  publishEnd(world, chat, draft);
}

function publishEnd(world: World, chat: Chat, draft: Draft): void {
  publish(world, chat, () => ({ type: 'draft-ended', chatId: chat.id, draftId: draft.draftId }));
}

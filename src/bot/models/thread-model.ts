import type { ModelEntry } from '../../core/models/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { BotContext } from '../framework/context.ts';
import { isGroup, toPlace } from '../framework/place.ts';

/**
 * Returns the chat model chosen for one conversation if it is still in the catalogue. In groups conversations have
 * none.
 * @param threadId default the current conversation of the topic.
 */
export async function findThreadModel(
  { catalogue, conversations }: Pick<BotDeps, 'catalogue' | 'conversations'>,
  { msg }: BotContext,
  threadId?: number,
): Promise<ModelEntry | undefined> {
  if (!msg || isGroup(msg.chat)) return undefined;
  const thread =
    threadId === undefined
      ? await conversations.findCurrentThread(toPlace(msg))
      : await conversations.findThread(threadId);
  const entry = thread?.model === undefined ? undefined : catalogue.find(thread.model);
  return entry?.type === 'chat' ? entry : undefined;
}

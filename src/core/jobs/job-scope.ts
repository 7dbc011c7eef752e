import type { ChatTopic } from '../conversations/index.ts';

/** Scope of a user's jobs: one topic, all topics of its chat, or all chats. */
export type JobScope = (ChatTopic & { readonly hasAllTopics?: boolean }) | 'everywhere';

export function isWithin(chatTopic: ChatTopic, scope: JobScope): boolean {
  if (scope === 'everywhere') return true;
  return chatTopic.chatId === scope.chatId && (scope.hasAllTopics === true || chatTopic.topicId === scope.topicId);
}

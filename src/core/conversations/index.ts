export type { MessageExtras } from '../../database/schema/index.ts';
export { buildContext, type ContextMessage } from './context-window.ts';
export { type Conversations, createConversations } from './conversations.ts';
export { countsAlone, GREATEST_SUPERGROUP_ID, type OwedAnswer } from './deliveries.ts';
export { includeTalk } from './include-talk.ts';
export { includeTexts, listMessagesWithTexts } from './include-texts.ts';
export type { Place } from './place.ts';
export type { Attachment, StoredMessage } from './stored-message.ts';
export type { ListedThread, RecordedMessage, ThreadDetails, ThreadScope } from './threads.ts';

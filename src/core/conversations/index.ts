export type { MessageExtras } from '../../database/schema/index.ts';
export { type AttachmentText, listUnchanged } from './attachment-texts.ts';
export { type ChatOwner, isOwn } from './chat-owner.ts';
export type { ChatTopic } from './chat-topic.ts';
export { type ChosenPdf, choosePdfs, findContextLength } from './choose-pdfs.ts';
export { buildContext, type ContextMessage } from './context-window.ts';
export type {
  ConversationDetails,
  ConversationScope,
  ListedConversation,
  RecordedMessage,
} from './conversation-store.ts';
export { type Conversations, createConversations, TaskRunStartedError } from './conversations.ts';
export { countsAlone, GREATEST_SUPERGROUP_ID, type UnfinishedAnswer } from './deliveries.ts';
export { estimateTokens } from './estimate-tokens.ts';
export { includeRecentMessages } from './include-recent-messages.ts';
export { includeTexts, listMessagesWithTexts } from './include-texts.ts';
export type { InlineAnswer } from './inline-answers.ts';
export { selectPath } from './path.ts';
export { PAUSED } from './paused-answers.ts';
export type { Attachment, StoredMessage } from './stored-message.ts';
export { toConversationMarkdown, toMarkdownMessages } from './to-markdown.ts';

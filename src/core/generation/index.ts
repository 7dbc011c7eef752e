export { type Caller, type ChatGeneration, createChatGeneration } from './chat-generation.ts';

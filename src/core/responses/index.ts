export { type ConversationText, NO_CHAT } from './place-messages.ts';
export { ConversationTooLongError } from './read-turns.ts';
export {
  createStoredResponses,
  MAX_RESPONSE_AGE_MS,
  type StoredResponse,
  type StoredResponses,
} from './stored-responses.ts';

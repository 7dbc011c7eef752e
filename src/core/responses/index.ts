export { type ConversationText, isStorable, MAX_STORED_CHARACTERS, NO_CHAT } from './add-response.ts';
export { ConversationTooLongError, type ResponseTurn } from './read-turns.ts';
export { StoredBytesFullError } from './stored-bytes.ts';
export {
  createStoredResponses,
  MAX_RESPONSE_AGE_MS,
  RESPONSE_JOB,
  type StoredResponse,
  type StoredResponses,
} from './stored-responses.ts';

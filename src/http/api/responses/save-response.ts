import {
  type ConversationText,
  isStorable,
  MAX_STORED_CHARACTERS,
  type StoredResponses,
} from '../../../core/responses/index.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import { createId } from '../../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { invalidRequest } from '../../../protocols/http-error.ts';
import { isToBeStored, type ResponseRequest } from '../../../protocols/openai-responses/request/read-request.ts';
import { type History, isItemId, listOutput } from './read-history.ts';

/** User, request and conversation of a response. */
export interface SavingContext {
  readonly userId: number;
  readonly request: ResponseRequest;
  readonly history: History;
  /** Time of the request in Unix milliseconds. */
  readonly createdAtMs: number;
}

/** Prints a background request, as it is stored. @throws HttpError 400 if it is too large. */
export function printStorable(request: JsonObject): string {
  // The estimate saves printing one that is much too large.
  const printed = isStorable([request]) ? JSON.stringify(request) : undefined;
  if (printed !== undefined && printed.length <= MAX_STORED_CHARACTERS) return printed;
  const message = `A request with 'background' must have at most ${MAX_STORED_CHARACTERS} characters, because it is stored.`;
  throw invalidRequest(message, 'input');
}

/**
 * Stores a finished response.
 * @returns false if it can't be stored, see `StoredResponses.add`.
 * @throws database errors.
 */
export function storeResponse(
  responses: StoredResponses,
  { userId, request, history, createdAtMs }: SavingContext,
  body: JsonObject,
): Promise<boolean> {
  const inputItems = history.newItems.map(toStoredItem);
  return responses.add({
    id: String(body['id']),
    userId,
    createdAt: new Date(createdAtMs),
    previousId: history.previousId,
    inputItems,
    itemIds: [...inputItems, ...listOutput(body)].map(({ id }) => id).filter(isItemId),
    isBackground: request.body.background === true,
    body,
    input: inputItems.flatMap(toConversationText),
    answer: listOutput(body)
      .flatMap(toConversationText)
      .map(({ text }) => text)
      .join('\n\n'),
    model: request.body.model,
    finishReason: body['status'] === 'completed' ? 'stop' : 'length',
    instructions: request.body.instructions ?? undefined,
  });
}

/**
 * Stores a finished response if the client wants it.
 * @param body the response object; its `store` is that of the request.
 * @returns the response object; `store` is false if it could not be stored.
 */
export async function saveResponse(
  { responses, logger }: { readonly responses: StoredResponses; readonly logger: Pick<Logger, 'warn'> },
  context: SavingContext,
  body: JsonObject,
): Promise<JsonObject> {
  if (!isToBeStored(context.request)) return body;
  try {
    return (await storeResponse(responses, context, body)) ? body : { ...body, store: false };
  } catch (error) {
    logger.warn({ reason: describeError(error) }, 'a response could not be stored');
    return { ...body, store: false };
  }
}

/** Returns an input item with an id and, for messages, with a list of content parts. */
function toStoredItem(item: JsonObject): JsonObject {
  const id = typeof item['id'] === 'string' && item['id'] !== '' ? item['id'] : createId(`${toIdPrefix(item)}_`);
  if (!isMessage(item)) return { ...item, id };
  const { role, content } = item;
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return {
    ...item,
    id,
    type: 'message',
    status: 'completed',
    content: typeof content === 'string' ? [{ type, text: content }] : content,
  };
}

function isMessage({ type, role }: JsonObject): boolean {
  return type === 'message' || (type === undefined && role !== undefined);
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
};

function toIdPrefix({ type }: JsonObject): string {
  return ID_PREFIXES[String(type)] ?? 'msg';
}

/** Returns a message as the chat shows it; nothing for items of other types and for instructions. */
function toConversationText({ type, role, content }: JsonObject): readonly ConversationText[] {
  if (type !== 'message' || (role !== 'user' && role !== 'assistant') || !Array.isArray(content)) return [];
  return [{ role, text: content.filter(isJsonObject).map(toPartText).join('\n\n') }];
}

function toPartText({ type, text, refusal, filename }: JsonObject): string {
  if (typeof text === 'string') return text;
  if (typeof refusal === 'string') return refusal;
  if (type === 'input_image') return '[image]';
  return typeof filename === 'string' ? `[file: ${filename}]` : '[file]';
}

import type { ResponseTurn, StoredResponses } from '../../../core/responses/index.ts';
import type { Hold } from '../../../lib/http/held-bytes.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { HttpError, invalidRequest } from '../../../protocols/http-error.ts';

/** The stored conversation that a request continues. */
export interface History {
  /** Items before the input, oldest first. */
  readonly previousItems: readonly JsonObject[];
  /** The stored response that the answer follows; undefined begins a conversation. */
  readonly previousId: string | undefined;
  /** The input with references replaced by the stored items. */
  readonly input: unknown;
  /** The items of the input that are not stored with earlier responses. */
  readonly newItems: readonly JsonObject[];
}

export interface HistoryDeps {
  readonly responses: StoredResponses;
  readonly userId: number;
  /** Counts the stored items that are read. */
  readonly hold: Hold;
}

const MAX_ID_LENGTH = 100;

/**
 * Reads what a request continues: `previous_response_id`, or the response whose last item the input repeats or refers
 * to.
 * @throws HttpError 400 for an unknown response or item; HeldBytesFullError.
 */
export async function readHistory(
  { responses, userId, hold }: HistoryDeps,
  { input, previous_response_id: previousId }: JsonObject,
): Promise<History> {
  const items = toItems(input);
  const onSize = (bytes: number) => hold.add(bytes);
  const stored = await responses.findByItems(userId, listIds(items), onSize);
  const resolvedInput = Array.isArray(input) ? resolveReferences(input, toItemsById(stored)) : input;
  const resolved = toItems(resolvedInput);
  if (typeof previousId === 'string' && previousId !== '') {
    const turns = await responses.readTurns(userId, previousId.slice(0, MAX_ID_LENGTH), onSize);
    const previousItems = toPreviousItems(turns, previousId);
    return { previousItems, previousId, input: resolvedInput, newItems: resolved };
  }
  const positions = new Map(resolved.map((item, index) => [item['id'], index]));
  for (const { id, body } of stored.toReversed()) {
    const last = listOutput(body).at(-1)?.['id'];
    const position = last === undefined ? undefined : positions.get(last);
    if (position === undefined) continue;
    return { previousItems: [], previousId: id, input: resolvedInput, newItems: resolved.slice(position + 1) };
  }
  return { previousItems: [], previousId: undefined, input: resolvedInput, newItems: resolved };
}

/** Returns the items of a stored conversation, oldest first. @throws HttpError 400 if there is none */
function toPreviousItems(turns: readonly ResponseTurn[] | undefined, id: string): JsonObject[] {
  if (!turns) {
    throw new HttpError({
      status: 400,
      type: 'invalid_request_error',
      code: 'previous_response_not_found',
      message: `There is no finished response with the id '${id.slice(0, MAX_ID_LENGTH)}'.`,
      param: 'previous_response_id',
    });
  }
  return turns.flatMap((turn) =>
    turn.kind === 'response'
      ? [...turn.input, ...listOutput(turn.body)]
      : [{ type: 'message', role: turn.role, content: turn.text }],
  );
}

/** Returns the output items of a response object. */
export function listOutput(body: JsonObject): readonly JsonObject[] {
  return Array.isArray(body['output']) ? body['output'].filter(isJsonObject) : [];
}

/** Returns the input as items; a text is a message of the user. Invalid entries are left to the reader of the input. */
function toItems(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  }
  return Array.isArray(input) ? input.filter(isJsonObject) : [];
}

/** Maximum number of items whose ids are looked up. */
const MAX_LOOKED_UP = 5000;

function listIds(items: readonly JsonObject[]): readonly string[] {
  return items
    .map(({ id }) => id)
    .filter(isItemId)
    .slice(-MAX_LOOKED_UP);
}

/** Returns true for an id by which a stored item is found: longer ones are not indexed. */
export function isItemId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH;
}

function toItemsById(stored: readonly { readonly input: readonly JsonObject[]; readonly body: JsonObject }[]) {
  return new Map(
    stored.flatMap(({ input, body }) => [...input, ...listOutput(body)].map((item) => [item['id'], item])),
  );
}

function resolveReferences(input: readonly unknown[], byId: ReadonlyMap<unknown, JsonObject>): readonly unknown[] {
  const referred = new Set<unknown>();
  return input.map((item, index) => {
    if (!isJsonObject(item) || item['type'] !== 'item_reference') return item;
    const { id } = item;
    const path = `input[${index}].id`;
    // Otherwise a small request could become any size.
    if (referred.has(id)) throw invalidRequest(`'${path}' refers to the same item as an earlier reference.`, path);
    referred.add(id);
    const found = byId.get(id);
    if (found) return found;
    throw invalidRequest(`'${path}' refers to an item that is not stored; send the item itself.`, path);
  });
}

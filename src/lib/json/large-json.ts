import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Size from which JSON is handled in steps, in bytes or characters. A step takes up to 3 ms for each MiB. */
export const LARGE_JSON = 1024 * 1024;

let lastTurn: Promise<void> = Promise.resolve();

/** Waits for a turn of the event loop that no other caller gets, so that long steps block it only one at a time. */
export function awaitOwnTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => yieldToEventLoop());
  return lastTurn;
}

/** Prints a JSON text for sending; a large one in several turns of the event loop. */
export async function printJson(value: object): Promise<string | Buffer> {
  if (countCharacters(value, LARGE_JSON) < LARGE_JSON) return JSON.stringify(value);
  await awaitOwnTurn();
  const printed: Buffer[] = [];
  let characters = 0;
  for (const part of printJsonInParts(value)) {
    printed.push(Buffer.from(part));
    characters += part.length;
    if (characters < STEP_CHARACTERS) continue;
    characters = 0;
    await awaitOwnTurn();
  }
  return Buffer.concat(printed);
}

/** Length of the parts in which a JSON text is printed. */
const PART_CHARACTERS = 64 * 1024;
/** Printed between two turns of the event loop: up to 5 ms. */
const STEP_CHARACTERS = 512 * 1024;

/** Prints a JSON text in parts, each in about a millisecond, so that no long text in it is copied as a whole. */
export function* printJsonInParts(value: unknown): Generator<string, void, undefined> {
  if (!isLong(value)) yield JSON.stringify(value);
  else if (typeof value === 'string') yield* printText(value);
  else if (Array.isArray(value)) yield* printList(value);
  else yield* printMembers(value as object);
}

function isLong(value: unknown): boolean {
  return countCharacters(value, PART_CHARACTERS) >= PART_CHARACTERS;
}

function* printText(text: string): Generator<string, void, undefined> {
  yield '"';
  for (const part of cutText(text, PART_CHARACTERS)) yield JSON.stringify(part).slice(1, -1);
  yield '"';
}

function* printList(list: readonly unknown[]): Generator<string, void, undefined> {
  let before = '[';
  let batch: unknown[] = [];
  let characters = 0;
  const takeBatch = () => {
    const printed = before + JSON.stringify(batch).slice(1, -1);
    before = ',';
    batch = [];
    characters = 0;
    return printed;
  };
  for (const item of list) {
    const length = countCharacters(item, PART_CHARACTERS);
    if (length < PART_CHARACTERS) {
      batch.push(item);
      characters += length;
      if (characters >= PART_CHARACTERS) yield takeBatch();
      continue;
    }
    if (batch.length > 0) yield takeBatch();
    yield before;
    before = ',';
    yield* printJsonInParts(item);
  }
  yield batch.length > 0 ? `${takeBatch()}]` : ']';
}

function* printMembers(object: object): Generator<string, void, undefined> {
  let printed = '{';
  let before = '';
  for (const [name, member] of Object.entries(object)) {
    const isInParts = isLong(member);
    const json = isInParts ? '' : JSON.stringify(member);
    if (json === undefined) continue;
    printed += `${before}${JSON.stringify(name)}:${json}`;
    before = ',';
    if (!isInParts && printed.length < PART_CHARACTERS) continue;
    yield printed;
    printed = '';
    if (isInParts) yield* printJsonInParts(member);
  }
  yield `${printed}}`;
}

/** Cuts a text into parts of about this length. */
export function* cutText(text: string, characters: number): Generator<string, void, undefined> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + characters;
    // The halves of a character that is cut would be printed as escapes.
    if (isFirstHalf(text.charCodeAt(end - 1))) end += 1;
    yield text.slice(start, end);
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/**
 * Returns a length that is at most that of the JSON text and takes less time to find out.
 * @param enough length from which it stops counting. Default: it counts everything.
 */
export function countCharacters(value: unknown, enough = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      count += 1 + countCharacters(item, enough - count);
      if (count >= enough) break;
    }
    return count;
  }
  for (const name in value) {
    // Quotes, colon and comma.
    count += name.length + 4 + countCharacters((value as Record<string, unknown>)[name], enough - count);
    if (count >= enough) break;
  }
  return count;
}

import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Size from which JSON is handled in steps, in bytes or characters. A step takes up to 3 ms for each MiB. */
export const LARGE_JSON = 1024 * 1024;

let lastTurn: Promise<void> = Promise.resolve();

/** Waits for a turn of the event loop that no other caller gets, so that long steps block it only one at a time. */
export function awaitOwnTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => yieldToEventLoop());
  return lastTurn;
}

/** Prints a JSON text for sending; a large one in its own turns. */
export async function printJson(value: object): Promise<string | Buffer> {
  if (countCharacters(value) < LARGE_JSON) return JSON.stringify(value);
  await awaitOwnTurn();
  const text = JSON.stringify(value);
  await awaitOwnTurn();
  return Buffer.from(text);
}

/** Length from which a text is printed by itself, and of the parts in which it is printed, in characters. */
const PART_CHARACTERS = 64 * 1024;

/** Prints a JSON text in parts, so that a long text in it is not copied as a whole. */
export function* printJsonInParts(value: object): Generator<string, void, undefined> {
  const mark = randomUUID();
  const texts: string[] = [];
  const json = JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'string' && member.length > PART_CHARACTERS ? `${mark}${texts.push(member) - 1}` : member,
  );
  for (const [at, between] of json.split(new RegExp(`${mark}\\d+`)).entries()) {
    yield between;
    const text = texts[at] ?? '';
    for (let start = 0; start < text.length; start += PART_CHARACTERS)
      yield JSON.stringify(text.slice(start, start + PART_CHARACTERS)).slice(1, -1);
  }
}

/** Returns the length of all names and texts, which is at most that of the JSON text and takes less time to find out. */
export function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((count, item) => count + countCharacters(item), 0);
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((count, [name, member]) => count + name.length + countCharacters(member), 0);
}

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

/** Prints a JSON text for sending; a large one in several turns of the event loop. */
export async function printJson(value: object): Promise<string | Buffer> {
  if (countCharacters(value) < LARGE_JSON) return JSON.stringify(value);
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

/** Length from which a text is printed by itself, in characters. */
const LONG_CHARACTERS = 4096;
/** Length of the parts in which such a text is printed. */
const PART_CHARACTERS = 64 * 1024;
/** Printed between two turns of the event loop: up to 5 ms. */
const STEP_CHARACTERS = 512 * 1024;

/** Prints a JSON text in parts, so that a long text in it is not copied as a whole. */
export function* printJsonInParts(value: object): Generator<string, void, undefined> {
  const mark = randomUUID();
  const texts: string[] = [];
  const json = JSON.stringify(replaceLongTexts(value, (text) => `${mark}${texts.push(text) - 1}`));
  for (const [at, between] of json.split(new RegExp(`${mark}\\d+`)).entries()) {
    yield between;
    const text = texts[at] ?? '';
    for (let start = 0, end = 0; start < text.length; start = end) {
      end = start + PART_CHARACTERS;
      // The halves of a character that is cut would be printed as escapes.
      if (isFirstHalf(text.charCodeAt(end - 1))) end += 1;
      yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    }
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** Returns the value with other texts instead of its long ones. Copies only what contains them. */
function replaceLongTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return value.length > LONG_CHARACTERS ? replace(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  let copy: object | undefined;
  for (const [name, member] of Object.entries(value)) {
    const replaced = replaceLongTexts(member, replace);
    if (replaced === member) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    Object.defineProperty(copy, name, { value: replaced, enumerable: true });
  }
  return copy ?? value;
}

/** Returns the length of all names and texts, which is at most that of the JSON text and takes less time to find out. */
export function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((count, item) => count + countCharacters(item), 0);
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((count, [name, member]) => count + name.length + countCharacters(member), 0);
}

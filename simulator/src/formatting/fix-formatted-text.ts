import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { findEntities } from './find-entities.ts';
import type { FormattedText } from './formatted-text.ts';

/**
 * Normalizes a text as Telegram's servers do: removes control characters, checks entities, trims white space at both
 * ends, drops empty entities, detects mentions, commands and links.
 * Order and wording follow `clean_input_string_with_entities` and `fix_formatted_text` of TDLib.
 * @throws ApiError 400 if an entity ends outside the text or splits a character.
 */
export function fixFormattedText(given: FormattedText): FormattedText {
  const cleaned = clean({ text: given.text, entities: given.entities.filter((entity) => entity.length > 0) });
  const trimmed = trim(cleaned);
  const entities = [...trimmed.entities, ...findEntities(trimmed.text, trimmed.entities)];
  return { text: trimmed.text, entities: sortEntities(entities) };
}

/** Removes `\r`, replaces other control characters by spaces, and shifts the entities accordingly. */
function clean({ text, entities }: FormattedText): FormattedText {
  const sorted = sortEntities(entities);
  for (const entity of sorted) checkBounds(text, entity);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
  if (!/[\u0000-\u0009\u000b-\u001f]/.test(text)) return { text, entities: sorted };
  const positions: number[] = [];
  let result = '';
  for (const unit of splitUnits(text)) {
    positions.push(result.length);
    if (unit === '\r') continue;
    result += unit < ' ' && unit !== '\n' ? ' ' : unit;
  }
  positions.push(result.length);
  return { text: result, entities: sorted.map((entity) => moveEntity(entity, (at) => positions[at] ?? result.length)) };
}

function splitUnits(text: string): string[] {
  return text.split('');
}

function checkBounds(text: string, { offset, length }: MessageEntity): void {
  const end = offset + length;
  if (offset < 0 || offset >= text.length) {
    throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
  }
  if (cutsCharacter(text, offset)) {
    throw badRequest(`entity begins in a middle of a UTF-16 symbol at byte offset ${byteOffset(text, offset + 1)}`);
  }
  if (end > text.length) {
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${end}`,
    );
  }
  if (cutsCharacter(text, end)) {
    const at = byteOffset(text, end + 1);
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at byte offset ${at}`,
    );
  }
}

function cutsCharacter(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}

function byteOffset(text: string, at: number): number {
  return Buffer.byteLength(text.slice(0, at), 'utf8');
}

function trim({ text, entities }: FormattedText): FormattedText {
  // White space at the start is kept if an entity begins in it, such as the indentation of a code block.
  const firstEntity = entities[0]?.offset ?? text.length;
  const start = Math.min(firstEntity, text.length - text.trimStart().length);
  const end = text.trimEnd().length;
  if (end <= start) return { text: '', entities: [] };
  const fit = (at: number) => Math.min(Math.max(at, start), end) - start;
  const trimmed = text.slice(start, end);
  return {
    text: trimmed,
    entities: entities.map((entity) => moveEntity(entity, fit)).filter((entity) => isWorthKeeping(trimmed, entity)),
  };
}

function isWorthKeeping(text: string, entity: MessageEntity): boolean {
  if (entity.length <= 0) return false;
  return LITERAL.has(entity.type) || text.slice(entity.offset, entity.offset + entity.length).trim() !== '';
}

const LITERAL: ReadonlySet<string> = new Set(['code', 'pre']);

function moveEntity(entity: MessageEntity, toNewPosition: (at: number) => number): MessageEntity {
  const offset = toNewPosition(entity.offset);
  return { ...entity, offset, length: toNewPosition(entity.offset + entity.length) - offset };
}

/** Order of entities with the same range, lowest first: quotes, then others, text styles, custom emoji. Default 50. */
const PRIORITIES: { readonly [type in MessageEntity['type']]?: number } = {
  blockquote: 0,
  expandable_blockquote: 0,
  pre: 11,
  code: 20,
  text_link: 49,
  text_mention: 49,
  bold: 90,
  italic: 91,
  underline: 92,
  strikethrough: 93,
  spoiler: 94,
  custom_emoji: 99,
};

function priorityOf({ type }: MessageEntity): number {
  return PRIORITIES[type] ?? 50;
}

/** Sorts entities by offset; at the same offset, the longest first, as Telegram lists them. */
export function sortEntities(entities: readonly MessageEntity[]): MessageEntity[] {
  return [...entities].sort(
    (one, other) => one.offset - other.offset || other.length - one.length || priorityOf(one) - priorityOf(other),
  );
}

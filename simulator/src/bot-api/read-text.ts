import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { fixFormattedText } from '../formatting/fix-formatted-text.ts';
import type { FormattedText } from '../formatting/formatted-text.ts';
import { parseHtml } from '../formatting/parse-html.ts';
import { parseMarkdown } from '../formatting/parse-markdown.ts';
import { parseMarkdownV2 } from '../formatting/parse-markdown-v2.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { toApiUser } from '../world/views.ts';
import type { World } from '../world/world.ts';
import { type Params, readArray, readString } from './params.ts';

/** Maximum length of a message text in UTF-16 units, after parsing. */
const TEXT_LENGTH = 4096;
/** Maximum length of a caption in UTF-16 units, after parsing. */
const CAPTION_LENGTH = 1024;

/**
 * Reads, parses and checks the `text` of a message; never empty. @throws ApiError 400; `tooLong` is the reason given
 * for a text that is too long.
 */
export function readText(world: World, params: Params, tooLong = TEXT_FIELDS.tooLong): FormattedText {
  const text = readFormatted(world, params, { ...TEXT_FIELDS, tooLong });
  if (readString(params, 'text') === undefined) throw badRequest('message text is empty');
  if (text.text === '') throw badRequest('text must be non-empty');
  return text;
}

/** Like `readText`, but accepts an empty text, for drafts. */
export function readOptionalText(world: World, params: Params): FormattedText {
  return readFormatted(world, params, TEXT_FIELDS);
}

/** Reads the `caption` of a message; empty if there is none. @throws ApiError 400 */
export function readCaption(world: World, params: Params): FormattedText {
  return readFormatted(world, params, CAPTION_FIELDS);
}

/** Converts a text to message content, without an empty `entities` array. */
export function toTextContent({ text, entities }: FormattedText): { text: string; entities?: MessageEntity[] } {
  return { text, ...(entities.length === 0 ? {} : { entities }) };
}

/** Converts a caption to message content; an empty caption gives no fields. */
export function toCaptionContent(caption: FormattedText): { caption?: string; caption_entities?: MessageEntity[] } {
  const { text, entities } = caption;
  if (text === '') return {};
  return { caption: text, ...(entities.length === 0 ? {} : { caption_entities: entities }) };
}

interface TextFields {
  readonly text: string;
  readonly entities: string;
  readonly maxLength: number;
  readonly tooLong: string;
}

const TEXT_FIELDS: TextFields = {
  text: 'text',
  entities: 'entities',
  maxLength: TEXT_LENGTH,
  tooLong: 'message is too long',
};
const CAPTION_FIELDS: TextFields = {
  text: 'caption',
  entities: 'caption_entities',
  maxLength: CAPTION_LENGTH,
  tooLong: 'message caption is too long',
};

function readFormatted(world: World, params: Params, fields: TextFields): FormattedText {
  const text = (readString(params, fields.text) ?? '').toWellFormed();
  const parse = readParser(params);
  const given = parse?.(text) ?? { text, entities: readEntities(readArray(params, fields.entities) ?? []) };
  const fixed = fixFormattedText({ text: given.text, entities: resolveMentions(world, given.entities) });
  if (fixed.text.length > fields.maxLength) throw badRequest(fields.tooLong);
  return fixed;
}

/** Parsers by lower-case `parse_mode`. */
const PARSERS: { readonly [mode: string]: (text: string) => FormattedText } = {
  html: parseHtml,
  markdown: parseMarkdown,
  markdownv2: parseMarkdownV2,
};

function readParser(params: Params): ((text: string) => FormattedText) | undefined {
  const mode = readString(params, 'parse_mode')?.toLowerCase();
  if (mode === undefined || mode === 'none') return undefined;
  const parser = PARSERS[mode];
  if (!parser) throw badRequest('unsupported parse_mode');
  return parser;
}

/** Entities that a bot may specify. The others are always detected in the text. */
const NAMEABLE: ReadonlySet<string> = new Set([
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
  'code',
]);

/** Reads entities specified by the bot. @throws ApiError 400 if one is malformed. */
export function readEntities(values: readonly unknown[]): MessageEntity[] {
  return values.flatMap((value) => {
    if (!isJsonObject(value)) throw badRequest("can't parse MessageEntity: expected an Object");
    const entity = readEntity(value);
    return entity ? [entity] : [];
  });
}

function readEntity(value: JsonObject): MessageEntity | undefined {
  const { type, offset, length } = value;
  if (typeof type !== 'string') throw badRequest('can\'t parse MessageEntity: Can\'t find field "type"');
  if (typeof offset !== 'number' || typeof length !== 'number') {
    throw badRequest('can\'t parse MessageEntity: Field "offset" must be a valid Number');
  }
  const place = { offset, length };
  switch (type) {
    case 'pre':
      return { type, ...place, ...(typeof value.language === 'string' ? { language: value.language } : {}) };
    case 'text_link':
      return { type, ...place, url: String(value.url) };
    case 'text_mention': {
      const id = isJsonObject(value.user) ? Number(value.user.id) : Number.NaN;
      return { type, ...place, user: { id, is_bot: false, first_name: '' } };
    }
    case 'custom_emoji':
      return { type, ...place, custom_emoji_id: String(value.custom_emoji_id) };
    default:
      return NAMEABLE.has(type) ? Object.assign({ type: 'bold' as const, ...place }, { type }) : undefined;
  }
}

/** Drops mentions of unknown users, as Telegram does. */
function resolveMentions(world: World, entities: readonly MessageEntity[]): MessageEntity[] {
  return entities.flatMap((entity): MessageEntity[] => {
    if (entity.type !== 'text_mention') return [entity];
    const person = world.people.get(entity.user.id);
    return person ? [{ ...entity, user: toApiUser(person) }] : [];
  });
}

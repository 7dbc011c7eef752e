import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MessageEntity, ParseMode } from '@grammyjs/types';
import { configure, execute } from 'tdl';
import { isJsonObject, type JsonObject } from '../../../src/lib/json/json.ts';
import { orSkip } from '../vitest/tiers.ts';

/** Telegram's own implementation of formatted texts, offline. */
export interface Tdlib {
  /** Parses a `parse_mode` text. @throws an Error with Telegram's wording. */
  parseTextEntities(text: string, mode: ParseMode): { readonly text: string; readonly entities: MessageEntity[] };
  /** Returns the entities that Telegram detects: mentions, hashtags, commands, links, e-mail addresses, numbers. */
  getTextEntities(text: string): MessageEntity[];
}

const PACKAGE = '@prebuilt-tdlib/linux-x64-glibc';
const MISSING = `TDLib is not there: npm install --no-save ${PACKAGE}@0.1008067.0 (or name its folder in TDLIB_PACKAGE_DIR)`;

let loaded: { readonly tdlib: Tdlib | undefined } | undefined;

/**
 * Loads TDLib from the project's node_modules, or from the folder `TDLIB_PACKAGE_DIR` (the package itself or a prefix
 * of `npm install --prefix`). Skips like `orSkip`. Loaded once per process, because native code can't be loaded twice.
 */
export function loadTdlib(): Tdlib | undefined {
  loaded ??= { tdlib: openTdlib() };
  return loaded.tdlib;
}

function openTdlib(): Tdlib | undefined {
  const libraryPath = orSkip(findLibrary(), MISSING);
  if (libraryPath === undefined) return undefined;
  configure({ tdjson: libraryPath, verbosityLevel: 0 });
  return {
    parseTextEntities(text, mode) {
      const answer = call({ _: 'parseTextEntities', text, parse_mode: toTdParseMode(mode) });
      return { text: String(answer.text), entities: toEntities(answer.entities) };
    },
    getTextEntities: (text) => toEntities(call({ _: 'getTextEntities', text }).entities),
  };
}

function findLibrary(): string | undefined {
  const folder = process.env.TDLIB_PACKAGE_DIR;
  const candidates = folder ? [folder, join(folder, 'node_modules', PACKAGE)] : [findInstalledPackage()];
  return candidates.map((candidate) => join(candidate ?? '', 'libtdjson.so')).find((path) => existsSync(path));
}

function findInstalledPackage(): string | undefined {
  try {
    return dirname(createRequire(pathToFileURL(import.meta.filename)).resolve(`${PACKAGE}/package.json`));
  } catch {
    return undefined;
  }
}

function call(request: JsonObject & { _: string }): JsonObject {
  // The library's declarations need a large package of generated types.
  const run: (request: JsonObject) => unknown = execute;
  const answer = run(request);
  if (!isJsonObject(answer)) throw new Error(`TDLib gave no answer to ${request._}`);
  if (answer._ === 'error') throw new Error(String(answer.message));
  return answer;
}

function toTdParseMode(mode: ParseMode): JsonObject {
  if (mode === 'HTML') return { _: 'textParseModeHTML' };
  return { _: 'textParseModeMarkdown', version: mode === 'MarkdownV2' ? 2 : 1 };
}

const ENTITY_TYPES: { readonly [tdType: string]: MessageEntity.CommonMessageEntity['type'] } = {
  textEntityTypeMention: 'mention',
  textEntityTypeHashtag: 'hashtag',
  textEntityTypeCashtag: 'cashtag',
  textEntityTypeBotCommand: 'bot_command',
  textEntityTypeUrl: 'url',
  textEntityTypeEmailAddress: 'email',
  textEntityTypePhoneNumber: 'phone_number',
  textEntityTypeBold: 'bold',
  textEntityTypeItalic: 'italic',
  textEntityTypeUnderline: 'underline',
  textEntityTypeStrikethrough: 'strikethrough',
  textEntityTypeSpoiler: 'spoiler',
  textEntityTypeBlockQuote: 'blockquote',
  textEntityTypeExpandableBlockQuote: 'expandable_blockquote',
  textEntityTypeCode: 'code',
};

function toEntities(value: unknown): MessageEntity[] {
  return Array.isArray(value) ? value.flatMap(toEntity) : [];
}

/** Converts an entity of TDLib to the Bot API; kinds that the Bot API lacks (bank cards, timestamps) are dropped. */
function toEntity(value: unknown): MessageEntity[] {
  if (!isJsonObject(value) || !isJsonObject(value.type)) return [];
  const chatTopic = { offset: Number(value.offset), length: Number(value.length) };
  const type = value.type;
  switch (type._) {
    case 'textEntityTypePre':
      return [{ type: 'pre', ...chatTopic }];
    case 'textEntityTypePreCode':
      return [{ type: 'pre', ...chatTopic, language: String(type.language) }];
    case 'textEntityTypeTextUrl':
      return [{ type: 'text_link', ...chatTopic, url: String(type.url) }];
    case 'textEntityTypeMentionName':
      return [
        { type: 'text_mention', ...chatTopic, user: { id: Number(type.user_id), is_bot: false, first_name: '' } },
      ];
    case 'textEntityTypeCustomEmoji':
      return [{ type: 'custom_emoji', ...chatTopic, custom_emoji_id: String(type.custom_emoji_id) }];
    default: {
      const common = ENTITY_TYPES[String(type._)];
      return common ? [{ type: common, ...chatTopic }] : [];
    }
  }
}

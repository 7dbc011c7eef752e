import type {
  ForceReply,
  InlineKeyboardButton,
  InlineKeyboardMarkup,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
} from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { type Params, readObject } from './params.ts';

export interface ReplyMarkup {
  readonly inline?: InlineKeyboardMarkup;
  readonly keyboard?: ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply;
}

const MAX_BUTTONS = 100;
const MAX_CALLBACK_DATA_BYTES = 64;

/** Reads `reply_markup` of any kind. An empty inline keyboard counts as none. @throws ApiError 400 */
export function readReplyMarkup(params: Params): ReplyMarkup {
  const markup = readObject(params, 'reply_markup');
  if (!markup) return {};
  const inline = readInlineKeyboard(markup);
  if (inline) return inline.inline_keyboard.length === 0 ? {} : { inline };
  if (isReplyKeyboard(markup)) return { keyboard: markup };
  return {};
}

/** Converts the inline keyboard, if any, to message content. */
export function toMarkupContent(markup: ReplyMarkup): { reply_markup?: InlineKeyboardMarkup } {
  return markup.inline ? { reply_markup: markup.inline } : {};
}

/**
 * Returns an inline keyboard without empty rows; undefined if the markup is of another kind. @throws ApiError 400 for
 * an ill-formed keyboard.
 */
export function readInlineKeyboard(markup: unknown): InlineKeyboardMarkup | undefined {
  if (!isJsonObject(markup)) return undefined;
  const rows = markup.inline_keyboard;
  if (rows === undefined) return undefined;
  if (!Array.isArray(rows)) {
    throw badRequest('can\'t parse inline keyboard: Field "inline_keyboard" must be of type Array');
  }
  const keyboard = rows.map((row) => {
    if (!Array.isArray(row)) throw badRequest("can't parse inline keyboard: expected an Array of Array");
    return row.map(readInlineButton);
  });
  if (keyboard.flat().length > MAX_BUTTONS) throw badRequest('reply markup is too long');
  return { inline_keyboard: keyboard.filter((row) => row.length > 0) };
}

/** Fields that determine the kind of a button. Each button needs one; the first match counts. */
const BUTTON_KINDS = [
  'url',
  'callback_data',
  'web_app',
  'login_url',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'copy_text',
  'disabled',
  'callback_game',
  'pay',
];

function readInlineButton(button: unknown): InlineKeyboardButton {
  if (!isJsonObject(button)) throw badRequest("can't parse inline keyboard button: expected an Object");
  if (typeof button.text !== 'string') {
    throw badRequest('can\'t parse inline keyboard button: Can\'t find field "text"');
  }
  if (button.text.trim() === '') throw badRequest("can't parse inline keyboard button: button text must be non-empty");
  const [, ...ignored] = BUTTON_KINDS.filter((name) => button[name] !== undefined);
  const read = Object.fromEntries(Object.entries(button).filter(([name]) => !ignored.includes(name)));
  if (!isInlineButton(read)) {
    throw badRequest("can't parse inline keyboard button: text buttons are unallowed in the inline keyboard");
  }
  checkCallbackData(read);
  checkUrl(read);
  return read;
}

function isInlineButton(button: JsonObject): button is JsonObject & InlineKeyboardButton {
  return BUTTON_KINDS.some((name) => button[name] !== undefined);
}

function checkCallbackData({ callback_data: data }: JsonObject): void {
  if (data === undefined) return;
  const bytes = typeof data === 'string' ? Buffer.byteLength(data, 'utf8') : 0;
  if (bytes < 1 || bytes > MAX_CALLBACK_DATA_BYTES) throw badRequest('BUTTON_DATA_INVALID');
}

function checkUrl({ url }: JsonObject): void {
  if (url === undefined) return;
  const isUsable = typeof url === 'string' && (/^(tg|ton|tonsite):/.test(url) || isWebUrl(url));
  if (!isUsable) throw badRequest(`inline keyboard button URL '${String(url)}' is invalid: Wrong HTTP URL`);
}

/** Tells whether Telegram accepts the URL. It refuses host names without a dot, such as `localhost`. */
function isWebUrl(url: string): boolean {
  const parsed = URL.parse(/^[a-z]+:\/\//i.test(url) ? url : `http://${url}`);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && /[.:]/.test(parsed.hostname);
}

function isReplyKeyboard(
  markup: JsonObject,
): markup is JsonObject & (ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply) {
  if (markup.remove_keyboard === true || markup.force_reply === true) return true;
  if (markup.keyboard === undefined) return false;
  if (!Array.isArray(markup.keyboard) || !markup.keyboard.every(Array.isArray)) {
    throw badRequest("can't parse reply keyboard markup JSON object");
  }
  return true;
}

import type { ForceReply, InlineKeyboardMarkup, ReplyKeyboardMarkup, ReplyKeyboardRemove } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { type Params, readObject } from './params.ts';

export interface ReplyMarkup {
  readonly inline?: InlineKeyboardMarkup;
  readonly keyboard?: ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply;
}

const MAX_BUTTONS = 100;
const MAX_CALLBACK_DATA_BYTES = 64;

/** `reply_markup` of a call, of whichever kind. An empty inline keyboard is none. @throws ApiError 400 */
export function readReplyMarkup(params: Params): ReplyMarkup {
  const markup = readObject(params, 'reply_markup');
  if (!markup) return {};
  if (isInlineKeyboard(markup)) {
    const rows = markup.inline_keyboard.filter((row) => row.length > 0);
    return rows.length === 0 ? {} : { inline: { ...markup, inline_keyboard: rows } };
  }
  if (isReplyKeyboard(markup)) return { keyboard: markup };
  return {};
}

/** As message content: nothing where there is no inline keyboard. */
export function toMarkupContent(markup: ReplyMarkup): { reply_markup?: InlineKeyboardMarkup } {
  return markup.inline ? { reply_markup: markup.inline } : {};
}

/** True for a well-formed inline keyboard. @throws ApiError 400 for an ill-formed one. */
export function isInlineKeyboard(markup: unknown): markup is InlineKeyboardMarkup {
  if (!isJsonObject(markup)) return false;
  const rows = markup.inline_keyboard;
  if (rows === undefined) return false;
  if (!Array.isArray(rows)) {
    throw badRequest('can\'t parse inline keyboard: Field "inline_keyboard" must be of type Array');
  }
  for (const row of rows) {
    if (!Array.isArray(row)) throw badRequest("can't parse inline keyboard: expected an Array of Array");
    row.forEach(checkInlineButton);
  }
  if (rows.flat().length > MAX_BUTTONS) throw badRequest('reply markup is too long');
  return true;
}

/** Fields of which a button needs one; it decides what a press does. */
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

function checkInlineButton(button: unknown): void {
  if (!isJsonObject(button)) throw badRequest("can't parse inline keyboard button: expected an Object");
  if (typeof button.text !== 'string') {
    throw badRequest('can\'t parse inline keyboard button: Can\'t find field "text"');
  }
  if (button.text.trim() === '') throw badRequest("can't parse inline keyboard button: button text must be non-empty");
  if (!BUTTON_KINDS.some((kind) => button[kind] !== undefined)) {
    throw badRequest("can't parse inline keyboard button: text buttons are unallowed in the inline keyboard");
  }
  checkCallbackData(button);
  checkUrl(button);
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

/** Telegram refuses names without a dot, so no buttons lead to `http://localhost`. */
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

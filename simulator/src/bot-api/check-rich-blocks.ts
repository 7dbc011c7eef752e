import { badRequest } from '../api-error.ts';
import { isJsonObject, type JsonObject } from '../json.ts';

/** Type of a field in a block or rich text. */
type FieldKind = 'text' | 'blocks' | 'text or blocks' | 'items' | 'cells' | 'string' | 'number' | 'object';

/** Required fields of each block, from `InputRichBlock` of the Bot API. */
const BLOCK_FIELDS: { readonly [type: string]: { readonly [field: string]: FieldKind } } = {
  paragraph: { text: 'text' },
  heading: { text: 'text', size: 'number' },
  pre: { text: 'text' },
  footer: { text: 'text' },
  divider: {},
  mathematical_expression: { expression: 'string' },
  anchor: { name: 'string' },
  list: { items: 'items' },
  blockquote: { blocks: 'blocks' },
  // Since 22 November 2026 it has blocks; before, it had a text.
  expandable_blockquote: { blocks: 'text or blocks' },
  pullquote: { text: 'text' },
  collage: { blocks: 'blocks' },
  slideshow: { blocks: 'blocks' },
  table: { cells: 'cells' },
  details: { summary: 'text', blocks: 'blocks' },
  map: { location: 'object', zoom: 'number', width: 'number', height: 'number' },
  buttons: {},
  thinking: { text: 'text' },
};

/** Required fields of rich texts that are objects, from `RichText` of the Bot API. */
const TEXT_FIELDS: { readonly [type: string]: { readonly [field: string]: FieldKind } } = {
  ...Object.fromEntries(
    ['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'subscript', 'superscript', 'marked', 'code'].map(
      (type) => [type, { text: 'text' as const }],
    ),
  ),
  date_time: { text: 'text', unix_time: 'number', date_time_format: 'string' },
  text_mention: { text: 'text', user: 'object' },
  custom_emoji: { custom_emoji_id: 'string', alternative_text: 'string' },
  mathematical_expression: { expression: 'string' },
  url: { text: 'text', url: 'string' },
  email_address: { text: 'text', email_address: 'string' },
  phone_number: { text: 'text', phone_number: 'string' },
  bank_card_number: { text: 'text', bank_card_number: 'string' },
  mention: { text: 'text', username: 'string' },
  hashtag: { text: 'text', hashtag: 'string' },
  cashtag: { text: 'text', cashtag: 'string' },
  bot_command: { text: 'text', bot_command: 'string' },
  button: {},
  anchor: { name: 'string' },
  anchor_link: { text: 'text', anchor_name: 'string' },
  reference: { text: 'text', name: 'string' },
  reference_link: { text: 'text', reference_name: 'string' },
};

/** Validates blocks against the Bot API. @throws ApiError 400; except for lists, Telegram's wording is not known. */
export function checkRichBlocks(blocks: readonly unknown[]): void {
  for (const block of blocks) checkFields(block, BLOCK_FIELDS, 'InputRichBlock');
}

function checkFields(value: unknown, known: typeof BLOCK_FIELDS, name: string): void {
  const type = isJsonObject(value) ? value.type : undefined;
  const fields = typeof type === 'string' && Object.hasOwn(known, type) ? known[type] : undefined;
  if (!isJsonObject(value) || !fields) throw refusal(`${name} has the unknown type "${String(type)}"`);
  for (const [field, kind] of Object.entries(fields)) checkField(value, field, kind);
  if (type === 'heading' && !isBetween(value.size, 1, 6)) throw refusal('the size of a heading must be from 1 to 6');
}

function checkField(owner: JsonObject, field: string, kind: FieldKind): void {
  const value = owner[field];
  const list = (): readonly unknown[] => {
    if (!Array.isArray(value)) throw refusal(`field "${field}" must be an Array`);
    return value;
  };
  switch (kind) {
    case 'text':
      checkText(value);
      break;
    case 'blocks':
      checkRichBlocks(list());
      break;
    case 'text or blocks':
      if (value === undefined) checkText(owner.text);
      else checkRichBlocks(list());
      break;
    case 'items':
      checkItems(list());
      break;
    case 'cells':
      for (const row of list()) checkRow(row);
      break;
    case 'string':
    case 'number':
    case 'object':
      if (nameType(value) !== kind) throw refusal(`field "${field}" must be of type ${kind}`);
  }
}

const ITEM_TYPES = new Set(['1', 'a', 'A', 'i', 'I']);

/** Follows TDLib: items with a type are numbered, items without one are not. */
function checkItems(items: readonly unknown[]): void {
  if (items.length === 0) throw badRequest('list must be non-empty');
  const types = items.map((item) => {
    const fields = isJsonObject(item) ? item : {};
    checkField(fields, 'blocks', 'blocks');
    return fields.type ?? '';
  });
  if (types.some((type) => type !== '' && !ITEM_TYPES.has(String(type)))) {
    throw badRequest('invalid list item type specified');
  }
  if (new Set(types.map((type) => type === '')).size > 1) throw badRequest('list must be either ordered or unordered');
}

function nameType(value: unknown): string {
  return typeof value;
}

function checkText(text: unknown): void {
  if (typeof text === 'string') return;
  if (Array.isArray(text)) for (const part of text) checkText(part);
  else checkFields(text, TEXT_FIELDS, 'RichText');
}

function checkRow(row: unknown): void {
  if (!Array.isArray(row)) throw refusal('a row of a table must be an Array');
  for (const cell of row) {
    if (!isJsonObject(cell)) throw refusal('a cell of a table must be an Object');
    if (cell.text !== undefined) checkText(cell.text);
    if (!['left', 'center', 'right'].includes(String(cell.align))) throw refusal('a cell must have an align');
    if (!['top', 'middle', 'bottom'].includes(String(cell.valign))) throw refusal('a cell must have a valign');
  }
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

function refusal(reason: string) {
  return badRequest(`can't parse rich message: ${reason}`);
}

import type { Message, MessageEntity, RichBlock, RichMessage, RichText, Update } from '@grammyjs/types';

/** Closest plain equivalent of a rich message. */
interface PlainForm {
  /** At most `MAX_CHARACTERS`. */
  readonly text: string;
  /** Offsets and lengths in UTF-16 units of `text`, as in the Bot API. */
  readonly entities: readonly MessageEntity[];
  /** The first file in the blocks, under its field name of a message; empty if there is none. */
  readonly file: Pick<Message, 'photo' | 'video' | 'animation' | 'audio' | 'document' | 'voice'>;
  /** Types of blocks and texts that could not be read, each once; at most 10. */
  readonly unread: readonly string[];
}

/** Message whose rich message was only partly read. */
interface PartlyRead {
  readonly unread_rich_parts?: readonly string[];
}

/** Telegram allows 32,768 (Bot API, rich message limits); list markers and separators add some. */
const MAX_CHARACTERS = 40_000;
/** Telegram allows 16 levels, but webhook input is not validated. */
const MAX_DEPTH = 40;
const MAX_UNREAD = 10;
const MAX_TYPE_CHARACTERS = 40;
/** Types of blocks that have no text, as far as they are known. */
const TEXTLESS: ReadonlySet<string> = new Set(['anchor', 'buttons', 'divider']);

type Bearer = Partial<Pick<Message, 'text' | 'entities' | 'caption' | 'caption_entities' | 'rich_message'>>;

/**
 * Returns the update with its rich messages, including those replied to, converted to plain ones: their text as `text`,
 * or as `caption` of their first file, with entities for links, mentions and commands. All code that reads messages
 * thus handles rich ones as well. A block that does not match the Bot API's description costs only itself, and is named
 * in `unread_rich_parts`; a rich message of which nothing can be read is left as it is.
 */
export function withPlainText(update: Update): Update {
  try {
    return toPlainUpdate(update);
  } catch {
    // Webhook input is not validated.
    return update;
  }
}

/** Returns the types of the parts of rich messages that `withPlainText` could not read. */
export function listUnreadParts({ message, edited_message: edited }: Update): readonly string[] {
  // Webhook input is not validated.
  const messages: readonly (object | null | undefined)[] = [message, edited, message?.reply_to_message];
  return messages.flatMap((one: PartlyRead | null | undefined) => one?.unread_rich_parts ?? []);
}

function toPlainUpdate(update: Update): Update {
  const press = update.callback_query;
  return {
    ...update,
    ...(update.message && { message: toPlain(update.message) }),
    ...(update.edited_message && { edited_message: toPlain(update.edited_message) }),
    ...(update.channel_post && { channel_post: toPlain(update.channel_post) }),
    ...(update.edited_channel_post && { edited_channel_post: toPlain(update.edited_channel_post) }),
    ...(update.guest_message && { guest_message: toPlain(update.guest_message) }),
    ...(press?.message && { callback_query: { ...press, message: toPlain(press.message) } }),
  } as Update;
}

function toPlain<Carrier extends object>(message: Carrier): Carrier {
  const { reply_to_message: replied } = message as Partial<Message>;
  return { ...message, ...toPlainFields(message), ...(replied && { reply_to_message: toPlain(replied) }) };
}

function toPlainFields({ rich_message: rich, text, caption }: Bearer): Partial<Message> & PartlyRead {
  if (!rich || text !== undefined || caption !== undefined) return {};
  const { text: words, entities, file, unread } = readRichMessage(rich);
  const problems: PartlyRead = unread.length === 0 ? {} : { unread_rich_parts: unread };
  if (Object.keys(file).length > 0) return { ...file, caption: words, caption_entities: [...entities], ...problems };
  return words === '' ? problems : { text: words, entities: [...entities], ...problems };
}

/** Returns the text of a rich message, with an empty line between blocks. Never throws. */
export function readRichMessage(message: Pick<RichMessage, 'blocks'>): PlainForm {
  const reader = new RichReader();
  reader.read(message);
  return reader.finish();
}

const INLINE_ENTITIES = [
  ...(['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code'] as const),
  ...(['mention', 'hashtag', 'cashtag', 'bot_command', 'phone_number'] as const),
];

function isInlineEntity(type: string): type is (typeof INLINE_ENTITIES)[number] {
  return INLINE_ENTITIES.some((supported) => supported === type);
}

/**
 * Visitor that collects text and entities of blocks in one pass. Unknown blocks and texts are read by the fields they
 * share with known ones.
 */
class RichReader {
  #text = '';
  readonly #entities: MessageEntity[] = [];
  #file: PlainForm['file'] = {};
  readonly #unread = new Set<string>();

  read(message: Pick<RichMessage, 'blocks'>): void {
    this.#attempt({ type: 'rich_message' }, () => this.#readBlocks(message.blocks, 0));
  }

  #readBlocks(blocks: readonly RichBlock[], depth: number): void {
    if (depth > MAX_DEPTH) return;
    for (const [index, block] of blocks.entries()) {
      if (this.#text.length >= MAX_CHARACTERS) return;
      if (index > 0) this.#beginLine(2);
      this.#attempt(block, () => this.#readBlock(block, depth));
    }
  }

  /** Reads a part; one that does not match the Bot API's description is left out and recorded. */
  #attempt(part: unknown, read: () => void): void {
    const [text, entityCount] = [this.#text, this.#entities.length];
    try {
      read();
    } catch {
      this.#text = text;
      this.#entities.length = entityCount;
      this.#recordUnread(part);
    }
  }

  #recordUnread(part: unknown): void {
    const type = typeof part === 'object' && part !== null && 'type' in part ? String(part.type) : typeof part;
    if (this.#unread.size < MAX_UNREAD) this.#unread.add(type.slice(0, MAX_TYPE_CHARACTERS));
  }

  finish(): PlainForm {
    const text = this.#text.trimEnd().slice(0, MAX_CHARACTERS).toWellFormed();
    const entities = this.#entities
      .filter(({ offset, length }) => length > 0 && offset + length <= text.length)
      .sort((left, right) => left.offset - right.offset || right.length - left.length);
    return { text, entities, file: this.#file, unread: [...this.#unread] };
  }

  #readBlock(block: RichBlock, depth: number): void {
    switch (block.type) {
      case 'heading':
        this.#mark('bold', () => this.#readContent(block, depth));
        break;
      case 'pre':
        this.#mark('pre', () => this.#readContent(block, depth), block.language && { language: block.language });
        break;
      case 'mathematical_expression':
        this.#write('$$', block.expression, '$$');
        break;
      case 'divider':
        this.#write('———');
        break;
      case 'list':
        this.#readList(block.items, depth);
        break;
      case 'blockquote':
      case 'expandable_blockquote':
      case 'pullquote':
        this.#mark('blockquote', () => this.#readContent(block, depth));
        this.#readCredit(block.credit, depth);
        break;
      case 'details':
        this.#attempt(block, () => this.#mark('bold', () => this.#readText(block.summary, depth)));
        this.#beginLine(1);
        this.#readContent(block, depth);
        break;
      case 'table':
        this.#readTable(block, depth);
        break;
      case 'map':
        this.#write(`[location] ${block.location.latitude}, ${block.location.longitude}`);
        this.#readCaption(block.caption, depth);
        break;
      default:
        this.#readOther(block, depth);
    }
  }

  #readOther(block: Exclude<RichBlock, { type: 'table' | 'list' | 'map' }>, depth: number): void {
    const length = this.#text.length;
    if ('text' in block || 'blocks' in block) this.#readContent(block, depth);
    const hasFile = this.#takeFile(block);
    if ('caption' in block) this.#readCaption(block.caption, depth);
    if (!hasFile && this.#text.length === length && !TEXTLESS.has(block.type)) this.#recordUnread(block);
  }

  /** Reads what a block consists of: Telegram has had both `text` and `blocks` in blocks of the same type. */
  #readContent(block: object, depth: number): void {
    const { text, blocks } = block as { readonly text?: RichText; readonly blocks?: readonly RichBlock[] };
    if (text !== undefined) this.#readText(text, depth);
    if (text !== undefined && blocks !== undefined) this.#beginLine(1);
    if (blocks !== undefined || text === undefined) this.#readBlocks(blocks ?? missing('blocks'), depth + 1);
  }

  /** Takes the first file of the message. @returns whether the block has one. */
  #takeFile(block: RichBlock): boolean {
    const file = findFile(block);
    if (file && Object.keys(this.#file).length === 0) this.#file = file;
    return file !== undefined;
  }

  #readList(items: Extract<RichBlock, { type: 'list' }>['items'], depth: number): void {
    for (const [index, item] of items.entries()) {
      if (this.#text.length >= MAX_CHARACTERS) return;
      if (index > 0) this.#beginLine(1);
      this.#attempt(item, () => {
        const box = item.has_checkbox ? `[${item.is_checked ? 'x' : ' '}] ` : '';
        this.#write(item.label || '•', ` ${box}`);
        this.#readContent(item, depth);
      });
    }
  }

  /**
   * Writes one line per row with ` | ` between cells. Aligned columns would cost more characters than they are worth.
   */
  #readTable({ cells, caption }: Extract<RichBlock, { type: 'table' }>, depth: number): void {
    for (const [row, columns] of cells.entries()) {
      if (row > 0) this.#beginLine(1);
      for (const [column, cell] of columns.entries()) {
        if (this.#text.length >= MAX_CHARACTERS) return;
        if (column > 0) this.#write(' | ');
        this.#attempt(cell, () => {
          if (cell.text !== undefined) this.#readText(cell.text, depth);
        });
      }
    }
    if (caption !== undefined) this.#readCaption({ text: caption }, depth);
  }

  #readCaption(caption: { readonly text: RichText; readonly credit?: RichText } | undefined, depth: number): void {
    if (!caption) return;
    this.#beginLine(1);
    this.#readText(caption.text, depth);
    this.#readCredit(caption.credit, depth);
  }

  #readCredit(credit: RichText | undefined, depth: number): void {
    if (credit === undefined) return;
    this.#beginLine(1);
    this.#write('— ');
    this.#readText(credit, depth);
  }

  #readText(text: RichText, depth: number): void {
    if (depth > MAX_DEPTH || this.#text.length >= MAX_CHARACTERS) return;
    if (typeof text === 'string') this.#write(text);
    else if (Array.isArray(text)) for (const part of text) this.#attempt(part, () => this.#readText(part, depth + 1));
    else if (text.type === 'mathematical_expression') this.#write('$', text.expression, '$');
    else if (text.type === 'custom_emoji') this.#write(text.alternative_text);
    else if (text.type === 'url') this.#readLink(text, depth);
    else if ('text' in text) this.#readMarked(text, depth);
    else if (!SILENT_TEXTS.has(text.type)) this.#recordUnread(text);
  }

  #readMarked(text: Extract<RichText, { text: RichText }>, depth: number): void {
    const read = () => this.#readText(text.text, depth + 1);
    if (text.type === 'text_mention') this.#mark('text_mention', read, { user: text.user });
    else if (text.type === 'email_address') this.#mark('email', read);
    else if (isInlineEntity(text.type)) this.#mark(text.type, read);
    else read();
  }

  #readLink({ text, url }: Extract<RichText, { type: 'url' }>, depth: number): void {
    const start = this.#text.length;
    const read = () => this.#readText(text, depth + 1);
    this.#mark('text_link', read, { url });
    const shown = this.#text.slice(start);
    // A bare URL gets an entity of type `url`, which has no address field.
    if (shown === url) this.#entities[this.#entities.length - 1] = { type: 'url', offset: start, length: shown.length };
  }

  #mark(type: MessageEntity['type'], read: () => void, more: object | '' | undefined = undefined): void {
    const offset = this.#text.length;
    read();
    const length = this.#text.length - offset;
    if (length > 0) this.#entities.push({ type, offset, length, ...(more || undefined) } as MessageEntity);
  }

  #write(...texts: readonly string[]): void {
    for (const text of texts) if (typeof text !== 'string') missing('text');
    this.#text += texts.join('');
  }

  /** Ends the current line, with an empty line after it if `breaks` is 2. Does nothing at the start of the text. */
  #beginLine(breaks: 1 | 2): void {
    if (this.#text === '') return;
    const present = this.#text.endsWith('\n\n') ? 2 : this.#text.endsWith('\n') ? 1 : 0;
    this.#write('\n'.repeat(Math.max(0, breaks - present)));
  }
}

/** Types of texts that show nothing, or a button. */
const SILENT_TEXTS: ReadonlySet<string> = new Set(['anchor', 'button']);

/** @throws TypeError always */
function missing(field: string): never {
  throw new TypeError(`${field} is missing or of another type`);
}

function findFile(block: RichBlock): PlainForm['file'] | undefined {
  if ('photo' in block) return { photo: block.photo.map(checkFile) };
  if ('video' in block) return { video: checkFile(block.video) };
  if ('animation' in block) return { animation: checkFile(block.animation) };
  if ('audio' in block) return { audio: checkFile(block.audio) };
  if ('document' in block) return { document: checkFile(block.document) };
  return 'voice_note' in block ? { voice: checkFile(block.voice_note) } : undefined;
}

/** @throws TypeError if it has no id */
function checkFile<File extends { readonly file_id: string }>(file: File): File {
  return typeof file.file_id === 'string' ? file : missing('file_id');
}

/** A mark that models write before or after their reasoning. */
export interface ReasoningMark {
  /** `final` begins the answer itself; `end` is of a message of any channel. Only the harmony format has them. */
  readonly type: 'opening' | 'closing' | 'final' | 'end';
  /** The same for the marks of a pair. */
  readonly pair: string;
  readonly length: number;
}

const WORDS = ['think', 'thinking', 'thought', 'thoughts', 'reason', 'reasoning'];
/** `<think>`, `</Thinking >`, `<thought time="3">`, `<seed:think>`. */
const TAG = new RegExp(`<(/?)((?:[a-z]\\w{0,15}[:_])?(?:${WORDS.join('|')}))(?:\\s[^<>]{0,200})?>`, 'iy');
const TAG_BEGINNING = /^<\/?(?:([a-z]\w{0,15}[:_])?([a-z]\w{0,15})?)(\s[^<>]{0,200})?$/i;

/** Marks that have one spelling, as pairs: Magistral, Kimi, Cohere, OpenThinker, Gemma. */
const PAIRS = [
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|channel>thought', '<channel|>'],
] as const;
const SPELLINGS = PAIRS.flat();

/** Pair of all marks of the harmony format. */
export const HARMONY = 'harmony';
/** Header of a message, and the end of the one before: `<|end|><|start|>assistant<|channel|>analysis<|message|>`. */
const HEADER =
  /(?:<\|end\|>)?(?:<\|start\|>assistant[^<\n]{0,100})?<\|channel\|>\s{0,4}(\w{1,20})([^<\n]{0,100})(?:<\|constrain\|>[^<\n]{0,50})?<\|message\|>/y;
const END = /<\|(?:end|return|call)\|>/y;
const HEADER_BEGINNING = /^(?:<\|(?:end|start|channel|constrain)\|>[^<\n]{0,100}){0,4}(?:<(?:\|(?:\w{1,10}\|?)?)?)?$/;

/** Longest beginning of a mark. */
const MAX_MARK_UNITS = 300;

/** Returns the mark at an offset of a text. */
export function readMark(text: string, offset: number): ReasoningMark | undefined {
  for (const pair of PAIRS) {
    if (text.startsWith(pair[0], offset)) return { type: 'opening', pair: pair[0], length: pair[0].length };
    if (text.startsWith(pair[1], offset)) return { type: 'closing', pair: pair[0], length: pair[1].length };
  }
  if (text[offset] !== '<') return undefined;
  const [tag, slash, name = ''] = execAt(TAG, text, offset) ?? [];
  if (tag !== undefined) return { type: slash ? 'closing' : 'opening', pair: name.toLowerCase(), length: tag.length };
  const [header, channel, recipient = ''] = execAt(HEADER, text, offset) ?? [];
  if (header !== undefined) {
    const isReasoning = channel === 'analysis' || recipient.includes('to=');
    return { type: isReasoning ? 'opening' : 'final', pair: HARMONY, length: header.length };
  }
  const end = execAt(END, text, offset);
  return end ? { type: 'end', pair: HARMONY, length: end[0].length } : undefined;
}

/** Returns whether a text is the beginning of a mark. */
export function mayBecomeMark(text: string): boolean {
  if (text.length > MAX_MARK_UNITS) return false;
  if (SPELLINGS.some((mark) => mark.startsWith(text)) || HEADER_BEGINNING.test(text)) return true;
  const [tag, prefix, name = '', attributes] = TAG_BEGINNING.exec(text) ?? [];
  if (tag === undefined) return false;
  const word = name.toLowerCase().replace(/^\w*_/, '');
  if (attributes !== undefined) return WORDS.includes(word);
  return prefix === undefined || WORDS.some((one) => one.startsWith(word));
}

/** Text around a mark. */
export interface MarkContext {
  /** The last characters before it. */
  readonly before: string;
  readonly after: string;
  readonly isAtLineStart: boolean;
}

/** Characters before and after a mark that decide what it is. */
export const CONTEXT_UNITS = 60;

/** Returns whether the text after a mark is enough to decide what the mark is. */
export function isContextWhole(after: string): boolean {
  if (after.length >= CONTEXT_UNITS) return true;
  return /^[ \t]*(?:\n[ \t]*)?[^ \t\n]|^[ \t]*\n[ \t]*\n/.test(after) && !/[\uD800-\uDBFF]$/.test(after);
}

const SENTENCE_END = /[.!?…。！？"”»)\]]$/;
const WORD_END = /[\p{L}\p{N}]$/u;
/** Punctuation of the sentence that names a mark. */
const FOLLOWING = /^[,.;:!?)\]}]/;
const CONTINUED = /^(?:[ \t]+\p{Ll}|[ \t]*[,.;:!?)\]}])/u;
const CONJUNCTION = /^\s*(?:and|or|to|и|или|до|und|oder|et|ou|[,/…–—-]|\.{3})\s*$/iu;
const LINE_END = /^[ \t]*(?:\n|$)/;
const BRACKETS: ReadonlyMap<string, string> = new Map(
  ['()', '[]', '{}', '“”', '‘’', '«»', '„“', '「」'].map(([opening = '', closing = '']) => [opening, closing] as const),
);
/** Quotation marks and Markdown that are the same at both ends. They open if no word precedes them. */
const QUOTES: ReadonlySet<string> = new Set(`"'*_|~\``);
const NO_WORD = /[\s([{«“‘„「/|]/;

/** Returns whether a mark is quoted or emphasized, so that a text names it. */
function isWrapped(before: string, after: string): boolean {
  const last = before.at(-1) ?? '';
  const closing = BRACKETS.get(last) ?? (QUOTES.has(last) && opens(before, last) ? last : undefined);
  return closing !== undefined && after.startsWith(closing);
}

/** Returns whether the run of this sign at the end of a text opens. */
function opens(text: string, sign: string): boolean {
  const start = Math.max(0, text.length - CONTEXT_UNITS);
  let at = text.length;
  while (at > start && text[at - 1] === sign) at -= 1;
  return at === start || NO_WORD.test(text[at - 1] ?? '');
}

/** Returns whether a closing mark is code within reasoning. */
export function isCodeInReasoning(reasoning: string, after: string): boolean {
  return /\s`+$/.test(reasoning.slice(-CONTEXT_UNITS)) && after.startsWith('`');
}

/** Returns whether an opening mark begins reasoning. Otherwise the text around it is about the mark. */
export function beginsReasoning({ before, after, isAtLineStart }: MarkContext): boolean {
  if (isWrapped(before, after)) return false;
  if (isAtLineStart) return true;
  if (FOLLOWING.test(after)) return false;
  const isApart = /\s$/.test(before);
  return isApart ? SENTENCE_END.test(before.trimEnd()) && /^\S/.test(after) : /[\p{L}\p{N}.!?…。！？]$/u.test(before);
}

/** Returns whether a closing mark without an opening one ends reasoning that a chat template has begun. */
export function endsReasoning({ before, after, isAtLineStart }: MarkContext): boolean {
  if (isWrapped(before, after)) return false;
  const isAtLineEnd = LINE_END.test(after);
  if (isAtLineStart) return isAtLineEnd || !CONTINUED.test(after);
  const isApart = /\s$/.test(before);
  const words = before.trimEnd().replace(/(?<=[^\s*_~`])[*_~`]+$/, '');
  const endsSentence = SENTENCE_END.test(words);
  if (isApart) {
    if (isAtLineEnd) return endsSentence || (WORD_END.test(words) && /^[ \t]*\n[ \t]*\n/.test(after));
    return /^\S/.test(after) ? !FOLLOWING.test(after) : endsSentence && !CONTINUED.test(after);
  }
  if (!endsSentence && !WORD_END.test(words)) return isAtLineEnd && !/["'`([{«“‘„「/|]$/.test(words);
  return isAtLineEnd || !FOLLOWING.test(after);
}

/** Returns whether a text after an opening mark may be a sentence about the mark: `<think> is a tag`. */
export function mayBeProse(text: string): boolean {
  return CONTINUED.test(text);
}

/** Returns whether a pair of marks is named by a sentence: `<think> and </think> are tags`. */
export function isConjunction(between: string, after: string): boolean {
  return CONJUNCTION.test(between) && CONTINUED.test(after);
}

function execAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

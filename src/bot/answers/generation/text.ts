import { CodeTracker } from '../../../lib/markdown/code-tracker.ts';
import {
  beginsReasoning,
  CONTEXT_UNITS,
  endsReasoning,
  HARMONY,
  isCodeInReasoning,
  isConjunction,
  isContextWhole,
  mayBecomeMark,
  mayBeProse,
  type ReasoningMark,
  readMark,
} from './reasoning-marks.ts';

const MARK_START = /<(?=[a-z/|]|$)|\[(?=[T/]|$)|◁/gi;

/** Reasoning that has begun and not ended. */
interface Block {
  readonly pair: string;
  /** The opening mark as the model wrote it. */
  readonly opening: string;
  /** The mark may be named by a sentence, which ends without a closing mark. */
  readonly isDoubtful: boolean;
  text: string;
  isShortened: boolean;
}

/**
 * Text of a model while it streams. Reasoning between marks such as `<think>` and `</think>` is kept apart, and so is
 * everything before a closing mark alone, because chat templates write the opening one. Marks in code, and those that a
 * sentence names, belong to the answer. What may still become a mark is not shown.
 */
export class GrowingText {
  /** The end of the text, which may be a mark. */
  #held = '';
  #visible = '';
  /** The last characters of `#visible`: reading them there would copy the whole text. */
  #before = '';
  /** White space between a block in the middle of the answer and the text after it, until that begins. */
  #gap: '' | ' ' | '\n\n' | undefined;
  #reasoning = '';
  #block: Block | undefined;
  #hasHarmony = false;
  /** Pairs whose opening mark is named in the text, with the paragraph. */
  readonly #named = new Map<string, number>();
  readonly #code = new CodeTracker();

  /** Takes constant time per character, however the text is cut into deltas. */
  add(delta: string): void {
    this.#read(delta, false);
  }

  /** Decides what was not clear. No more deltas follow. */
  end(): void {
    this.#read('', true);
    const block = this.#block;
    this.#block = undefined;
    if (block?.isDoubtful && !block.isShortened) this.#append(block.opening + block.text);
    else if (block) this.#addReasoning(block.text);
    this.#visible = this.#visible.trimEnd();
  }

  /** Returns the answer without the reasoning. It begins anew if what was shown turns out to be reasoning. */
  toVisible(): string {
    return this.#visible;
  }

  /** Returns the reasoning; empty if there is none. The middle of long reasoning is left out. */
  toReasoning(): string {
    return joinParagraphs(this.#reasoning, this.#block?.text ?? '');
  }

  #read(delta: string, isComplete: boolean): void {
    const text = this.#held + delta;
    this.#held = '';
    for (let position = 0; position < text.length; ) {
      MARK_START.lastIndex = position;
      const at = MARK_START.exec(text)?.index ?? text.length;
      this.#take(text.slice(position, at));
      if (at === text.length) return;
      const next = this.#readMarkAt(text, at, isComplete);
      if (next === undefined) {
        this.#held = text.slice(at);
        return;
      }
      position = next;
    }
  }

  /** Returns the offset after what was read; undefined if what follows decides and is not known yet. */
  #readMarkAt(text: string, at: number, isComplete: boolean): number | undefined {
    const mark = readMark(text, at);
    const mayGrow = !mark || mark.type === 'end';
    if (!isComplete && mayGrow && mayBecomeMark(text.slice(at))) return undefined;
    const end = at + (mark?.length ?? 1);
    const written = text.slice(at, end);
    if (!mark) this.#take(written);
    else {
      const after = text.slice(end, end + CONTEXT_UNITS);
      if (!isComplete && !isContextWhole(after)) return undefined;
      const isApplied = this.#block ? this.#applyInBlock(this.#block, mark, after) : this.#apply(mark, written, after);
      if (!isApplied) this.#take(written);
    }
    return end;
  }

  #take(text: string): void {
    if (!this.#block) {
      this.#append(text);
      return;
    }
    const whole = this.#block.text + text;
    this.#block.text = withoutMiddle(whole);
    this.#block.isShortened ||= this.#block.text.length < whole.length;
  }

  /** Applies a mark within reasoning. Returns false if it belongs to the reasoning. */
  #applyInBlock(block: Block, mark: ReasoningMark, after: string): boolean {
    const { pair, opening, text } = block;
    if (mark.pair !== pair || (mark.type === 'opening' && pair !== HARMONY)) return false;
    if (isCodeInReasoning(text, after)) return false;
    this.#block = undefined;
    if (isConjunction(text, after)) {
      this.#append(opening + text);
      return false;
    }
    this.#addReasoning(text);
    if (this.#visible !== '') this.#gap = '';
    if (mark.type === 'opening') this.#open(mark, '', after);
    return true;
  }

  /** Applies a mark outside reasoning. Returns false if it belongs to the answer. */
  #apply(mark: ReasoningMark, written: string, after: string): boolean {
    if (this.#isInCode(mark, after)) return false;
    const isBehindBlock = this.#gap !== undefined;
    const before = isBehindBlock ? '' : this.#before;
    const context = { before, after, isAtLineStart: isBehindBlock || this.#code.isAtLineStart() };
    const isNamed = !isBehindBlock && this.#code.isAtItemStart();
    if (mark.type === 'opening') {
      const isOpening = (mark.pair === HARMONY && this.#hasHarmony) || (!isNamed && beginsReasoning(context));
      if (isOpening) this.#open(mark, written, after);
      else this.#named.set(mark.pair, this.#code.paragraph);
      return isOpening;
    }
    if (this.#hasHarmony && mark.pair === HARMONY) return true;
    if (mark.type === 'end' || isNamed) return false;
    if (this.#named.get(mark.pair) === this.#code.paragraph) {
      this.#named.delete(mark.pair);
      return false;
    }
    if (!endsReasoning(context)) return false;
    this.#hasHarmony ||= mark.pair === HARMONY;
    this.#addReasoning(this.#visible);
    this.#visible = '';
    this.#before = '';
    this.#gap = undefined;
    this.#code.reset();
    return true;
  }

  /** A closing mark on a line of its own is in no code span: reasoning may have backticks without a pair. */
  #isInCode({ type }: ReasoningMark, after: string): boolean {
    if (this.#code.isInBlock()) return true;
    const hasOwnLine = type !== 'opening' && this.#code.isAtLineStart() && /^[ \t]*\n/.test(after);
    return this.#code.isInSpan() && !hasOwnLine;
  }

  #open({ pair }: ReasoningMark, written: string, after: string): void {
    this.#hasHarmony ||= pair === HARMONY;
    const isDoubtful = pair !== HARMONY && mayBeProse(after);
    this.#block = { pair, opening: written, isDoubtful, text: '', isShortened: false };
  }

  #append(added: string): void {
    const text = this.#visible === '' ? added.trimStart() : this.#gap === undefined ? added : this.#closeGap(added);
    if (text === '') return;
    // Plain concatenation: the engine does not copy the string with every delta.
    this.#visible += text;
    this.#before = (this.#before + text.slice(-CONTEXT_UNITS)).slice(-CONTEXT_UNITS);
    this.#code.add(text);
  }

  /** Returns the text after a block, with as much white space before it as there was on both sides of the block. */
  #closeGap(added: string): string {
    const words = added.trimStart();
    const space = added.slice(0, added.length - words.length);
    if (space.includes('\n')) this.#gap = '\n\n';
    else if (space !== '') this.#gap ||= ' ';
    if (words === '') return '';
    const written = this.#before.slice(this.#before.trimEnd().length);
    const breaks = written.split('\n').length - 1;
    const isParagraph = this.#gap === '\n\n' || breaks > 0;
    const missing = isParagraph ? '\n\n'.slice(breaks) : written === '' ? (this.#gap ?? '') : '';
    this.#gap = undefined;
    return missing + words;
  }

  #addReasoning(text: string): void {
    this.#reasoning = withoutMiddle(joinParagraphs(this.#reasoning, text.trim()));
  }
}

/** Joins two texts with an empty line, unless one of them is empty. */
export function joinParagraphs(earlier: string, newest: string): string {
  return earlier === '' || newest === '' ? earlier || newest : `${earlier}\n\n${newest}`;
}

/** Length of the start and of the end to keep; much more than is shown of reasoning. */
const MAX_END_CHARACTERS = 4096;

/** Returns the text without its middle if it is long. */
export function withoutMiddle(text: string): string {
  if (text.length <= 4 * MAX_END_CHARACTERS) return text;
  return text.slice(0, MAX_END_CHARACTERS) + text.slice(-MAX_END_CHARACTERS);
}

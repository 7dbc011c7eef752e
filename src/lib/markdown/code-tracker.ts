import { closesFence, openFence } from './find-fences.ts';

/** Longer lines neither open nor close a fence. */
const MAX_LINE_UNITS = 200;
const CONTAINERS = /^[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*$/;

/** Follows a Markdown text while it grows and knows whether its end is within code. */
export class CodeTracker {
  #line = '';
  #fence: { readonly marker: string; readonly isQuoted: boolean } | undefined;
  /** Length of the run of backticks that has opened a code span; 0 outside code spans. */
  #span = 0;
  /** Length of the run of backticks at the end of the text, without one that is escaped. */
  #run = 0;
  /** Whether the text ends with a backslash that escapes the next character. */
  #isEscaped = false;
  #paragraph = 0;

  /** Number of blank lines so far. */
  get paragraph(): number {
    return this.#paragraph;
  }

  /** Takes constant time per character, however the text is cut. */
  add(text: string): void {
    for (const [token] of text.matchAll(/\n|`+|\\|[^\n`\\]+/g)) {
      if (token[0] === '`') this.#run += this.#isEscaped && this.#span === 0 ? token.length - 1 : token.length;
      else this.#endRun();
      this.#isEscaped = token === '\\' && !this.#isEscaped;
      if (token === '\n') this.#endLine();
      else if (this.#line.length <= MAX_LINE_UNITS) this.#line += token.slice(0, MAX_LINE_UNITS + 1);
    }
  }

  /** Whether the next character is within a fence or an indented code block. */
  isInBlock(): boolean {
    return this.#fence !== undefined || /^(?: {4}|\t)\s*$/.test(this.#line);
  }

  /** Whether a code span has been opened and not closed. */
  isInSpan(): boolean {
    this.#endRun();
    return this.#span > 0;
  }

  /** Whether the line has only white space so far. */
  isAtLineStart(): boolean {
    return this.#line.trim() === '';
  }

  /** Whether the line has only the markers of quotes and list items so far. */
  isAtItemStart(): boolean {
    return CONTAINERS.test(this.#line);
  }

  /** Begins a new text. */
  reset(): void {
    this.#line = '';
    this.#fence = undefined;
    this.#span = 0;
    this.#run = 0;
    this.#isEscaped = false;
  }

  #endRun(): void {
    const length = this.#run;
    this.#run = 0;
    if (length === 0 || this.#fence) return;
    if (this.#span === 0) this.#span = length;
    else if (this.#span === length) this.#span = 0;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    const isLeft = this.#fence?.isQuoted && !/^[ \t]*>/.test(line);
    if (this.#fence && !isLeft) {
      if (closesFence(line, this.#fence.marker)) this.#fence = undefined;
      return;
    }
    this.#fence = line.length > MAX_LINE_UNITS ? undefined : openFence(line);
    if (!this.#fence && line.trim() !== '') return;
    this.#span = 0;
    this.#paragraph += 1;
  }
}

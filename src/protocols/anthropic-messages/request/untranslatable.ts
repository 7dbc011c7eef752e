import { UntranslatableError } from '../../../core/models/contract/model-errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';

/**
 * Collects what a request contains that only hosts of Anthropic's protocol understand. Their models get the request
 * unchanged; for all others it is refused with the first problem.
 */
export class TranslationProblems {
  first: UntranslatableError | undefined;

  /** @param problem completes a sentence that begins with the field's name. */
  add(param: string, problem: string, code?: string): void {
    this.first ??= new UntranslatableError(param, problem, code);
  }

  /** Adds a field or value that no other protocol has. */
  addUnsupported(param: string, value?: string): void {
    const shown = value === undefined ? 'is' : `is '${value.slice(0, MAX_SHOWN_CHARACTERS)}', which is`;
    this.add(param, `${shown} supported only by models whose provider speaks Anthropic's protocol`, CODES[param]);
  }

  /**
   * Adds the first field of an object that is neither known nor empty.
   * @param prefix path of the object with a final dot, or `''` for the body.
   */
  addUnknown(fields: JsonObject, known: ReadonlySet<string>, prefix: string): void {
    if (this.first) return;
    const unknown = Object.keys(fields).find((name) => !known.has(name) && !isEmpty(fields[name]));
    if (unknown !== undefined) this.addUnsupported(`${prefix}${unknown.slice(0, MAX_SHOWN_CHARACTERS)}`);
  }
}

const MAX_SHOWN_CHARACTERS = 100;
/** Codes by which clients know that they should repeat the request without the field. */
const CODES: Readonly<Record<string, string>> = { thread: 'thread_unsupported_request' };

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}

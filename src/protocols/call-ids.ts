import { shortenWithHash, toShortHash } from '../lib/ids.ts';

/** Ids that a protocol accepts for tool calls. */
export interface CallIdRule {
  /** Characters that ids may not have. */
  readonly forbidden?: RegExp | undefined;
  readonly maxLength: number;
  /** Where two calls may not have the same id. */
  readonly distinctIn: 'message' | 'conversation';
}

/** Id of a call without one. */
const MISSING = 'call';

/**
 * Gives tool calls ids that a host accepts, and their results the same. Other hosts start again with the same ids in
 * each answer, use other characters, or send none. Valid ids stay. The same conversation always gets the same ids, so
 * that caches of prompts stay valid.
 */
export class CallIds {
  readonly #rule: CallIdRule;
  readonly #seen = new Set<string>();
  /** Ids of the newest calls that have no result yet, by the ids that they had. */
  #open = new Map<string, string[]>();
  #hasResult = false;

  constructor(rule: CallIdRule) {
    this.#rule = rule;
  }

  /** Starts an answer, with the ids of its calls in order. Returns the valid ones. Results may follow several answers. */
  addCalls(ids: readonly string[]): readonly string[] {
    if (this.#rule.distinctIn === 'message') this.#seen.clear();
    if (this.#hasResult) this.#open = new Map();
    this.#hasResult = false;
    return ids.map((id) => {
      const valid = this.#toDistinct(this.#toValid(id));
      this.#seen.add(valid);
      this.#open.set(id, [...(this.#open.get(id) ?? []), valid]);
      return valid;
    });
  }

  /** Returns the valid id for the next result of a call. */
  takeResult(id: string): string {
    this.#hasResult = true;
    return this.#open.get(id)?.shift() ?? this.#toValid(id);
  }

  #toValid(id: string): string {
    const { forbidden, maxLength } = this.#rule;
    return shortenWithHash((forbidden ? id.replace(forbidden, '_') : id) || MISSING, maxLength);
  }

  #toDistinct(id: string): string {
    let distinct = id;
    for (let number = 2; this.#seen.has(distinct); number += 1)
      distinct = shortenWithHash(`${id}_${number}`, this.#rule.maxLength);
    return distinct;
  }
}

/** Returns an id of nine letters and digits, as Mistral's models require them. Such ids stay. */
export function toShortId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : `c${toShortHash(id)}`;
}

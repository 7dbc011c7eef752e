import type { JsonObject } from '../../../../lib/json.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../model-errors.ts';

/** Something that is asked for, but that the host may do without: hosts and models differ in what they take. */
export interface Wish {
  readonly name: string;
  /** The fields that say it, the best way first. When all are refused it is left out. */
  readonly ways: readonly JsonObject[];
  /** Matches the parameter that a refusal names, or its message. */
  readonly about: RegExp;
}

/** What one host is known to refuse, model by model. */
export interface Wishes {
  /**
   * Sends with the fields of all wishes. Where a refusal names one of them, it is sent again with the next way of it;
   * what went through in the end is remembered. Three times at most.
   * @throws what `send` throws.
   */
  grant<Answer>(model: string, wishes: readonly Wish[], send: (fields: JsonObject) => Promise<Answer>): Promise<Answer>;
}

const MAX_REPEATS = 3;
const MAX_REMEMBERED = 1000;

export function createWishes(): Wishes {
  /** By model and wish: which way is taken; the one behind the last leaves it out. */
  const known = new Map<string, number>();
  const keyOf = (model: string, wish: Wish) => `${wish.name} ${model}`;

  const remember = (model: string, ways: ReadonlyMap<Wish, number>) => {
    if (known.size >= MAX_REMEMBERED) known.clear();
    for (const [wish, way] of ways) if (way > 0) known.set(keyOf(model, wish), way);
  };

  return {
    async grant(model, wishes, send) {
      const ways = new Map(wishes.map((wish) => [wish, known.get(keyOf(model, wish)) ?? 0]));
      for (let repeats = 0; ; repeats += 1) {
        try {
          const answer = await send(toFields(ways));
          remember(model, ways);
          return answer;
        } catch (error) {
          const refused = repeats < MAX_REPEATS ? findRefused(ways, error) : undefined;
          if (!refused) throw error;
          ways.set(refused, nextWay(refused, ways.get(refused) ?? 0));
        }
      }
    },
  };
}

function toFields(ways: ReadonlyMap<Wish, number>): JsonObject {
  return Object.assign({}, ...[...ways].map(([wish, way]) => wish.ways[way] ?? {}));
}

function nextWay({ ways }: Wish, way: number): number {
  const tried = JSON.stringify(ways[way]);
  const next = ways.findIndex((fields, index) => index > way && JSON.stringify(fields) !== tried);
  return next < 0 ? ways.length : next;
}

/** The wish that the refusal speaks of and that was sent. */
function findRefused(ways: ReadonlyMap<Wish, number>, error: unknown): Wish | undefined {
  const sent = [...ways].flatMap(([wish, way]) => (way < wish.ways.length ? [wish] : []));
  // OpenRouter answers 404 where no host of the model gives what was wished for.
  if (error instanceof ProviderUnavailableError && error.status === 404)
    return sent.find(({ about }) => about.test(error.message));
  if (!(error instanceof ProviderRejectedError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const { param, message } = error.details;
  return sent.find(({ about }) => param !== null && about.test(param)) ?? sent.find(({ about }) => about.test(message));
}

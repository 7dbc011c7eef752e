import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../../lib/json.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../model-errors.ts';

/** Something that is asked for, but that the host may do without: hosts and models differ in what they take. */
export interface OptionalParameter {
  readonly name: string;
  /** The fields that say it, the best way first. When all are refused it is left out. */
  readonly ways: readonly JsonObject[];
  /** Matches the parameter that a refusal names, or its message. */
  readonly about: RegExp;
}

/** What one host is known to refuse, model by model. */
export interface ParameterFallback {
  /**
   * Sends with the fields of all parameters. Where a refusal names one of them, it is sent again with the next way of it;
   * what went through in the end is remembered. Three times at most.
   * @throws what `send` throws.
   */
  send<Answer>(
    model: string,
    parameters: readonly OptionalParameter[],
    send: (fields: JsonObject) => Promise<Answer>,
  ): Promise<Answer>;
}

const MAX_REPEATS = 3;
const MAX_REMEMBERED = 1000;

export function createParameterFallback(): ParameterFallback {
  /** By model and parameter: which way is taken; the one behind the last leaves it out. */
  const known = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const keyOf = (model: string, { name }: OptionalParameter) => `${name} ${model}`;

  const remember = (model: string, ways: ReadonlyMap<OptionalParameter, number>) => {
    for (const [parameter, way] of ways) if (way > 0) known.set(keyOf(model, parameter), way);
  };

  return {
    async send(model, parameters, send) {
      const ways = new Map(parameters.map((parameter) => [parameter, known.get(keyOf(model, parameter)) ?? 0]));
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

function toFields(ways: ReadonlyMap<OptionalParameter, number>): JsonObject {
  return Object.assign({}, ...[...ways].map(([parameter, way]) => parameter.ways[way] ?? {}));
}

function nextWay({ ways }: OptionalParameter, way: number): number {
  const tried = JSON.stringify(ways[way]);
  const next = ways.findIndex((fields, index) => index > way && JSON.stringify(fields) !== tried);
  return next < 0 ? ways.length : next;
}

/** The parameter that the refusal speaks of and that was sent. */
function findRefused(ways: ReadonlyMap<OptionalParameter, number>, error: unknown): OptionalParameter | undefined {
  const sent = [...ways].flatMap(([parameter, way]) => (way < parameter.ways.length ? [parameter] : []));
  // OpenRouter answers 404 where no host of the model does what was asked for.
  if (error instanceof ProviderUnavailableError && error.status === 404)
    return sent.find(({ about }) => about.test(error.message));
  if (!(error instanceof ProviderRejectedError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const { param, message } = error.details;
  return sent.find(({ about }) => param !== null && about.test(param)) ?? sent.find(({ about }) => about.test(message));
}

import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../../lib/json/json.ts';
import type { BodyChange, OptionalParameter } from '../../../../protocols/optional-parameter.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../contract/model-errors.ts';

const MAX_REPEATS = 3;
const MAX_REMEMBERED = 1000;

/** Remembers the parameters that one host refuses, by model. */
export function createParameterFallback() {
  /** Index of the chosen alternative, by model and parameter; an index after the last one means left out. */
  const wayIndexes = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const keyOf = (model: string, { name }: OptionalParameter) => `${name} ${model}`;

  const firstWay = (model: string, parameter: OptionalParameter) => {
    const way = wayIndexes.get(keyOf(model, parameter)) ?? 0;
    return parameter.isRequired ? Math.min(way, parameter.ways.length - 1) : way;
  };
  const remember = (model: string, ways: ReadonlyMap<OptionalParameter, number>) => {
    for (const [parameter, way] of ways) if (way > 0) wayIndexes.set(keyOf(model, parameter), way);
  };

  return {
    /**
     * Sends with the fields and changes of all parameters. If the host refuses one of them, retries with its next alternative, three
     * times at most. Remembers the alternatives that were accepted.
     * @throws errors of `send`.
     */
    async send<Answer>(
      model: string,
      parameters: readonly OptionalParameter[],
      send: (fields: JsonObject, change: BodyChange) => Promise<Answer>,
    ): Promise<Answer> {
      const ways = new Map(parameters.map((parameter) => [parameter, firstWay(model, parameter)]));
      for (let repeats = 0; ; repeats += 1) {
        try {
          const answer = await send(toFields(ways), toChange(ways));
          remember(model, ways);
          return answer;
        } catch (error) {
          const refused = repeats < MAX_REPEATS ? findRefused(ways, error) : undefined;
          if (!refused) throw error;
          const next = nextWay(refused, ways.get(refused) ?? 0);
          if (refused.isRequired && next === refused.ways.length) throw error;
          ways.set(refused, next);
        }
      }
    },
  };
}

function toFields(ways: ReadonlyMap<OptionalParameter, number>): JsonObject {
  return Object.assign({}, ...[...ways].map(([parameter, way]) => parameter.ways[way] ?? {}));
}

function toChange(ways: ReadonlyMap<OptionalParameter, number>): BodyChange {
  const changes = [...ways].flatMap(([parameter, way]) => {
    const change = parameter.ways[way];
    return typeof change === 'function' ? [change] : [];
  });
  return (body) => changes.reduce((changed, change) => change(changed), body);
}

function nextWay({ ways }: OptionalParameter, way: number): number {
  const tried = JSON.stringify(ways[way]);
  const next = ways.findIndex((fields, index) => index > way && JSON.stringify(fields) !== tried);
  return next < 0 ? ways.length : next;
}

/** Returns the sent parameter that the refusal names. */
function findRefused(ways: ReadonlyMap<OptionalParameter, number>, error: unknown): OptionalParameter | undefined {
  const sent = [...ways].flatMap(([parameter, way]) => (way < parameter.ways.length ? [parameter] : []));
  // OpenRouter returns 404 if no host of the model supports the request.
  if (error instanceof ProviderUnavailableError && error.status === 404)
    return sent.find(({ about }) => about.test(error.message));
  if (!(error instanceof ProviderRejectedError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const { param, message } = error.details;
  return sent.find(({ about }) => param !== null && about.test(param)) ?? sent.find(({ about }) => about.test(message));
}

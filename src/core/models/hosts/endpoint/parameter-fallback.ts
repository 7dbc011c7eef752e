import { createCache } from '../../../../lib/async/cache.ts';
import type { Clock } from '../../../../lib/clock.ts';
import type { JsonObject } from '../../../../lib/json/json.ts';
import type { BodyChange, OptionalParameter } from '../../../../protocols/optional-parameter.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../contract/model-errors.ts';

const MAX_REPEATS = 3;
const MAX_REMEMBERED = 1000;
/** Refusals expire because hosts are updated. */
const REMEMBER_MS = 6 * 3_600_000;

/** Remembers for some hours the parameters that one host refuses, by model. */
export function createParameterFallback({ clock }: { readonly clock: Clock }) {
  /** Index of the chosen alternative, by model and parameter; an index after the last one means left out. */
  const wayIndexes = createCache<string, number>(clock, { max: MAX_REMEMBERED, ttlMs: REMEMBER_MS });
  const keyOf = (model: string, { name }: OptionalParameter) => `${name} ${model}`;

  const firstWay = (model: string, parameter: OptionalParameter) => {
    const way = wayIndexes.get(keyOf(model, parameter)) ?? 0;
    return parameter.isRequired ? Math.min(way, parameter.ways.length - 1) : way;
  };
  const remember = (model: string, ways: Ways) => {
    for (const [parameter, way] of ways) {
      const key = keyOf(model, parameter);
      // Use does not prolong the time for which a way is remembered.
      if (way !== (wayIndexes.get(key) ?? 0)) wayIndexes.set(key, way);
    }
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
          const next = repeats < MAX_REPEATS ? findNext(ways, error) : undefined;
          if (!next) throw error;
          ways.set(next.parameter, next.way);
        }
      }
    },
  };
}

/** Index of the chosen alternative of each parameter. */
type Ways = ReadonlyMap<OptionalParameter, number>;

function toFields(ways: Ways): JsonObject {
  return Object.assign({}, ...[...ways].map(([parameter, way]) => parameter.ways[way] ?? {}));
}

function toChange(ways: Ways): BodyChange {
  const changes = [...ways].flatMap(([parameter, way]) => {
    const change = parameter.ways[way];
    return typeof change === 'function' ? [change] : [];
  });
  return (body) => changes.reduce((changed, change) => change(changed), body);
}

interface NextWay {
  readonly parameter: OptionalParameter;
  readonly way: number;
}

/** Returns the parameter that the refusal names, of those with another way, and that way. */
function findNext(ways: Ways, error: unknown): NextWay | undefined {
  // OpenRouter returns 404 if no host of the model supports the request.
  if (error instanceof ProviderUnavailableError && error.status === 404) return findNamed(ways, error.message);
  if (!(error instanceof ProviderRejectedError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const { param, message } = error.details;
  return (
    findRequired(ways, `${message} ${param ?? ''}`) ??
    (param === null ? undefined : findNamed(ways, param)) ??
    findNamed(ways, message)
  );
}

function findRequired(ways: Ways, refusal: string): NextWay | undefined {
  for (const [parameter, current] of ways) {
    const { about } = parameter;
    if (about instanceof RegExp) continue;
    const way = about.findIndex((pattern, index) => index !== current && pattern?.test(refusal));
    if (way >= 0) return { parameter, way };
  }
  return undefined;
}

function findNamed(ways: Ways, refusal: string): NextWay | undefined {
  for (const [parameter, current] of ways) {
    const { about, isRequired = false, ways: all } = parameter;
    if (current >= all.length || !(about instanceof RegExp) || !about.test(refusal)) continue;
    const way = nextWay(parameter, current);
    if (way < all.length || !isRequired) return { parameter, way };
  }
  return undefined;
}

function nextWay({ ways }: OptionalParameter, way: number): number {
  const tried = JSON.stringify(ways[way]);
  const next = ways.findIndex((fields, index) => index > way && JSON.stringify(fields) !== tried);
  return next < 0 ? ways.length : next;
}

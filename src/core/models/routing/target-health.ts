import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../lib/clock.ts';
import type { ModelTarget } from '../catalogue/catalogue.ts';
import {
  type ProviderError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../contract/model-errors.ts';

/**
 * Circuit breakers for each provider (no connection, refused key) and for each model of a provider (everything else):
 * closed; open for a while after failures; then half-open, so that one request may try.
 */
export interface TargetHealth {
  /**
   * Returns false while the target rests. The first true after a rest makes the target rest again until that attempt
   * has ended, at most 10 s.
   */
  mayAsk(target: ModelTarget): boolean;
  recordSuccess(target: ModelTarget): void;
  recordFailure(target: ModelTarget, error: ProviderError): void;
}

/** State of a circuit breaker after failures. Closed circuits without failures are not listed. */
export interface CircuitState {
  readonly provider: string;
  /** Model of the provider; undefined: the circuit of the whole provider. */
  readonly model: string | undefined;
  /** `closed`: failures so far do not suffice to open it. `half-open`: the next request tries. */
  readonly state: 'closed' | 'open' | 'half-open';
  /** Number of consecutive failures. */
  readonly failures: number;
  /** When the circuit becomes half-open, milliseconds since the epoch; undefined unless it is open. */
  readonly opensUntil: number | undefined;
}

interface Circuit {
  /** Number of consecutive failures. */
  failures: number;
  /** Milliseconds since the epoch; 0 while closed. */
  restsUntil: number;
}

interface Rest {
  readonly scope: 'provider' | 'target';
  /** Number of consecutive failures that open the circuit. */
  readonly threshold: number;
  readonly baseMs: number;
  /** Delay that the provider requests; replaces the exponential backoff. */
  readonly exactMs?: number;
}

const TRY_MS = 10_000;
const LONGEST_REST_MS = 10 * 60_000;
const MAX_CIRCUITS = 10_000;

/** Creates closed circuit breakers. `list` returns the state of those with failures. */
export function createTargetHealth(clock: Clock): TargetHealth & { list(): readonly CircuitState[] } {
  // Clients may invent model names if a provider accepts any.
  const circuits = new LRUCache<string, Circuit>({ max: MAX_CIRCUITS });
  const namesOf = ({ provider, model }: ModelTarget) => [provider, `${provider}\n${model}`] as const;

  const circuitOf = (name: string) => {
    const circuit = circuits.get(name) ?? { failures: 0, restsUntil: 0 };
    circuits.set(name, circuit);
    return circuit;
  };

  return {
    list() {
      const now = clock.now();
      return [...circuits].map(([name, { failures, restsUntil }]) => {
        const [provider = '', model] = name.split('\n', 2);
        const state = restsUntil > now ? 'open' : restsUntil > 0 ? 'half-open' : 'closed';
        return { provider, model, state, failures, opensUntil: state === 'open' ? restsUntil : undefined };
      });
    },
    mayAsk(target) {
      if (circuits.size === 0) return true;
      const now = clock.now();
      const open = namesOf(target)
        .flatMap((name) => circuits.get(name) ?? [])
        .filter(({ restsUntil }) => restsUntil > 0);
      if (open.some(({ restsUntil }) => restsUntil > now)) return false;
      for (const circuit of open) circuit.restsUntil = now + TRY_MS;
      return true;
    },
    recordSuccess(target) {
      if (circuits.size === 0) return;
      for (const name of namesOf(target)) circuits.delete(name);
    },
    recordFailure(target, error) {
      const rest = restAfter(error);
      const [providerName, targetName] = namesOf(target);
      const circuit = circuitOf(rest.scope === 'provider' ? providerName : targetName);
      circuit.failures += 1;
      if (circuit.failures < rest.threshold) return;
      const doubled = rest.baseMs * 2 ** Math.min(10, circuit.failures - rest.threshold);
      circuit.restsUntil = clock.now() + (rest.exactMs ?? Math.min(LONGEST_REST_MS, doubled));
    },
  };
}

/**
 * Returns the rest after a failure: it begins at once if the provider gave a reason, else after the third consecutive
 * failure.
 */
function restAfter(failure: ProviderError): Rest {
  // An error in the middle of an answer counts like the same error before it.
  const { cause } = failure;
  const isOfHost = failure instanceof ProviderStreamError && cause instanceof ProviderUnavailableError;
  const error = isOfHost && cause.status !== undefined ? cause : failure;
  if (error instanceof ProviderTimeoutError) {
    return { scope: error.phase === 'connect' ? 'provider' : 'target', threshold: 3, baseMs: 30_000 };
  }
  if (!(error instanceof ProviderUnavailableError)) return { scope: 'target', threshold: 3, baseMs: 30_000 };
  const { status, retryAfterMs } = error;
  const exact = retryAfterMs === undefined ? {} : { exactMs: Math.min(retryAfterMs, LONGEST_REST_MS) };
  if (status === 401) return { scope: 'provider', threshold: 1, baseMs: 5 * 60_000, ...exact };
  if (status === 402 || status === 403 || status === 404 || status === 410)
    return { scope: 'target', threshold: 1, baseMs: 5 * 60_000, ...exact };
  if (status === 429 || retryAfterMs !== undefined) return { scope: 'target', threshold: 1, baseMs: 10_000, ...exact };
  return { scope: status === undefined && !error.isBadAnswer ? 'provider' : 'target', threshold: 3, baseMs: 30_000 };
}

import type { Simulator } from 'telegram-bot-simulator';
import { type Clock, sleep } from '../../../src/lib/clock.ts';
import { isJsonObject, parseJson } from '../../../src/lib/json/json.ts';
import type { HttpFetch } from '../../../src/telegram/telegram-client.ts';

/** Connects a bot to a simulator in process, with simulated latency on the clock. Does not support uploads. */
export function createDirectFetch(deps: {
  readonly simulator: Pick<Simulator, 'answer'>;
  readonly clock: Clock;
  /** Round trip. */
  readonly latencyMs: number;
}): HttpFetch {
  const { simulator, clock, latencyMs } = deps;
  return async (url, { body, signal: foreignSignal }) => {
    const signal = toPlatformSignal(foreignSignal);
    const [, token = '', method = ''] = /\/bot([^/]+)\/(\w+)$/.exec(url) ?? [];
    const params = typeof body === 'string' ? parseJson(body) : undefined;
    if (!isJsonObject(params)) throw new TypeError('only calls with JSON go this way');
    await sleep(clock, latencyMs / 2, signal);
    const outcome = await simulator.answer({ token, method, params, signal });
    if (outcome.type === 'silence') await waitForAbort(signal);
    await sleep(clock, latencyMs / 2, signal);
    if (outcome.type === 'reset') throw connectionReset(url);
    return {
      async json() {
        if (outcome.type !== 'answer') throw new SyntaxError('Unexpected token < in JSON at position 0');
        return structuredClone(outcome.body);
      },
    };
  };
}

/** grammY brings a polyfill whose signals have no reason. */
function toPlatformSignal(signal: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort();
  signal?.addEventListener('abort', () => controller.abort());
  return controller.signal;
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Creates the error that grammY's HTTP client throws. */
function connectionReset(url: string): Error {
  const error = new Error(`request to ${url} failed, reason: read ECONNRESET`);
  return Object.assign(error, { name: 'FetchError', code: 'ECONNRESET' });
}

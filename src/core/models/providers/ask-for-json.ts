import { HttpSizeError } from '../../../lib/http-client.ts';
import { parseJson } from '../../../lib/json.ts';
import { ProviderUnavailableError } from '../model-errors.ts';
import type { Endpoint } from './openai-compatible/endpoint.ts';

/** One question to a host that answers in one piece. */
export interface JsonQuestion {
  readonly url: string;
  /** Present: a POST with it; absent: a GET. */
  readonly body?: object;
  /** Whose limits count. */
  readonly model: string;
  /** From the request to the head of the answer, milliseconds. */
  readonly startMs: number;
  readonly maxBytes: number;
}

/**
 * Asks, and reads the whole answer; undefined where it is no JSON: a web page, half an object.
 * @throws ProviderError; the signal's reason.
 */
export async function askForJson(
  { provider, endpoint }: { readonly provider: string; readonly endpoint: Endpoint },
  { url, body, model, startMs, maxBytes }: JsonQuestion,
  signal: AbortSignal,
): Promise<unknown> {
  const accept = { accept: 'application/json' };
  const http = await endpoint.open(
    body === undefined
      ? { method: 'GET', url, headers: accept, model, startMs }
      : {
          method: 'POST',
          url,
          headers: { ...accept, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          model,
          startMs,
        },
    signal,
  );
  try {
    http.markStarted();
    return parseJson((await http.readAll(maxBytes)).toString('utf8'));
  } catch (error) {
    if (error instanceof HttpSizeError)
      throw new ProviderUnavailableError(provider, `${provider} sent an answer that is too large`, { cause: error });
    throw endpoint.toError(error, signal);
  } finally {
    http.close();
  }
}

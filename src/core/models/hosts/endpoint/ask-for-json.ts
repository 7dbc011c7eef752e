import { HttpSizeError } from '../../../../lib/http/http-client.ts';
import { printJson } from '../../../../lib/json/large-json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { Endpoint } from './endpoint.ts';

/** A request with a JSON response. */
export interface JsonQuestion {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with POST if present; without it, the method is GET. */
  readonly body?: object;
  /** Model whose rate limits apply. */
  readonly model: string;
  /** Timeout from the request to the response headers, in milliseconds. */
  readonly startMs: number;
  readonly maxBytes: number;
}

/** Host of a request, and its name in errors. */
interface JsonHost {
  readonly provider: string;
  readonly endpoint: Endpoint;
}

/**
 * Sends the request and reads the whole response. Returns undefined if it is not valid JSON.
 * @throws ProviderError; the signal's reason.
 */
export async function askForJson(host: JsonHost, question: JsonQuestion, signal: AbortSignal): Promise<unknown> {
  return readJson(await askForBytes(host, question, signal));
}

/**
 * Sends the request and reads the bytes of the whole response.
 * @throws ProviderError, with an HttpSizeError as its cause if the response is too large; the signal's reason.
 */
export async function askForBytes(
  { provider, endpoint }: JsonHost,
  { url, headers, body, model, startMs, maxBytes }: JsonQuestion,
  signal: AbortSignal,
): Promise<Buffer> {
  const accept = { ...headers, accept: 'application/json' };
  const http = await endpoint.open(
    body === undefined
      ? { method: 'GET', url, headers: accept, model, startMs }
      : {
          method: 'POST',
          url,
          headers: { ...accept, 'content-type': 'application/json' },
          body: await printJson(body),
          model,
          startMs,
        },
    signal,
  );
  try {
    http.markStarted();
    return await http.readAll(maxBytes);
  } catch (error) {
    if (error instanceof HttpSizeError)
      throw new ProviderUnavailableError(provider, `${provider} sent an answer that is too large`, {
        cause: error,
        isBadAnswer: true,
      });
    throw endpoint.toError(error, signal);
  } finally {
    http.close();
  }
}

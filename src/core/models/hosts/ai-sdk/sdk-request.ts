import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';

/** The only request of one answer. The package sends it with `fetch` and reads the response. */
export type SdkRequest = ReturnType<typeof createSdkRequest>;

export interface SdkRequestParams {
  readonly provider: string;
  /** Model whose rate limits apply. */
  readonly model: string;
  /** Timeout until the first event, in milliseconds. */
  readonly startMs: number;
  readonly signal: AbortSignal;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Packages parse what they get at once. Between two slices of this size the event loop runs. */
const SLICE_BYTES = 32 * 1024;

/** Connects a package to an endpoint: with its keys, timeouts and errors. */
export function createSdkRequest(endpoint: Endpoint, options: SdkRequestParams) {
  const { model, startMs, signal } = options;
  let http: HttpResponse | undefined;
  let hasStarted = false;
  return {
    async fetch(...[input, init]: Parameters<typeof globalThis.fetch>): Promise<Response> {
      const headers = Object.fromEntries(new Headers(init?.headers));
      delete headers['user-agent'];
      const body = String(init?.body ?? '');
      http = await endpoint.open({ method: 'POST', url: String(input), headers, body, model, startMs }, signal);
      const toError = (error: unknown) => endpoint.toError(error, signal, hasStarted);
      return new Response(toBody(http, options.provider, toError), { status: 200, headers: toHeaders(http) });
    },
    /** Called with the first event: from then on the timeout between two reads applies. */
    markStarted(): void {
      hasStarted = true;
      http?.markStarted();
    },
    /** Closes the connection. Idempotent. */
    close: (): void => http?.close(),
  };
}

function toBody(
  http: HttpResponse,
  provider: string,
  toError: (error: unknown) => unknown,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  const readSlice = async (): Promise<Buffer | undefined> => {
    if (rest.length > 0) await yieldToEventLoop();
    else {
      const bytes = await http.read();
      if (!bytes) return undefined;
      size += bytes.length;
      if (size > MAX_ANSWER_BYTES)
        throw new ProviderUnavailableError(provider, `${provider} sent an answer that is too large`);
      rest = bytes;
    }
    const slice = rest.subarray(0, SLICE_BYTES);
    rest = rest.subarray(SLICE_BYTES);
    return slice;
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const slice = await readSlice();
          if (slice) controller.enqueue(new Uint8Array(slice));
          else controller.close();
        } catch (error) {
          http.close();
          controller.error(toError(error));
        }
      },
      cancel: () => http.close(),
    },
    { highWaterMark: 0 },
  );
}

function toHeaders({ headers }: HttpResponse): Headers {
  const single = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  );
  return new Headers(single);
}

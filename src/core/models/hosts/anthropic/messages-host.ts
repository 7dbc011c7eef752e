import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import type { JsonObject } from '../../../../lib/json/json.ts';
import { printJson } from '../../../../lib/json/large-json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import type { NativeRequest } from '../../contract/chat-request.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { AnthropicConfig } from './anthropic-config.ts';

/** The version that all hosts know: https://platform.claude.com/docs/en/api/versioning */
const VERSION = '2023-06-01';
const BETA = 'anthropic-beta';
const LIST_PATIENCE_MS = 20_000;

/** Sends requests of the Messages API to one host. All functions throw the errors of `Endpoint.open`. */
export type MessagesHost = ReturnType<typeof createMessagesHost>;

interface PostRequest {
  readonly body: JsonObject & { readonly model?: unknown };
  readonly accept: string;
  /** Timeout until `markStarted`, in milliseconds. */
  readonly startMs: number;
  readonly native?: NativeRequest | undefined;
}

export function createMessagesHost({ endpoint }: { readonly endpoint: Endpoint }, config: AnthropicConfig) {
  const base = withoutTrailingSlashes(config.baseUrl).replace(/\/v1$/, '');
  const keyHeader = 'x-api-key';
  return {
    post: async (
      path: string,
      { body, accept, startMs, native }: PostRequest,
      signal: AbortSignal,
    ): Promise<HttpResponse> =>
      endpoint.open(
        {
          method: 'POST',
          url: `${base}${path}`,
          headers: { 'content-type': 'application/json', accept, ...toHeaders(config, native) },
          body: await printJson(body),
          model: String(body.model),
          startMs,
          keyHeader,
        },
        signal,
      ),
    /** Reads a JSON response; undefined if it is not valid JSON. */
    async get(path: string, maxBytes: number, signal: AbortSignal): Promise<unknown> {
      const headers = { accept: 'application/json', ...toHeaders(config) };
      const url = `${base}${path}`;
      // Keys rest for each model separately; the list of models counts as one.
      const http = await endpoint.open(
        { method: 'GET', url, headers, model: '/models', startMs: LIST_PATIENCE_MS, keyHeader },
        signal,
      );
      try {
        http.markStarted();
        return await readJson(await http.readAll(maxBytes));
      } catch (error) {
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
    },
  };
}

/** Returns version and beta features: those of the client and those of the settings. */
function toHeaders({ headers = {} }: AnthropicConfig, native?: NativeRequest): Record<string, string> {
  const ofClient = native?.dialect === 'messages' ? (native.headers ?? {}) : {};
  const betas = [headers[BETA], ofClient[BETA]].filter((names) => names !== undefined && names !== '');
  return {
    'anthropic-version': ofClient['anthropic-version'] ?? headers['anthropic-version'] ?? VERSION,
    ...(betas.length > 0 ? { [BETA]: betas.join(',') } : {}),
  };
}

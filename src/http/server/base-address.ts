import type { IncomingHttpHeaders } from 'node:http';

/** Alternative base paths besides `/ai/openai`: many clients append `/v1` themselves, also twice, or accept only a host. */
const OPENAI_BASE = /^\/+(?:ai\/+openai\/+)?v1(?:\/+v1)?(?=[/?#]|$)/;
/** The paths of Anthropic's API: `/v1/messages` and all paths below `/ai/anthropic/v1`. */
const ANTHROPIC_BASE = /^\/+(?:ai\/+anthropic\/+v1(?:\/+v1)?(?=[/?#]|$)|v1(?:\/+v1)?(?=\/+messages(?:[/?#]|$)))/;
/** Addresses of reranking without a base, and with that of Cohere's clients. */
const RERANK = /^\/+(?:v2\/+)?rerank(?=[?#]|$)/;
const MODELS = /^\/+v1(?:\/+v1)?(?=\/+models(?:[/?#]|$))/;

/**
 * Returns the path and query under which a request is routed: `/v1/models` and `/ai/openai/v1/models` become
 * `/ai/openai/models`, `/v1/messages` becomes `/ai/anthropic/messages`, `/rerank` `/ai/openai/rerank`. Anthropic's clients, which send
 * `anthropic-version`, get their models at `/v1/models`.
 */
export function toServedUrl(url: string, headers: IncomingHttpHeaders): string {
  if (ANTHROPIC_BASE.test(url)) return url.replace(ANTHROPIC_BASE, '/ai/anthropic');
  if (headers['anthropic-version'] !== undefined && MODELS.test(url)) return url.replace(MODELS, '/ai/anthropic');
  if (RERANK.test(url)) return url.replace(RERANK, '/ai/openai/rerank');
  return url.replace(OPENAI_BASE, '/ai/openai');
}

/** Returns the path of a request's URL, without query and fragment. */
export function toPath(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}

/** Returns true if a path (without query) belongs to the generation API, whose paths contain no file ids. */
export function isGenerationPath(path: string): boolean {
  return /^\/+(?:ai|v1)(?:\/|$)/.test(path);
}

/**
 * Returns true if a request for an unknown address below `/v1` comes from a client of Anthropic's dialect, by its
 * headers.
 */
export function isMessagesClient(originalUrl: string, headers: IncomingHttpHeaders): boolean {
  return /^\/+v1(?:[/?#]|$)/.test(originalUrl) && ['anthropic-version', 'x-api-key'].some((name) => name in headers);
}

/** Returns true if a routed URL belongs to Anthropic's dialect, whose errors have a shape of their own. */
export function isMessagesUrl(url: string): boolean {
  return /^\/+ai\/+anthropic(?:[/?#]|$)/.test(url);
}

import type { IncomingHttpHeaders } from 'node:http';
import {
  type ProviderError,
  ProviderRejectedError,
  ProviderUnavailableError,
} from '../core/models/contract/model-errors.ts';
import { readRetryAfterMs } from '../lib/http/retry-after.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';
import { readSmallJson } from '../lib/json/read-json.ts';
import { redactSecrets } from '../lib/log/logger.ts';
import {
  isAboutBill,
  isAboutContent,
  isAboutInput,
  isAboutKey,
  isAboutUnknownModel,
  isTooLong,
} from './error-words.ts';

/** Classified error response of a provider. */
export interface Refusal {
  readonly error: ProviderError;
  /** Set if the key is the cause: another key may be tried, and this one rests, for the requested model or for all. */
  readonly keyFault?: { readonly scope: 'key' | 'model'; readonly restMs: number };
}

/** Fields of an error body in any format. Texts are short, without markup and secrets. */
interface ErrorFields {
  readonly message: string | undefined;
  readonly type: string | undefined;
  readonly param: string | null;
  readonly code: string | null;
  /** HTTP status inside the body, if there was one. */
  readonly status: number | undefined;
}

const REFUSED_KEY_REST_MS = 10 * 60_000;
const LIMITED_KEY_REST_MS = 30_000;
/** Statuses below 500 that mean a wrong address or model, or a temporary condition, not an invalid request. */
const NOT_ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([404, 405, 407, 408, 409, 410, 421, 424, 425, 426, 499]);
const MAX_MESSAGE_LENGTH = 400;
/** Maximum length of a text that is searched for a message. */
const MAX_TEXT_LENGTH = 256 * 1024;

/** Converts a response with an error status to the classes of `model-errors.ts`. Removes `secrets` from messages. */
export function toRefusal(
  provider: string,
  answer: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string },
  nowMs: number,
  secrets: readonly string[],
): Refusal {
  const { status, headers, text } = answer;
  const fields = readErrorFields(readSmallJson(text) ?? text, secrets);
  const message = describeRedirect(status, headers, secrets) ?? fields.message;
  return classify(provider, status, { ...fields, message }, readRetryAfterMs(headers, nowMs));
}

/** Returns where a redirect leads, for the operator; undefined for other answers. */
function describeRedirect(
  status: number,
  { location }: IncomingHttpHeaders,
  secrets: readonly string[],
): string | undefined {
  if (status < 300 || status > 399 || location === undefined) return undefined;
  const url = URL.parse(location);
  const target = url ? `${url.origin}${url.pathname}` : location.split(/[?#]/, 1)[0];
  return cleanMessage(`it redirects to ${target}, set that address in the settings`, secrets);
}

/** Returns whether a body or an event with status 200 reports an error. */
export function isError({ error }: JsonObject): boolean {
  return isJsonObject(error) ? Object.keys(error).length > 0 : Boolean(error);
}

/** Converts an error object that came with status 200, as a body or as an event of a stream. */
export function toErrorOfBody(provider: string, body: JsonObject, secrets: readonly string[]): ProviderError {
  const fields = readErrorFields(body, secrets);
  const isRequestWrong =
    fields.type === 'invalid_request_error' || fields.code === 'context_length_exceeded' || isAboutContent(fields);
  const status = fields.status ?? findStatus(fields) ?? (isRequestWrong ? 400 : 502);
  return classify(provider, status, fields, undefined).error;
}

/** Returns the HTTP status that the words of an error stand for. */
function findStatus(fields: ErrorFields): number | undefined {
  const names = [fields.code, fields.type].map((name) => name?.toLowerCase().replaceAll(/[\s-]+/g, '_'));
  const found = names.map((name) => STATUS_OF_NAME.get(name)).find((status) => status !== undefined);
  return found ?? (isAboutBill(fields) ? 402 : undefined);
}

/**
 * HTTP statuses of error types and codes: Anthropic's (https://platform.claude.com/docs/en/api/errors), OpenAI's,
 * Google's, and those of aggregators.
 */
const STATUS_OF_NAME: ReadonlyMap<string | null | undefined, number> = new Map(
  Object.entries({
    401: 'authentication_error invalid_api_key unauthenticated unauthorized',
    402: 'billing_error payment_required billing_hard_limit_reached insufficient_quota insufficient_credits insufficient_credit insufficient_balance insufficient_funds',
    403: 'permission_error permission_denied forbidden',
    404: 'not_found_error not_found model_not_found',
    413: 'request_too_large',
    429: 'rate_limit_error rate_limit_exceeded rate_limited rate_limit too_many_requests resource_exhausted',
    500: 'api_error server_error internal_server_error internal_error internal',
    503: 'service_unavailable service_unavailable_error unavailable engine_overloaded_error',
    504: 'timeout_error timeout gateway_timeout deadline_exceeded',
    529: 'overloaded_error overloaded server_overloaded',
  }).flatMap(([status, names]) => names.split(' ').map((name) => [name, Number(status)] as const)),
);

/** Gives a refusal by the moderation OpenAI's code; returns other errors unchanged. */
export function toImageRefusal(error: unknown): unknown {
  if (!(error instanceof ProviderRejectedError) || !isAboutContent(error.details)) return error;
  return new ProviderRejectedError(error.provider, 400, { ...error.details, code: 'content_policy_violation' });
}

function classify(provider: string, status: number, fields: ErrorFields, retryAfterMs: number | undefined): Refusal {
  const message = `${provider} answered ${status}${fields.message ? `: ${fields.message}` : ''}`;
  // Below 500 the message is about the operator's account or settings.
  const providerMessage = status >= 500 && fields.message ? withoutAddresses(fields.message) : undefined;
  const details =
    fields.message === undefined
      ? undefined
      : { message: withoutAddresses(fields.message), type: fields.type, code: fields.code };
  const unavailable = (meantStatus = status) =>
    new ProviderUnavailableError(provider, message, { status: meantStatus, retryAfterMs, providerMessage, details });
  // Google and xAI return 400 for an invalid key.
  if (status === 401 || (status === 400 && isAboutKey(fields))) {
    return { error: unavailable(401), keyFault: { scope: 'key', restMs: REFUSED_KEY_REST_MS } };
  }
  const rejected = (meantStatus: number) =>
    new ProviderRejectedError(provider, meantStatus, {
      message: fields.message ?? `The provider refused the request (status ${status})`,
      param: fields.param,
      code: fields.code ?? (isTooLong(fields) ? 'context_length_exceeded' : null),
    });
  // OpenRouter returns 403 for content that its moderation flags: another key would not help.
  if (status === 403 && isAboutContent(fields)) return { error: rejected(400) };
  // The limit may be on one model only: OpenRouter's free models need no credit.
  if (status === 402 || status === 403 || (status === 400 && isAboutBill(fields))) {
    return {
      error: unavailable(status === 400 ? 402 : status),
      keyFault: { scope: 'model', restMs: REFUSED_KEY_REST_MS },
    };
  }
  // Clients of Anthropic's message threads recover from these by themselves.
  if (fields.code?.startsWith('thread_')) return { error: rejected(status) };
  if (status === 429) {
    return { error: unavailable(), keyFault: { scope: 'model', restMs: retryAfterMs ?? LIMITED_KEY_REST_MS } };
  }
  // llama.cpp returns 500 for an image that its model can't process: the request is invalid, the host is healthy.
  if (status >= 500 && isAboutInput(fields)) return { error: rejected(400) };
  if (status < 400 || status >= 500 || NOT_ABOUT_THE_REQUEST.has(status)) return { error: unavailable() };
  // Groq and OpenRouter return 400 for an unknown model.
  if (isAboutUnknownModel(fields)) return { error: unavailable(404) };
  return { error: rejected(status) };
}

/**
 * Reads OpenAI's `{error: {message, type, param, code}}`, `{error: "…"}`, `{message}`, `{detail}` (also FastAPI's
 * list), Google's `[{error: {code, message, status}}]`, Anthropic's `details.error_code`, plain text. HTML pages give no message.
 */
function readErrorFields(body: unknown, secrets: readonly string[]): ErrorFields {
  const outer = Array.isArray(body) ? body[0] : body;
  const inner = isJsonObject(outer) ? (findExceptionText(outer) ?? outer.error ?? outer.errors ?? outer) : outer;
  const error = Array.isArray(inner) ? inner[0] : inner;
  const fields = isJsonObject(error) ? error : {};
  const message = typeof error === 'string' ? error : findMessage(fields);
  const detailedCode = isJsonObject(fields.details) ? fields.details.error_code : undefined;
  const code = fields.code ?? detailedCode ?? (isJsonObject(outer) ? outer.code : undefined);
  return {
    message: message === undefined ? undefined : cleanMessage(message, secrets),
    type: (toText(fields.type) ?? toText(fields.status))?.slice(0, 100),
    param: (toText(fields.param) ?? findParam(fields))?.slice(0, 500) ?? null,
    // llama.cpp and Google repeat the HTTP status in `code`.
    code: isErrorStatus(code) ? null : (toText(code)?.slice(0, 100) ?? null),
    status: [code, fields.status, fields.status_code].map(Number).find(isErrorStatus),
  };
}

/** Stable Diffusion WebUI: `error` is the name of an exception, its message is in `detail` or `errors`. */
function findExceptionText({ error, detail, errors }: JsonObject): string | undefined {
  if (typeof error !== 'string' || typeof errors !== 'string') return undefined;
  return typeof detail === 'string' && detail !== '' ? detail : errors || undefined;
}

/**
 * FastAPI names the field as the last step of a path: `{detail: [{loc: ['body', 'size'], msg}]}`. Mistral has the same
 * in `message`.
 */
function findParam({ detail: ownDetail, message }: JsonObject): string | undefined {
  const detail = ownDetail ?? (isJsonObject(message) ? message.detail : undefined);
  const first = Array.isArray(detail) ? detail[0] : undefined;
  return isJsonObject(first) && Array.isArray(first.loc) ? toText(first.loc.at(-1)) : undefined;
}

function findMessage(fields: JsonObject): string | undefined {
  for (const value of [fields.message, fields.Message, fields.detail, fields.msg, fields.error, fields.error_message]) {
    if (typeof value === 'string' && value !== '') return value;
    const first = Array.isArray(value) ? value[0] : value;
    if (isJsonObject(first)) {
      if (first.detail !== undefined) return findMessage({ detail: first.detail });
      const nested = toText(first.msg) ?? toText(first.message);
      if (nested !== undefined) return nested;
    }
  }
  return undefined;
}

function isErrorStatus(value: unknown): boolean {
  return typeof value === 'number' && value >= 400 && value <= 599;
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

const KEY_LIKE =
  /\b(?:(?:sk|csk|pk|nvapi|xai|pplx)-|(?:gsk|hf|ghp|gho|fw|tgp|cpk|github_pat)_|AIza)[\w*.-]{6,}|(?<![\w-])[\w-]*(?:\*{3,}[\w-]*)+/g;

/** Returns one short line without markup and keys, or undefined if nothing readable is left. */
export function cleanMessage(text: string, secrets: readonly string[]): string | undefined {
  if (text.length > MAX_TEXT_LENGTH || /<!doctype|<html|<head|<body/i.test(text.slice(0, 2000))) return undefined;
  const longSecrets = secrets.filter((secret) => secret.length >= 6);
  const line = redactSecrets(text, longSecrets)
    .replace(KEY_LIKE, '[secret]')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (line === '') return undefined;
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : line;
}

const ADDRESS =
  /\b[a-z][a-z\d+.-]{1,20}:\/\/\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[\da-f:]{2,40}\](?::\d+)?|\blocalhost(?::\d+)?\b/gi;

/** Hides hosts of the operator's network from clients. */
function withoutAddresses(message: string): string {
  return message.replace(ADDRESS, '[address]');
}

import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject, parseJson } from '../../../../lib/json.ts';
import { redactSecrets } from '../../../../lib/logger.ts';
import { readRetryAfterMs } from '../../../../lib/retry-after.ts';
import { type ProviderError, ProviderRejectedError, ProviderUnavailableError } from '../../model-errors.ts';

/** What a provider's refusal means. */
export interface Refusal {
  readonly error: ProviderError;
  /** Set where the key is at fault: another key may be asked and this one rested, for the asked model or for all. */
  readonly keyFault?: { readonly scope: 'key' | 'model'; readonly restMs: number };
}

/** The fields of an error body, whatever shape it came in; texts are short, without markup and without secrets. */
interface ErrorFields {
  readonly message: string | undefined;
  readonly type: string | undefined;
  readonly param: string | null;
  readonly code: string | null;
  /** An HTTP status inside the body, where there was one. */
  readonly status: number | undefined;
}

const REFUSED_KEY_REST_MS = 10 * 60_000;
const LIMITED_KEY_REST_MS = 30_000;
/** Statuses below 500 that blame the address, the model or the moment rather than the request. */
const NOT_ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([404, 405, 407, 408, 409, 410, 421, 425, 426, 499]);
const MAX_MESSAGE_LENGTH = 400;

/** Sorts an answer with an error status into the classes of `model-errors.ts`. `secrets` are cut out of messages. */
export function toRefusal(
  provider: string,
  answer: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string },
  nowMs: number,
  secrets: readonly string[],
): Refusal {
  const fields = readErrorFields(parseJson(answer.text) ?? answer.text, secrets);
  return classify(provider, answer.status, fields, readRetryAfterMs(answer.headers, nowMs));
}

/** Sorts an error object that came under status 200, as a body or as an event of a stream. */
export function toErrorOfBody(provider: string, body: JsonObject, secrets: readonly string[]): ProviderError {
  const fields = readErrorFields(body, secrets);
  const isRequestWrong =
    fields.type === 'invalid_request_error' || fields.code === 'context_length_exceeded' || isAboutContent(fields);
  return classify(provider, fields.status ?? (isRequestWrong ? 400 : 502), fields, undefined).error;
}

/** The same refusal under OpenAI's code where it is the moderation that won't have a picture drawn; other errors as they are. */
export function toImageRefusal(error: unknown): unknown {
  if (!(error instanceof ProviderRejectedError) || !isAboutContent(error.details)) return error;
  return new ProviderRejectedError(error.provider, 400, { ...error.details, code: 'content_policy_violation' });
}

function classify(provider: string, status: number, fields: ErrorFields, retryAfterMs: number | undefined): Refusal {
  const message = `${provider} answered ${status}${fields.message ? `: ${fields.message}` : ''}`;
  // Below 500 the words are about the operator's account or settings.
  const providerMessage = status >= 500 && fields.message ? withoutAddresses(fields.message) : undefined;
  const unavailable = (meantStatus = status) =>
    new ProviderUnavailableError(provider, message, { status: meantStatus, retryAfterMs, providerMessage });
  // Google and xAI answer 400 to a wrong key.
  if (status === 401 || (status === 400 && isAboutKey(fields))) {
    return { error: unavailable(401), keyFault: { scope: 'key', restMs: REFUSED_KEY_REST_MS } };
  }
  const rejected = (meantStatus: number) =>
    new ProviderRejectedError(provider, meantStatus, {
      message: fields.message ?? `The provider refused the request (status ${status})`,
      param: fields.param,
      code: fields.code,
    });
  // OpenRouter answers 403 to what its moderation flags: no key could have it.
  if (status === 403 && isAboutContent(fields)) return { error: rejected(400) };
  // What a key may not use or can't pay may be one model alone: OpenRouter's free ones need no credit.
  if (status === 402 || status === 403 || (status === 400 && fields.code === 'billing_hard_limit_reached')) {
    return {
      error: unavailable(status === 400 ? 402 : status),
      keyFault: { scope: 'model', restMs: REFUSED_KEY_REST_MS },
    };
  }
  if (status === 429) {
    return { error: unavailable(), keyFault: { scope: 'model', restMs: retryAfterMs ?? LIMITED_KEY_REST_MS } };
  }
  // llama.cpp answers 500 to a picture that its model can't see: the request is wrong, the host is well.
  if (status >= 500 && UNSUPPORTED_INPUT.test(fields.message ?? '')) return { error: rejected(400) };
  if (status < 400 || status >= 500 || NOT_ABOUT_THE_REQUEST.has(status)) return { error: unavailable() };
  // Groq and OpenRouter answer 400 to a model that they do not have.
  if (isAboutUnknownModel(fields)) return { error: unavailable(404) };
  return { error: rejected(status) };
}

/**
 * Reads OpenAI's `{error: {message, type, param, code}}`, `{error: "…"}`, `{message}`, `{detail}` (also FastAPI's list),
 * Google's `[{error: {code, message, status}}]`, plain text. Web pages give no message.
 */
function readErrorFields(body: unknown, secrets: readonly string[]): ErrorFields {
  const outer = Array.isArray(body) ? body[0] : body;
  const inner = isJsonObject(outer) ? (findExceptionText(outer) ?? outer.error ?? outer.errors ?? outer) : outer;
  const error = Array.isArray(inner) ? inner[0] : inner;
  const fields = isJsonObject(error) ? error : {};
  const message = typeof error === 'string' ? error : findMessage(fields);
  const code = fields.code ?? (isJsonObject(outer) ? outer.code : undefined);
  return {
    message: message === undefined ? undefined : cleanMessage(message, secrets),
    type: toText(fields.type) ?? toText(fields.status),
    param: toText(fields.param) ?? findParam(fields) ?? null,
    // llama.cpp and Google repeat the status there: it names no error.
    code: isErrorStatus(code) ? null : (toText(code)?.slice(0, 100) ?? null),
    status: [code, fields.status, fields.status_code].map(Number).find(isErrorStatus),
  };
}

/** Stable Diffusion WebUI: `error` is the name of an exception, what it says stands in `detail` or `errors`. */
function findExceptionText({ error, detail, errors }: JsonObject): string | undefined {
  if (typeof error !== 'string' || typeof errors !== 'string') return undefined;
  return typeof detail === 'string' && detail !== '' ? detail : errors || undefined;
}

/** FastAPI names the field as the last step of a path: `{detail: [{loc: ['body', 'size'], msg}]}`. */
function findParam({ detail }: JsonObject): string | undefined {
  const first = Array.isArray(detail) ? detail[0] : undefined;
  return isJsonObject(first) && Array.isArray(first.loc) ? toText(first.loc.at(-1)) : undefined;
}

function findMessage(fields: JsonObject): string | undefined {
  for (const value of [fields.message, fields.detail, fields.msg, fields.error, fields.error_message]) {
    if (typeof value === 'string' && value !== '') return value;
    const first = Array.isArray(value) ? value[0] : value;
    if (isJsonObject(first)) {
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

/** One short line without markup and keys; undefined where nothing readable is left. */
export function cleanMessage(text: string, secrets: readonly string[]): string | undefined {
  if (/<!doctype|<html|<head|<body/i.test(text.slice(0, 2000))) return undefined;
  const known = secrets.filter((secret) => secret.length >= 6);
  const line = redactSecrets(text, known)
    .replace(KEY_LIKE, '[secret]')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (line === '') return undefined;
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : line;
}

const UNSUPPORTED_INPUT =
  /\b(?:image|audio|video|file|vision|multimodal)s?\b.{0,40}\b(?:not supported|unsupported)\b|\bdoes ?n[o']t support\b.{0,40}\b(?:image|audio|video|file|vision|multimodal)/i;
const ADDRESS =
  /\b[a-z][a-z\d+.-]{1,20}:\/\/\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[\da-f:]{2,40}\](?::\d+)?|\blocalhost(?::\d+)?\b/gi;

/** Hosts of the operator's own network are not for clients. */
function withoutAddresses(message: string): string {
  return message.replace(ADDRESS, '[address]');
}

function isAboutKey({ message = '' }: ErrorFields): boolean {
  return /\bapi[ _-]?key\b.{0,30}\b(invalid|not valid|incorrect|expired)|\b(invalid|incorrect|expired) api[ _-]?key\b/i.test(
    message,
  );
}

function isAboutUnknownModel({ message, code }: ErrorFields): boolean {
  if (/^(model_not_found|model_decommissioned|unknown_model|invalid_model|model_not_supported)$/.test(code ?? ''))
    return true;
  return /not a valid model|unknown model|invalid model|model .{0,120}(does not exist|not found|is not supported by any provider)/i.test(
    message ?? '',
  );
}

const CONTENT_CODES =
  /^(moderation_blocked|content_policy_violation|content_filter(ed)?|content_blocked|content_moderation|image_safety|prompt_blocked|prohibited_content|safety(_violation|_error)?|nsfw(_content)?(_detected)?|data_?inspection_?failed|sensitive_content_detected|responsible_ai_policy_violation)$/i;
const CONTENT_WORDS =
  /safety (system|filter|polic|guideline|setting|violation)|content (polic|filter|moderation|management|violation)|\bmoderation\b|\bflagged\b|\bnsfw\b|responsible ai|sensitive (content|words?|information)|inappropriate content|prohibited content/i;
const PARAMETER_WORDS =
  /\b(unknown|unrecognized|unsupported|invalid|unexpected)\b.{0,30}\b(parameter|argument|field|value)/i;
const ACCOUNT_WORDS = /\baccount\b|organi[sz]ation|\bsuspended\b|\bbanned\b|api[ _-]?key/i;

/** True where the provider's rules forbid what was asked for, in the code or in words. */
function isAboutContent({ message, param, code }: Pick<ErrorFields, 'message' | 'param' | 'code'>): boolean {
  if (CONTENT_CODES.test(code ?? '')) return true;
  // OpenAI's images endpoint has a parameter of that name, which can be wrong like any other.
  if (param === 'moderation' || /^(unknown_parameter|invalid_value|invalid_type)$/.test(code ?? '')) return false;
  const words = message ?? '';
  return CONTENT_WORDS.test(words) && !ACCOUNT_WORDS.test(words) && !PARAMETER_WORDS.test(words);
}

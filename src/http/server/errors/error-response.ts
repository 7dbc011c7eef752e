import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { KeyRefusedError, SetByAdminError } from '../../../core/accounts/index.ts';
import { InvalidSourceError } from '../../../core/generation/index.ts';
import { IdempotencyConflictError, StillRunningError } from '../../../core/idempotency/index.ts';
import { UnreadableImageError } from '../../../core/images/index.ts';
import { LimitExceededError, ModelPriceUnknownError } from '../../../core/limits/index.ts';
import { QueryTooSlowError, TooManyRowsError, UnknownTimeZoneError } from '../../../core/management/index.ts';
import {
  AllProvidersFailedError,
  type Busy,
  ModelNotFoundError,
  ProviderError,
  ProviderRejectedError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
  WrongModelTypeError,
} from '../../../core/models/index.ts';
import { ConversationTooLongError, StoredBytesFullError } from '../../../core/responses/index.ts';
import {
  FileBlockedError,
  FileSizeMismatchError,
  FileTooLargeError,
  FileUnreadableError,
  InsufficientStorageError,
  QuotaExceededError,
  StorageUnavailableError,
} from '../../../core/storage/index.ts';
import {
  AccessUndecidedError,
  NotAdminError,
  SettingFixedError,
  SettingsChangedError,
  SettingsTestError,
  TooManySettingsError,
} from '../../../core/stored-settings/index.ts';
import { QueueFullError } from '../../../lib/async/work-queue.ts';
import { isDatabaseAway } from '../../../lib/errors/is-database-away.ts';
import { SettingsError } from '../../../lib/errors/settings-error.ts';
import { isDiskFull } from '../../../lib/files/disk-space.ts';
import { HeldBytesFullError } from '../../../lib/http/held-bytes.ts';
import { isJsonObject } from '../../../lib/json/json.ts';
import { redactSecrets } from '../../../lib/log/logger.ts';
import { toMessagesErrorBody } from '../../../protocols/anthropic-messages/answer/error-body.ts';
import {
  HttpError,
  type HttpErrorFacts,
  invalidApiKey,
  toErrorBody,
  unavailable,
} from '../../../protocols/http-error.ts';
import { isCloudUrl, toCloudErrorBody, toNameFailure } from '../../files/cloud-error.ts';
import { hideSecrets } from '../../resources/hide-secrets.ts';
import { isMessagesClient, isMessagesUrl } from '../base-address.ts';
import { TooManyOpenError } from '../connections/in-flight-requests.ts';
import { readsBodyItself } from '../request-head.ts';
import { findRecord } from '../request-log.ts';
import { withClientFields } from './client-fields.ts';
import { toLimitFailure } from './limit-headers.ts';

/**
 * Maps any thrown value to a status and a body. All error responses are created here. Unknown errors become a 500 that
 * does not reveal its cause.
 */
export function toErrorFacts(error: unknown): HttpErrorFacts {
  if (error instanceof HttpError) return error.facts;
  if (error instanceof LimitExceededError) return toLimitFailure(error);
  if (error instanceof KeyRefusedError) return KEY_REFUSALS[error.reason];
  if (error instanceof SetByAdminError) return invalid(403, 'set_by_admin', error.message);
  if (error instanceof ModelPriceUnknownError) {
    return { ...invalid(403, 'model_price_unknown', error.message), param: error.field ?? 'model' };
  }
  if (error instanceof ModelNotFoundError) {
    return { ...invalid(404, 'model_not_found', error.message), param: 'model' };
  }
  if (error instanceof WrongModelTypeError) {
    return { ...invalid(400, 'invalid_request_error', error.message), param: 'model' };
  }
  if (error instanceof ProviderRejectedError) return toRejection(error);
  if (error instanceof AllProvidersFailedError) {
    if (error.busy) return upstreamBusy(error.busy);
    return error.isTimeout ? upstreamTimeout(error.retryAfterMs) : upstreamError(error);
  }
  if (error instanceof ProviderTimeoutError) return upstreamTimeout();
  if (error instanceof ProviderStreamError) return toInterruption(error.cause);
  if (error instanceof ProviderError) return upstreamError();
  if (error instanceof InvalidSourceError) {
    return { ...invalid(400, 'invalid_image', error.message), param: error.field };
  }
  // Another image came from a provider.
  if (error instanceof UnreadableImageError) return upstreamError();
  if (error instanceof ConversationTooLongError) {
    return { ...invalid(400, 'context_length_exceeded', error.message), param: 'previous_response_id' };
  }
  if (error instanceof StoredBytesFullError) return storedFull(error);
  if (error instanceof QueueFullError) return QUEUE_FULL;
  if (error instanceof HeldBytesFullError) return MEMORY_FULL;
  if (error instanceof IdempotencyConflictError) return IDEMPOTENCY_CONFLICT;
  if (error instanceof StillRunningError) return STILL_RUNNING;
  if (error instanceof UnknownTimeZoneError) return UNKNOWN_TIME_ZONE;
  if (error instanceof QueryTooSlowError) return QUERY_TOO_SLOW;
  if (error instanceof TooManyRowsError) return tooManyRows(error);
  if (error instanceof InsufficientStorageError || isDiskFull(error)) return DISK_FULL;
  if (isDatabaseAway(error)) return DATABASE_AWAY;
  return toSettingsFailure(error) ?? toStorageFailure(error) ?? toFrameworkFailure(error) ?? INTERNAL;
}

/** Sends the error response. Used as Fastify's error handler. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (reply.raw.destroyed || request.raw.socket.destroyed) return reply.hijack();
  const isAboutFiles = isCloudUrl(request.url);
  const facts =
    (isAboutFiles ? toNameFailure(error, request.url) : undefined) ??
    toErrorFacts(withClientFields(error, request.url));
  if (error instanceof TooManyOpenError) findRecord(request)?.omit();
  else logFailure(facts, error, request.log);
  // Uploads keep reading the body for some time by themselves.
  if (isAboutFiles || readsBodyItself(request) || isWorthReading(request.raw)) keepConnection(request, reply);
  else reply.header('connection', 'close');
  return reply
    .code(facts.status)
    .headers({ ...facts.headers })
    .type('application/json; charset=utf-8')
    .send(toBodyOf(request, facts));
}

/** Returns the error body in the format of the requested API. */
function toBodyOf({ url, id, is404, originalUrl, headers }: FastifyRequest, facts: HttpErrorFacts): unknown {
  if (isCloudUrl(url)) return toCloudErrorBody(facts);
  const speaksMessages = isMessagesUrl(url) || (is404 && isMessagesClient(originalUrl, headers));
  return speaksMessages ? toMessagesErrorBody(facts, id) : toErrorBody(facts);
}

const ACCESS_UNDECIDED =
  'The bot would have no admins and be open to everyone. Set ADMIN_IDS or ALLOWED_IDS first, or say that everyone may use it (`for_everyone`).';

function toSettingsFailure(error: unknown): HttpErrorFacts | undefined {
  if (error instanceof SettingsError) return { ...invalid(400, 'setting_invalid', error.message), param: 'value' };
  if (error instanceof SettingsTestError) {
    return { ...invalid(400, 'setting_does_not_work', error.problems.map(hideSecrets).join('\n')), param: 'value' };
  }
  if (error instanceof SettingFixedError) return invalid(409, 'setting_fixed', `${error.message}.`);
  if (error instanceof TooManySettingsError) return invalid(409, 'conflict', 'There is no room for another setting.');
  if (error instanceof AccessUndecidedError) return invalid(409, 'access_undecided', ACCESS_UNDECIDED);
  if (error instanceof NotAdminError) return invalid(403, 'insufficient_permissions', 'You are no admin any more.');
  if (!(error instanceof SettingsChangedError)) return undefined;
  return invalid(
    412,
    'precondition_failed',
    'Another admin has changed the settings in the meantime. Read them again.',
  );
}

function logFailure(facts: HttpErrorFacts, error: unknown, log: FastifyBaseLogger): void {
  if (facts === INTERNAL) log.error({ err: error }, 'a request failed with an unexpected error');
  else if (facts.status >= 500) log.warn({ err: error }, 'a request could not be served');
}

/** Takes back a `Connection: close` of the framework. Without one, Node sets both headers. */
function keepConnection({ server }: FastifyRequest, reply: FastifyReply): void {
  if (!reply.hasHeader('connection') || !reply.raw.shouldKeepAlive) return;
  reply.header('connection', 'keep-alive');
  reply.header('keep-alive', `timeout=${Math.floor(server.server.keepAliveTimeout / 1000)}`);
}

const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/**
 * Returns true if the rest of a refused request's body should be read and discarded. Closing the connection while the
 * client still sends would reset it, and the client would never see the response; the discarded size is bounded.
 */
function isWorthReading(request: IncomingMessage): boolean {
  if (request.complete) return true;
  return (
    request.headers['transfer-encoding'] === undefined &&
    Number(request.headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES
  );
}

const INTERNAL: HttpErrorFacts = {
  status: 500,
  type: 'server_error',
  code: 'internal_error',
  message: 'The service failed to process this request.',
};

const KEY_REFUSALS: Readonly<Record<KeyRefusedError['reason'], HttpErrorFacts>> = {
  expired: invalidApiKey('This API key has expired.').facts,
  paused: invalidApiKey('This API key is paused.').facts,
};

const DATABASE_AWAY: HttpErrorFacts = {
  status: 503,
  type: 'server_error',
  code: 'service_unavailable',
  message: 'The service is temporarily unavailable. Please try again.',
  // Roughly the restart time of a database.
  headers: { 'retry-after': '5' },
};

const UNKNOWN_TIME_ZONE: HttpErrorFacts = {
  ...invalid(400, 'invalid_request_error', "'time_zone' must be an IANA time zone such as Europe/Berlin."),
  param: 'time_zone',
};

function tooManyRows({ maxRows }: TooManyRowsError): HttpErrorFacts {
  const message = `'from' and 'to' include more than ${maxRows} rows, the most for one request. Choose a shorter time, or one user.`;
  return { ...invalid(400, 'too_many_rows', message), param: 'from' };
}

const QUERY_TOO_SLOW: HttpErrorFacts = {
  status: 503,
  type: 'server_error',
  code: 'query_too_slow',
  message: 'The database needs too long for this query. Choose a shorter time, or try again later.',
  headers: { 'retry-after': '30' },
};

const DISK_FULL: HttpErrorFacts = {
  status: 507,
  type: 'server_error',
  code: 'insufficient_storage',
  message: 'The disk of the service is full. Please try again later.',
  headers: { 'retry-after': '60' },
};

const QUEUE_FULL: HttpErrorFacts = {
  status: 429,
  type: 'rate_limit_error',
  code: 'rate_limit_exceeded',
  message: 'Too many image requests of this key, or of keys of the same owner, are already waiting.',
  // Roughly the time to generate an image.
  headers: { 'retry-after': '10' },
};

function storedFull({ message }: StoredBytesFullError): HttpErrorFacts {
  // Waiting does not help: OpenAI's clients retry other 429s.
  const headers = { 'x-should-retry': 'false' };
  return { status: 429, type: 'insufficient_quota', code: 'quota_exceeded', message, param: 'store', headers };
}

const MEMORY_FULL = unavailable('Too much data is being processed right now.', 5).facts;

const IDEMPOTENCY_CONFLICT: HttpErrorFacts = {
  ...invalid(409, 'idempotency_conflict', 'This Idempotency-Key was used with another body. Choose a new key.'),
  // OpenAI's and Anthropic's clients retry other 409s.
  headers: { 'x-should-retry': 'false' },
};

const STILL_RUNNING: HttpErrorFacts = {
  status: 503,
  type: 'server_error',
  code: 'unavailable',
  message: 'The earlier request with this Idempotency-Key is still running.',
  headers: { 'retry-after': '5' },
};

function invalid(status: number, code: string, message: string): HttpErrorFacts {
  return { status, type: 'invalid_request_error', code, message };
}

const STREAM_INTERRUPTED: HttpErrorFacts = {
  status: 502,
  type: 'server_error',
  code: 'stream_interrupted',
  message: "The answer is incomplete: the provider's stream ended early.",
};

/** Describes why a stream ended early. An error of the host keeps its type and words. */
function toInterruption(cause: unknown): HttpErrorFacts {
  if (cause instanceof ProviderRejectedError) return toRejection(cause);
  if (!(cause instanceof ProviderUnavailableError) || !cause.details) return STREAM_INTERRUPTED;
  const { message, type, code } = cause.details;
  // A status about the operator's key would make clients doubt their own.
  const isAboutKey = cause.status === 401 || cause.status === 403;
  const status = isAboutKey ? STREAM_INTERRUPTED.status : (cause.status ?? STREAM_INTERRUPTED.status);
  const usual = INTERRUPTIONS.get(status) ?? STREAM_INTERRUPTED;
  return {
    status,
    type: type !== undefined && /^\w{1,60}$/.test(type) ? type : usual.type,
    code: code ?? usual.code,
    message: `${STREAM_INTERRUPTED.message} It said: ${redactSecrets(message, [])}`,
  };
}

/** Usual type and code of errors that a host sends in the middle of an answer. */
const INTERRUPTIONS: ReadonlyMap<number, Pick<HttpErrorFacts, 'type' | 'code'>> = new Map([
  [402, { type: 'insufficient_quota', code: 'insufficient_quota' }],
  [429, { type: 'rate_limit_error', code: 'rate_limit_exceeded' }],
]);

function upstreamError({ retryAfterMs, providerMessage }: Partial<AllProvidersFailedError> = {}): HttpErrorFacts {
  const words = providerMessage === undefined ? '' : ` It said: ${providerMessage}`;
  return upstream(502, 'upstream_error', `No provider of this model can answer right now.${words}`, retryAfterMs);
}

function upstreamTimeout(retryAfterMs?: number): HttpErrorFacts {
  return upstream(504, 'upstream_timeout', 'No provider of this model answered in time.', retryAfterMs);
}

/** Keeps the provider's status but not its message, which is about the operator's account. */
function upstreamBusy({ status, retryAfterMs }: Busy): HttpErrorFacts {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const headers = { 'retry-after': String(seconds) };
  return status === 429
    ? {
        status,
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: `All providers of this model are at their limit. Try again in ${seconds} s.`,
        headers,
      }
    : {
        status,
        type: 'server_error',
        code: 'upstream_unavailable',
        message: `No provider of this model is available right now. Try again in ${seconds} s.`,
        headers,
      };
}

function upstream(status: number, code: string, message: string, retryAfterMs: number | undefined): HttpErrorFacts {
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return { status, type: 'server_error', code, message, headers };
}

/** Maps errors of the file storage. */
function toStorageFailure(error: unknown): HttpErrorFacts | undefined {
  if (error instanceof FileTooLargeError) return invalid(413, 'file_too_large', error.message);
  if (error instanceof FileSizeMismatchError) return invalid(400, 'size_mismatch', error.message);
  if (error instanceof FileBlockedError) return invalid(403, 'file_blocked', 'This file is blocked here.');
  if (error instanceof QuotaExceededError) {
    return { ...invalid(429, 'quota_exceeded', error.message), headers: toRetryAfter(error.retryAfterMs) };
  }
  if (error instanceof StorageUnavailableError) {
    const message = 'Files can neither be stored nor read right now.';
    return {
      status: 503,
      type: 'server_error',
      code: 'storage_unavailable',
      message,
      headers: toRetryAfter(error.retryAfterMs),
    };
  }
  if (error instanceof FileUnreadableError) {
    return {
      status: 502,
      type: 'server_error',
      code: 'file_unreadable',
      message: 'The stored file is damaged or lost.',
    };
  }
  return undefined;
}

function toRetryAfter(retryAfterMs: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
}

/** Statuses about the operator's account with the provider, not about the client's request. */
const ABOUT_OUR_ACCOUNT = new Set([401, 402, 403, 407, 429]);

const CONTENT_POLICY = 'content_policy_violation';

function toRejection(error: ProviderRejectedError): HttpErrorFacts {
  // Providers use various statuses for it, including 403.
  if (error.details.code === CONTENT_POLICY) {
    return invalid(400, CONTENT_POLICY, redactSecrets(error.details.message, []));
  }
  if (ABOUT_OUR_ACCOUNT.has(error.status) || error.status < 400 || error.status > 499) return upstreamError();
  const { message, param, code } = error.details;
  return {
    ...invalid(error.status, code ?? 'invalid_request_error', redactSecrets(message, [])),
    param: param ?? undefined,
  };
}

/** Maps Fastify's errors for unreadable requests, whose messages would reveal internals. */
function toFrameworkFailure(error: unknown): HttpErrorFacts | undefined {
  const status = isJsonObject(error) || error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  switch (status) {
    case 413:
      return invalid(413, 'request_too_large', 'The body of the request is too large.');
    case 415:
      return invalid(415, 'unsupported_media_type', 'The content type of the request is not supported.');
    case 404:
      return invalid(404, 'not_found', 'There is nothing at this address.');
    default:
      return invalid(status, 'invalid_request_error', 'The request could not be read.');
  }
}

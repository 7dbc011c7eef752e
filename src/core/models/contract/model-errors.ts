import type { ModelType } from './provider.ts';

/** Base class for failures of a provider. The router decides by the subclass whether to try another provider. */
export class ProviderError extends Error {
  override readonly name: string = 'ProviderError';
  readonly provider: string;
  constructor(provider: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.provider = provider;
  }
}

/**
 * Thrown when a provider can't serve now: no connection, 5xx, 429, a refused key, an invalid response. Another provider
 * may be tried.
 */
export class ProviderUnavailableError extends ProviderError {
  override readonly name = 'ProviderUnavailableError';
  /** HTTP status, if there was one. 401 and 404 also if a provider reports the same with another status. */
  readonly status: number | undefined;
  /** Delay that the provider requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The provider's message, if it may be shown to clients: short, without secrets and addresses. */
  readonly providerMessage: string | undefined;
  /** The error as the host described it, without secrets and addresses, for a client whose answer it has interrupted. */
  readonly details: ProviderErrorDetails | undefined;
  /** Whether the host responded, but with an unusable answer: the model may be the cause, the host is available. */
  readonly isBadAnswer: boolean;
  constructor(
    provider: string,
    message: string,
    facts: {
      status?: number | undefined;
      retryAfterMs?: number | undefined;
      isBadAnswer?: boolean | undefined;
      providerMessage?: string | undefined;
      details?: ProviderErrorDetails | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(provider, message, { cause: facts.cause });
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
    this.isBadAnswer = facts.isBadAnswer ?? false;
    this.providerMessage = facts.providerMessage;
    this.details = facts.details;
  }
}

/** Fields of a provider's `error` object. */
interface ProviderErrorDetails {
  readonly message: string;
  readonly type: string | undefined;
  readonly code: string | null;
}

export type TimeoutPhase = 'connect' | 'first-token' | 'idle' | 'total';

/** Thrown when a provider was too slow. Another may be tried unless something was already delivered. */
export class ProviderTimeoutError extends ProviderError {
  override readonly name = 'ProviderTimeoutError';
  readonly phase: TimeoutPhase;
  constructor(provider: string, phase: TimeoutPhase, timeoutMs: number, options?: ErrorOptions) {
    super(provider, `${provider} gave no answer in time (${phase} timeout, ${timeoutMs} ms)`, options);
    this.phase = phase;
  }
}

/**
 * Thrown when a provider says that the request itself is invalid (400, 413, 422 …). Another provider would not help.
 */
export class ProviderRejectedError extends ProviderError {
  override readonly name: string = 'ProviderRejectedError';
  /** The provider's HTTP status, 400 to 499. */
  readonly status: number;
  /** The provider's `error` fields, for the client. */
  readonly details: { readonly message: string; readonly param: string | null; readonly code: string | null };
  constructor(provider: string, status: number, details: ProviderRejectedError['details']) {
    super(provider, details.message);
    this.status = status;
    this.details = details;
  }
}

/** Name of this service in errors of its own. */
const SERVICE = 'switchboard';

/**
 * Thrown when a part of a request changes the answer and has no equivalent in the protocol of a provider. The models of
 * other providers may still get the request.
 */
export class UntranslatableError extends ProviderRejectedError {
  override readonly name: string = 'UntranslatableError';
  /**
   * @param path path of the field in the body: as the client sent it, or under its name in chat completions.
   * @param problem completes a sentence that begins with the path.
   */
  constructor(path: string, problem: string, code: string | null = null) {
    super(SERVICE, 400, { message: `'${path}' ${problem}.`, param: path, code });
  }
}

/**
 * Thrown when a stream breaks off after its first event: closed, stalled, or ended by an error event, whose error is the
 * cause.
 */
export class ProviderStreamError extends ProviderError {
  override readonly name = 'ProviderStreamError';
}

/** Thrown when no provider knows the model name, or none of its providers can serve the request. */
export class ModelNotFoundError extends Error {
  override readonly name = 'ModelNotFoundError';
  readonly model: string;
  /** @param missing what the providers of an existing model may lack. */
  constructor(model: string, missing?: string) {
    const otherwise = missing === undefined ? '' : `, or none of its providers has ${missing}`;
    super(`The model '${model}' does not exist${otherwise}. GET /ai/openai/models lists all models`);
    this.model = model;
  }
}

/** Thrown when the model exists, but has another type. */
export class WrongModelTypeError extends Error {
  override readonly name = 'WrongModelTypeError';
  readonly model: string;
  /** @param type of the model. */
  constructor(model: string, type: ModelType, requestedType: ModelType) {
    const { does, addresses } = USES[type];
    super(
      `The model '${model}' ${does} and does not ${USES[requestedType].verb}. Use it with ${addresses}; GET /ai/openai/models lists models of type '${requestedType}'`,
    );
    this.model = model;
  }
}

/** Use of each type of model in words, and the addresses that serve it. */
const USES: Readonly<Record<ModelType, { readonly does: string; readonly verb: string; readonly addresses: string }>> =
  {
    chat: { does: 'chats', verb: 'chat', addresses: 'POST /ai/openai/chat/completions or POST /ai/v2' },
    image: {
      does: 'creates images',
      verb: 'create images',
      addresses: 'POST /ai/imagen or POST /ai/openai/images/generations',
    },
    embedding: { does: 'creates embeddings', verb: 'create embeddings', addresses: 'POST /ai/openai/embeddings' },
    speech: { does: 'reads texts aloud', verb: 'read texts aloud', addresses: 'POST /ai/openai/audio/speech' },
    transcription: {
      does: 'transcribes recordings',
      verb: 'transcribe recordings',
      addresses: 'POST /ai/openai/audio/transcriptions',
    },
    moderation: { does: 'moderates content', verb: 'moderate content', addresses: 'POST /ai/openai/moderations' },
    rerank: { does: 'reranks documents', verb: 'rerank documents', addresses: 'POST /ai/openai/rerank' },
  };

/** Thrown when every provider of the model has failed before the first byte. */
export class AllProvidersFailedError extends Error {
  override readonly name = 'AllProvidersFailedError';
  readonly model: string;
  /** In the order of the attempts; not empty. */
  readonly failures: readonly ProviderError[];
  constructor(model: string, failures: readonly ProviderError[]) {
    super(`No provider of '${model}' could answer: ${failures.map((failure) => failure.message).join('; ')}`, {
      cause: failures.at(-1),
    });
    this.model = model;
    this.failures = failures;
  }
  /** Whether the last attempt timed out. */
  get isTimeout(): boolean {
    return this.failures.at(-1) instanceof ProviderTimeoutError;
  }
  /** The provider's message, if only one was tried. */
  get providerMessage(): string | undefined {
    const [failure, ...others] = this.failures;
    return others.length === 0 && failure instanceof ProviderUnavailableError ? failure.providerMessage : undefined;
  }
  /** Set if the providers are temporarily busy: the client should retry. */
  get busy(): Busy | undefined {
    return toBusy(this.failures);
  }
  /** The shortest delay that a provider requests, in milliseconds. */
  get retryAfterMs(): number | undefined {
    return findSoonest(this.failures)?.retryAfterMs;
  }
}

/** A temporary refusal. */
export interface Busy {
  /** 429: all providers are at their rate limits. 503: overloaded or in maintenance. */
  readonly status: 429 | 503;
  /** Delay before a retry, in milliseconds; a default if no provider requests one. */
  readonly retryAfterMs: number;
}

/** The same as the rest of a target after a 429 without a delay. */
const USUAL_RETRY_MS = 10_000;

/**
 * Summarises failures as a temporary refusal. If any 429 or 503 requests a delay, the shortest one decides: after it a
 * retry may succeed. Otherwise all failures must be 429 or 503, and one 503 makes the result a 503.
 */
function toBusy(failures: readonly ProviderError[]): Busy | undefined {
  const refusals = failures.filter(isBusy);
  const soonest = findSoonest(refusals);
  if (soonest) return { status: soonest.status === 429 ? 429 : 503, retryAfterMs: soonest.retryAfterMs };
  if (refusals.length === 0 || refusals.length < failures.length) return undefined;
  return { status: refusals.every(({ status }) => status === 429) ? 429 : 503, retryAfterMs: USUAL_RETRY_MS };
}

/** 529 is Anthropic's status for an overload. */
const BUSY_STATUSES: ReadonlySet<number | undefined> = new Set([429, 503, 529]);

function isBusy(failure: ProviderError): failure is ProviderUnavailableError {
  return failure instanceof ProviderUnavailableError && BUSY_STATUSES.has(failure.status);
}

/** Returns the failure with the shortest requested delay, or undefined if none requests one. */
export function findSoonest(
  failures: readonly ProviderError[],
): (ProviderUnavailableError & { readonly retryAfterMs: number }) | undefined {
  return failures.filter(hasTime).sort((one, other) => one.retryAfterMs - other.retryAfterMs)[0];
}

function hasTime(failure: ProviderError): failure is ProviderUnavailableError & { readonly retryAfterMs: number } {
  return failure instanceof ProviderUnavailableError && failure.retryAfterMs !== undefined;
}

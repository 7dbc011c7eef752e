/** A provider did not do what was asked. The class says why; the router decides by class whether another is asked. */
export class ProviderError extends Error {
  override readonly name: string = 'ProviderError';
  readonly provider: string;
  constructor(provider: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.provider = provider;
  }
}

/** The provider can't serve now: no connection, 5xx, 429, a refused key, an answer that is no completion. Another may be asked. */
export class ProviderUnavailableError extends ProviderError {
  override readonly name = 'ProviderUnavailableError';
  /** HTTP status, where there was one; 401 and 404 also where a provider says the same with another status. */
  readonly status: number | undefined;
  /** How long the provider asks to be left alone, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The provider's own words, where they may be shown to clients: short, without secrets and addresses. */
  readonly providerMessage: string | undefined;
  /** True where the provider did answer, but with something that is no answer: the model may be at fault, the host is there. */
  readonly isBadAnswer: boolean;
  constructor(
    provider: string,
    message: string,
    facts: {
      status?: number | undefined;
      retryAfterMs?: number | undefined;
      isBadAnswer?: boolean | undefined;
      providerMessage?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(provider, message, { cause: facts.cause });
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
    this.isBadAnswer = facts.isBadAnswer ?? false;
    this.providerMessage = facts.providerMessage;
  }
}

export type TimeoutPhase = 'connect' | 'first-token' | 'idle' | 'total';

/** The provider was too slow. Another may be asked unless something was already delivered. */
export class ProviderTimeoutError extends ProviderError {
  override readonly name = 'ProviderTimeoutError';
  readonly phase: TimeoutPhase;
  constructor(provider: string, phase: TimeoutPhase, timeoutMs: number, options?: ErrorOptions) {
    super(provider, `${provider} gave no answer in time (${phase} timeout, ${timeoutMs} ms)`, options);
    this.phase = phase;
  }
}

/** The provider says that the request itself is wrong (400, 413, 422 …). Asking another would not help. */
export class ProviderRejectedError extends ProviderError {
  override readonly name = 'ProviderRejectedError';
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

/** A stream broke off after its first event: cut, stalled, or ended by an error event. */
export class ProviderStreamError extends ProviderError {
  override readonly name = 'ProviderStreamError';
}

/** No provider knows this model name. */
export class ModelNotFoundError extends Error {
  override readonly name = 'ModelNotFoundError';
  readonly model: string;
  constructor(model: string) {
    super(`The model '${model}' does not exist. The list of models: GET /ai/openai/models`);
    this.model = model;
  }
}

/** The model exists, but it does something else. */
export class WrongModelTypeError extends Error {
  override readonly name = 'WrongModelTypeError';
  readonly model: string;
  constructor(model: string, type: 'chat' | 'image') {
    super(
      type === 'image'
        ? `The model '${model}' draws pictures and does not chat. Ask it at POST /ai/imagen or POST /ai/openai/images/generations`
        : `The model '${model}' chats and does not draw. The models with type 'image' do: GET /ai/openai/models`,
    );
    this.model = model;
  }
}

/** Every provider of the model failed before the first byte. */
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
  /** True where the last attempt ran into a timeout. */
  get isTimeout(): boolean {
    return this.failures.at(-1) instanceof ProviderTimeoutError;
  }
  /** The own words of the provider, where one alone was asked. */
  get providerMessage(): string | undefined {
    const [failure, ...others] = this.failures;
    return others.length === 0 && failure instanceof ProviderUnavailableError ? failure.providerMessage : undefined;
  }
  /** Set where the providers refuse for now: the client should ask again, and not be told of a failure. */
  get busy(): Busy | undefined {
    return toBusy(this.failures);
  }
  /** The shortest time after which a provider wants to be asked again, milliseconds. */
  get retryAfterMs(): number | undefined {
    return findSoonest(this.failures)?.retryAfterMs;
  }
}

/** Refusals that pass by themselves. */
export interface Busy {
  /** 429: all are at their rate limits. 503: overloaded or in maintenance. */
  readonly status: 429 | 503;
  /** When to ask again, milliseconds; a usual time where no provider names one. */
  readonly retryAfterMs: number;
}

/** As long as a target rests after a 429 without a time. */
const USUAL_RETRY_MS = 10_000;

/**
 * Of several failures the 429 or 503 with the shortest time decides, whatever the others are: after that time the request may succeed.
 * Without any time it takes all of them to be 429 or 503; one 503 among them makes it a 503.
 */
function toBusy(failures: readonly ProviderError[]): Busy | undefined {
  const refusals = failures.filter(isBusy);
  const soonest = findSoonest(refusals);
  if (soonest) return { status: soonest.status === 429 ? 429 : 503, retryAfterMs: soonest.retryAfterMs };
  if (refusals.length === 0 || refusals.length < failures.length) return undefined;
  return { status: refusals.every(({ status }) => status === 429) ? 429 : 503, retryAfterMs: USUAL_RETRY_MS };
}

/** 529 is Anthropic's word for an overload. */
const BUSY_STATUSES: ReadonlySet<number | undefined> = new Set([429, 503, 529]);

function isBusy(failure: ProviderError): failure is ProviderUnavailableError {
  return failure instanceof ProviderUnavailableError && BUSY_STATUSES.has(failure.status);
}

/** The failure with the shortest time after which the provider wants to be asked again; undefined where none names a time. */
export function findSoonest(
  failures: readonly ProviderError[],
): (ProviderUnavailableError & { readonly retryAfterMs: number }) | undefined {
  return failures.filter(hasTime).sort((one, other) => one.retryAfterMs - other.retryAfterMs)[0];
}

function hasTime(failure: ProviderError): failure is ProviderUnavailableError & { readonly retryAfterMs: number } {
  return failure instanceof ProviderUnavailableError && failure.retryAfterMs !== undefined;
}

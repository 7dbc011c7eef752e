import type { DocumentProblem } from '../../core/documents/index.ts';
import { type BudgetState, LimitExceededError, ModelPriceUnknownError } from '../../core/limits/index.ts';
import {
  AllProvidersFailedError,
  ModelNotFoundError,
  type ProviderError,
  ProviderRejectedError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
  WrongModelTypeError,
} from '../../core/models/index.ts';
import { HeldBytesFullError } from '../../lib/http/held-bytes.ts';
import { shorten } from '../../lib/text.ts';
import { formatMoment } from '../../texts/moment.ts';
import type { Texts } from '../texts/locales.ts';

type LimitName = Exclude<keyof Texts['limits'], 'budget'>;

/** Reason for a failed answer, as far as the user can act on it. */
export type Failure =
  /** The providers of the model are rate-limited. */
  | { readonly kind: 'rateLimited'; readonly waitMs: number }
  /** A limit of this service. `of` is its key in the texts. */
  | { readonly kind: 'limitReached'; readonly of: LimitName; readonly waitMs: number }
  /** A budget that does not cover the request. */
  | {
      readonly kind: 'budgetReached';
      readonly scope: LimitExceededError['scope'];
      readonly period: BudgetState['period'];
      /** Unix milliseconds; undefined for a total budget. */
      readonly resetsAt: number | undefined;
    }
  /** The providers refuse the operator's key, or want to be paid. */
  | {
      readonly kind: 'operatorNeeded';
      readonly reason: 'key' | 'credit';
      /** Words of the providers, for admins only. */
      readonly details: string;
    }
  | { readonly kind: 'photoTooLarge'; readonly limitMb: number }
  /** A document that can't be read. */
  | {
      readonly kind: 'unreadable';
      readonly problem: DocumentProblem | 'unavailable' | 'page' | 'lost';
      readonly name: string;
    }
  | { readonly kind: 'documentTooLarge'; readonly name: string; readonly limitMb: number }
  /** A recording without recognizable speech. */
  | { readonly kind: 'noTranscript'; readonly problem: 'silent' | 'failed' | 'unavailable' }
  | { readonly kind: 'recordingTooLarge'; readonly limitMb: number }
  | {
      readonly kind:
        | 'unreachable'
        | 'tooSlow'
        | 'tooLong'
        | 'filtered'
        | 'rejected'
        | 'brokeOff'
        | 'empty'
        | 'modelGone'
        | 'noVision'
        | 'priceUnknown'
        | 'photoUnavailable'
        | 'interrupted'
        /** The process ended while a tool computed for the answer. */
        | 'toolEndedProcess'
        /** Telegram has not confirmed that all of it arrived. */
        | 'unconfirmed'
        | 'internal';
    };

/** Thrown to end an answer with a known failure. */
export class AnswerFailedError extends Error {
  override readonly name = 'AnswerFailedError';
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(`The answer failed: ${failure.kind}`, options);
    this.failure = failure;
  }
}

/** Converts an error of a generation to a failure. */
export function toFailure(error: unknown): Failure {
  if (error instanceof LimitExceededError) return fromLimit(error);
  if (error instanceof ModelPriceUnknownError) return { kind: 'priceUnknown' };
  if (error instanceof AllProvidersFailedError) return fromProviders(error);
  if (error instanceof ProviderRejectedError) return fromRejection(error);
  if (error instanceof ModelNotFoundError || error instanceof WrongModelTypeError) return { kind: 'modelGone' };
  if (error instanceof ProviderTimeoutError) return { kind: 'tooSlow' };
  if (error instanceof ProviderUnavailableError) return fromAccountRefusals([error]) ?? { kind: 'unreachable' };
  if (error instanceof ProviderStreamError) return { kind: 'brokeOff' };
  if (error instanceof HeldBytesFullError) return { kind: 'limitReached', of: 'busy', waitMs: 0 };
  if (error instanceof AnswerFailedError) return error.failure;
  return { kind: 'internal' };
}

/**
 * Describes the failure in the user's language. Never contains text of a provider: see `describeDetails`.
 * @param timeZone of the user, as an IANA name. Default UTC.
 */
export function describeFailure(texts: Texts, failure: Failure, model: string, timeZone?: string | undefined): string {
  const words = texts.failures;
  switch (failure.kind) {
    case 'rateLimited':
      return words.rateLimited(model, failure.waitMs);
    case 'limitReached':
      return describeLimit(texts, failure);
    case 'budgetReached':
      return describeBudget(texts, failure, timeZone);
    case 'operatorNeeded':
      return words.operatorNeeded[failure.reason](model);
    case 'photoTooLarge':
      return words.photoTooLarge(failure.limitMb);
    case 'unreadable':
      return texts.inputs.unreadable[failure.problem](failure.name);
    case 'documentTooLarge':
      return texts.inputs.documentTooLarge(failure.name, failure.limitMb);
    case 'recordingTooLarge':
      return texts.inputs.recordingTooLarge(failure.limitMb);
    case 'noTranscript':
      return texts.inputs.noTranscript[failure.problem];
    case 'photoUnavailable':
    case 'interrupted':
    case 'toolEndedProcess':
    case 'unconfirmed':
    case 'internal':
      return words[failure.kind];
    case 'unreachable':
    case 'tooSlow':
    case 'tooLong':
    case 'filtered':
    case 'rejected':
    case 'brokeOff':
    case 'empty':
    case 'modelGone':
    case 'noVision':
    case 'priceUnknown':
      return words[failure.kind](model);
  }
}

/** Describes for an admin what the providers said, if that helps to mend the failure; otherwise returns undefined. */
export function describeDetails(texts: Texts, failure: Failure): string | undefined {
  return failure.kind === 'operatorNeeded' ? texts.failures.providersSaid(failure.details) : undefined;
}

/** Returns the remedies to offer as buttons. Retry is left out if it can only fail again. */
export function listRemedies(failure: Failure): { retry: boolean; otherModel: boolean; newConversation: boolean } {
  const isHopeless = HOPELESS.has(failure.kind) || ('problem' in failure && !PASSING.has(failure.problem));
  return {
    retry: !isHopeless,
    otherModel: !ABOUT_US.has(failure.kind) || needsVision(failure),
    newConversation: failure.kind === 'tooLong',
  };
}

/** Returns whether a model that sees images could answer. */
export function needsVision(failure: Failure): boolean {
  return failure.kind === 'noVision' || (failure.kind === 'unreadable' && failure.problem === 'scanned');
}

const HOPELESS: ReadonlySet<Failure['kind']> = new Set([
  'tooLong',
  'rejected',
  'modelGone',
  'noVision',
  'priceUnknown',
  'photoTooLarge',
  'documentTooLarge',
  'recordingTooLarge',
]);
/** Failures that do not depend on the model. */
const ABOUT_US: ReadonlySet<Failure['kind']> = new Set([
  'photoUnavailable',
  'photoTooLarge',
  'interrupted',
  'toolEndedProcess',
  'unconfirmed',
  'internal',
  'limitReached',
  'budgetReached',
  'unreadable',
  'documentTooLarge',
  'recordingTooLarge',
  'noTranscript',
]);
/** Problems that do not come from the file itself. */
const PASSING: ReadonlySet<string> = new Set([
  'unavailable',
  'busy',
  'too-slow',
  'too-complex',
  'failed',
  'page',
  'lost',
]);

function describeLimit({ limits }: Texts, { of, waitMs }: { readonly of: LimitName; readonly waitMs: number }): string {
  return of === 'busy' ? limits.busy : limits[of](waitMs);
}

function describeBudget(
  { locale, limits }: Texts,
  { scope, period, resetsAt }: Extract<Failure, { readonly kind: 'budgetReached' }>,
  timeZone: string | undefined,
): string {
  const words = limits.budget[scope === 'chat' || scope === 'instance' ? scope : 'own'];
  return resetsAt === undefined ? words.total() : words[period](formatMoment(locale, resetsAt, timeZone));
}

function fromLimit({ kind, scope, isUsedUp, retryAfterMs: waitMs, budget }: LimitExceededError): Failure {
  if (kind === 'dollars') {
    if (isUsedUp && budget) return { kind: 'budgetReached', scope, ...budget };
    return { kind: 'limitReached', of: 'busy', waitMs };
  }
  const isPassing = kind === 'atOnce' || (kind !== 'requests' && !isUsedUp);
  const of = isPassing ? 'busy' : scope === 'chat' ? (`${kind}OfChat` as const) : kind;
  return { kind: 'limitReached', of, waitMs };
}

function fromProviders(error: AllProvidersFailedError): Failure {
  if (error.busy) return { kind: 'rateLimited', waitMs: error.busy.retryAfterMs };
  return fromAccountRefusals(error.failures) ?? { kind: error.isTimeout ? 'tooSlow' : 'unreachable' };
}

/** Statuses by which hosts refuse the operator's account; 402: it has no credit. */
const ACCOUNT_STATUSES: readonly unknown[] = [401, 402, 403];
const MAX_DETAILS = 1000;

function fromAccountRefusals(errors: readonly ProviderError[]): Failure | undefined {
  const statuses = errors.map((error) => (error instanceof ProviderUnavailableError ? error.status : undefined));
  if (statuses.length === 0 || !statuses.every((status) => ACCOUNT_STATUSES.includes(status))) return undefined;
  const details = errors.map(({ message }) => message).join('\n');
  return {
    kind: 'operatorNeeded',
    reason: statuses.includes(402) ? 'credit' : 'key',
    details: shorten(details, MAX_DETAILS),
  };
}

// The codes are OpenAI's; the phrases are for hosts without codes.
const TOO_LONG = /context_length_exceeded|context (length|window)|maximum context|too many tokens|prompt is too long/i;
const FILTERED = /content_filter|content_policy|content management policy|safety system|moderation/i;
const IMAGES = /image|vision|multimodal/i;

function fromRejection(error: ProviderRejectedError): Failure {
  const details = `${error.details.code ?? ''} ${error.details.message}`;
  if (TOO_LONG.test(details) || error.status === 413) return { kind: 'tooLong' };
  if (FILTERED.test(details)) return { kind: 'filtered' };
  return { kind: IMAGES.test(details) ? 'noVision' : 'rejected' };
}

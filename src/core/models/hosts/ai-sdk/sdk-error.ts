import { isJsonObject } from '../../../../lib/json/json.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import { UntranslatableError } from '../../../../protocols/untranslatable-error.ts';
import {
  ProviderError,
  ProviderRejectedError,
  ProviderStreamError,
  ProviderUnavailableError,
} from '../../contract/model-errors.ts';

export interface SdkErrorContext {
  readonly provider: string;
  /** Secrets to remove from the vendor's messages. */
  readonly secrets: readonly string[];
}

/**
 * Converts an error of a package. Errors of the SDK are not kept as causes: they contain the request.
 * @param isUnderWay whether a part of the answer was delivered.
 */
export function toProviderError(error: unknown, context: SdkErrorContext, isUnderWay: boolean): ProviderError {
  const { provider } = context;
  const known = findProviderError(error) ?? convert(error, context);
  if (isUnderWay && !(known instanceof ProviderStreamError))
    return new ProviderStreamError(provider, `${known.message}, in the middle of the answer`, { cause: known });
  // Nothing was delivered yet, so another provider may be tried.
  if (!isUnderWay && known instanceof ProviderStreamError)
    return new ProviderUnavailableError(provider, known.message, { cause: known });
  return known;
}

const MAX_CAUSES = 5;

/** Packages wrap errors of `fetch`. */
function findProviderError(error: unknown): ProviderError | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof ProviderError) return current;
    current = current.cause;
  }
  return undefined;
}

function convert(error: unknown, { provider, secrets }: SdkErrorContext): ProviderError {
  if (error instanceof UntranslatableError)
    return new ProviderRejectedError(provider, 400, { message: error.message, param: error.param, code: null });
  if (error instanceof Error && error.name === 'AI_UnsupportedFunctionalityError')
    return new ProviderRejectedError(provider, 400, { message: `${error.message}.`, param: 'messages', code: null });
  // An error that the vendor sent in the middle of the stream.
  if (isJsonObject(error) && typeof error.message === 'string' && !(error instanceof Error))
    return toErrorOfBody(provider, { error: { message: error.message, code: error.statusCode } }, secrets);
  const message = `${provider} sent something that is not a completion`;
  return new ProviderUnavailableError(provider, message, { isBadAnswer: true });
}

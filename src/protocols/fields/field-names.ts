import { ProviderRejectedError, ProviderStreamError } from '../../core/models/contract/model-errors.ts';

/** Paths of fields in chat completions, the longest first, and their paths in another protocol. */
export type FieldNames = readonly (readonly [pattern: RegExp, name: string])[];

/**
 * Returns a refusal with fields under the names of the client's protocol, in `param` and in the message. Returns all
 * other errors unchanged.
 */
export function withFieldNames(error: unknown, names: FieldNames): unknown {
  const cause = error instanceof ProviderStreamError ? error.cause : error;
  if (!(cause instanceof ProviderRejectedError)) return error;
  const { message, param, code } = cause.details;
  return new ProviderRejectedError(cause.provider, cause.status, {
    message: message
      .replaceAll(QUOTED, (quoted, mark: string, path: string) => {
        return isChatField(path) ? `${mark}${rename(path, names)}${mark}` : quoted;
      })
      .replaceAll(UNQUOTED, (path) => rename(path, names)),
    param: param === null ? null : rename(param, names),
    code,
  });
}

/** A path in quotation marks. */
const QUOTED = /(["'`])([a-z][\w.[\]]{0,100})\1/g;

/** Names that are no words of a sentence. Those in quotation marks, or parts of a path, are left out. */
const UNQUOTED =
  /(?<![\w.["'`\]])(?:reasoning_effort|response_format|max_completion_tokens|parallel_tool_calls|tool_choice)(?![\w.["'`\]])/g;

function rename(path: string, names: FieldNames): string {
  const found = names.find(([pattern]) => pattern.test(path));
  return found ? path.replace(found[0], found[1]) : path;
}

/** Returns whether a quoted word is a field and no value. */
function isChatField(path: string): boolean {
  return CHAT_FIELDS.test(path);
}

const CHAT_FIELDS =
  /^(?:request\.)?(?:messages|tools|tool_choice|response_format|reasoning_effort|verbosity|max_tokens|max_completion_tokens|logprobs|top_logprobs|parallel_tool_calls|stop|temperature|top_p|seed|n|logit_bias|frequency_penalty|presence_penalty|service_tier)(?:\b|$)/;

import { type ChatRequest, lowerLengths } from '../models/index.ts';

/**
 * Returns the request with at most this length of each choice, under each name that its maximum has.
 * @param options.isTight the budget pays for no more. Otherwise the length is optional: a model that refuses it has a
 * lower maximum of its own.
 */
export function limitLength(
  request: ChatRequest,
  tokens: number,
  { isTight }: { readonly isTight: boolean },
): ChatRequest {
  const { maxOutputTokens = Number.POSITIVE_INFINITY, optional = [], extraFields, native } = request;
  const most = Math.min(maxOutputTokens, tokens);
  const others = optional.filter((name) => name !== 'maxOutputTokens');
  if (most === maxOutputTokens) {
    const limited = { ...request, native: native && withMaximum(native, most) };
    return isTight ? { ...limited, optional: others } : limited;
  }
  return {
    ...request,
    maxOutputTokens: most,
    optional: isTight ? others : [...others, 'maxOutputTokens'],
    extraFields: extraFields && lowerLengths(extraFields, most),
    native: native && withMaximum({ ...native, body: lowerLengths(native.body, most) }, most),
  };
}

/**
 * Adds the maximum to a legacy completion that has it under other names only: the host may not know them. Providers of
 * chats add it under the name that their host knows.
 */
function withMaximum(native: NonNullable<ChatRequest['native']>, tokens: number): NonNullable<ChatRequest['native']> {
  const { dialect, body } = native;
  const isMissing = dialect === 'completions' && typeof body['max_tokens'] !== 'number';
  return isMissing ? { ...native, body: { ...body, max_tokens: tokens } } : native;
}

import type { ChatRequest } from '../models/index.ts';

/** Names of the maximum length in the dialects. */
const LENGTH_FIELDS = ['max_tokens', 'max_completion_tokens'];

/**
 * Returns the request with at most this length of each choice.
 * @param options.isTight the budget pays for no more. Otherwise the length is optional: a model that refuses it has a
 * lower maximum of its own.
 */
export function limitLength(
  request: ChatRequest,
  tokens: number,
  { isTight }: { readonly isTight: boolean },
): ChatRequest {
  const { maxOutputTokens, optional = [], native } = request;
  if (maxOutputTokens !== undefined && maxOutputTokens <= tokens) return isTight ? withoutOptional(request) : request;
  const others = optional.filter((name) => name !== 'maxOutputTokens');
  return {
    ...request,
    maxOutputTokens: tokens,
    optional: isTight ? others : [...others, 'maxOutputTokens'],
    native: native && { ...native, body: withMaximumIn(native, tokens) },
  };
}

function withoutOptional(request: ChatRequest): ChatRequest {
  const { optional } = request;
  return optional ? { ...request, optional: optional.filter((name) => name !== 'maxOutputTokens') } : request;
}

/** Lowers the maximum of the client's own body. Providers add a missing one under the name that their host knows. */
function withMaximumIn({ body, dialect }: NonNullable<ChatRequest['native']>, tokens: number) {
  const names = LENGTH_FIELDS.filter((name) => typeof body[name] === 'number');
  const missing = dialect === 'completions' && names.length === 0 ? ['max_tokens'] : [];
  return { ...body, ...Object.fromEntries([...names, ...missing].map((name) => [name, tokens])) };
}

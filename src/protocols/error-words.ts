/** Words of errors that tell their causes. */
interface ErrorWords {
  readonly message: string | undefined;
  readonly param: string | null;
  readonly code: string | null;
}

/** Returns whether the model can't process images, audio or files of the request. */
export function isAboutInput({ message = '' }: ErrorWords): boolean {
  return UNSUPPORTED_INPUT.test(message);
}

const UNSUPPORTED_INPUT =
  /\b(?:image|audio|video|file|vision|multimodal)s?\b.{0,40}\b(?:not supported|unsupported)\b|\bdoes ?n[o']t support\b.{0,40}\b(?:image|audio|video|file|vision|multimodal)/i;

/** Returns whether a key is wrong. */
export function isAboutKey({ message = '' }: ErrorWords): boolean {
  return /\bapi[ _-]?key\b.{0,30}\b(invalid|not valid|incorrect|expired)|\b(invalid|incorrect|expired) api[ _-]?key\b/i.test(
    message,
  );
}

/** Returns whether the operator's account is closed, or has no credit left. OpenAI has a code for it. */
export function isAboutBill({ message = '', code }: ErrorWords): boolean {
  return (
    code === 'billing_hard_limit_reached' ||
    /credit balance is too low|insufficient (?:balance|credits?|funds)|reached your specified API usage limits|organization has been disabled/i.test(
      message,
    )
  );
}

/** Returns whether a prompt is too long for the model, in the words of Anthropic and AWS, which have no code for it. */
export function isTooLong({ message = '' }: ErrorWords): boolean {
  return /^(prompt|input) is too long|exceed(s|ed)? context limit/i.test(message);
}

/** Returns whether the host does not know the model. */
export function isAboutUnknownModel({ message, code }: ErrorWords): boolean {
  if (/^(model_not_found|model_decommissioned|unknown_model|invalid_model|model_not_supported)$/.test(code ?? ''))
    return true;
  return /not a valid model|unknown model|invalid model|model identifier is invalid|model .{0,120}(does not exist|not found|is not supported by any provider)/i.test(
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

/** Returns whether the provider's content rules forbid the request, by the code or the message. */
export function isAboutContent({ message, param, code }: ErrorWords): boolean {
  if (CONTENT_CODES.test(code ?? '')) return true;
  // OpenAI's images endpoint has a parameter `moderation`, which can be invalid like any other.
  if (param === 'moderation' || /^(unknown_parameter|invalid_value|invalid_type)$/.test(code ?? '')) return false;
  const words = message ?? '';
  return CONTENT_WORDS.test(words) && !ACCOUNT_WORDS.test(words) && !PARAMETER_WORDS.test(words);
}

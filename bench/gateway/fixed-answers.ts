/** Answers of the loopback provider, which every target must pass on byte for byte. */

/** Kinds of answers, used as model names. */
export type AnswerKind = 'whole' | StreamKind;
type StreamKind = 'stream-paced' | 'stream-burst' | 'stream-brief';

export const DONE = 'data: [DONE]\n\n';

const HEAD = { id: 'chatcmpl-loopback', created: 1_767_225_600, model: 'loopback' };
const USAGE = { prompt_tokens: 12, completion_tokens: 200, total_tokens: 212 };
const SENTENCE = 'The quick brown fox jumps over the lazy dog, and "nobody" minds.\n';

export const wholeAnswer = JSON.stringify({
  ...HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: SENTENCE.repeat(12) }, finish_reason: 'stop' }],
  usage: USAGE,
});

/** Streams without `[DONE]`. */
export const streams: Readonly<Record<StreamKind, { readonly events: readonly string[]; readonly paceMs: number }>> = {
  'stream-paced': { events: toEvents(200), paceMs: 5 },
  /** As fast as possible: one chunk per turn of the provider's event loop. */
  'stream-burst': { events: toEvents(200), paceMs: 0 },
  /** For the time to the first chunk: paced, so that the provider is idle when it arrives. */
  'stream-brief': { events: toEvents(8), paceMs: 5 },
};

/** Extra event for requests with `stream_options.include_usage`. */
export const usageEvent = toEvent([], USAGE);

export const answerKinds: readonly string[] = ['whole', ...Object.keys(streams)];

/** Returns all bytes of an answer for a request without usage. */
export function toAnswerText(kind: AnswerKind): string {
  return kind === 'whole' ? wholeAnswer : `${streams[kind].events.join('')}${DONE}`;
}

/**
 * Returns a request for this kind of answer, with a text of about `textBytes`. `model` must be the first field, because
 * the provider searches for it there.
 * @param modelNumber 0 for the model named like the kind, otherwise a model of the same kind with another name
 */
export function createRequestBody(kind: AnswerKind, textBytes: number, modelNumber = 0): string {
  const model = modelNumber === 0 ? kind : `${kind}-${modelNumber}`;
  const content = SENTENCE.repeat(Math.ceil(textBytes / SENTENCE.length));
  return JSON.stringify({ model, stream: kind !== 'whole', messages: [{ role: 'user', content }] });
}

/** The first event has the role, the last one the finish reason. */
function toEvents(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1;
    const delta = isLast ? {} : { ...(index === 0 ? { role: 'assistant' } : {}), content: ` word${index}` };
    return toEvent([{ index: 0, delta, finish_reason: isLast ? 'stop' : null }]);
  });
}

function toEvent(choices: readonly object[], usage?: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...(usage ? { usage } : {}) })}\n\n`;
}

/** Answers of the loopback provider, which every target must pass on byte for byte. */

/** Kinds of answers, used as model names. */
export type AnswerKind = 'whole' | StreamKind;
type StreamKind = 'stream-paced' | 'stream-burst' | 'stream-brief' | 'stream-long';

export const DONE = 'data: [DONE]\n\n';

const HEAD = { id: 'chatcmpl-loopback', created: 1_767_225_600, model: 'loopback' };
/** Token counts of every answer that reports them. */
export const USAGE = { prompt_tokens: 12, completion_tokens: 200, total_tokens: 212 };
const SENTENCE = 'The quick brown fox jumps over the lazy dog, and "nobody" minds.\n';
const WHOLE_TEXT = SENTENCE.repeat(12);

export const wholeAnswer = JSON.stringify({
  ...HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: WHOLE_TEXT }, finish_reason: 'stop' }],
  usage: USAGE,
});

interface FixedStream {
  readonly events: readonly string[];
  /** Text of the events, the last of which has none. */
  readonly words: readonly string[];
  readonly paceMs: number;
}

/** Streams without `[DONE]`. */
export const streams: Readonly<Record<StreamKind, FixedStream>> = {
  'stream-paced': toStream(200, { paceMs: 5 }),
  /** As fast as possible: one chunk per turn of the provider's event loop. */
  'stream-burst': toStream(200, { paceMs: 0 }),
  /** For the time to the first chunk: paced, so that the provider is idle when it arrives. */
  'stream-brief': toStream(8, { paceMs: 5 }),
  /** For the memory of long answers. */
  'stream-long': toStream(2500, { paceMs: 0 }),
};

/** Extra event for requests with `stream_options.include_usage`. */
export const usageEvent = toEvent([], USAGE);

export const answerKinds: readonly string[] = ['whole', ...Object.keys(streams)];

/** Returns all bytes of an answer for a request without usage. */
export function toAnswerText(kind: AnswerKind): string {
  return kind === 'whole' ? wholeAnswer : `${streams[kind].events.join('')}${DONE}`;
}

/** Returns the text that the model writes in an answer. */
export function toWrittenText(kind: AnswerKind): string {
  return kind === 'whole' ? WHOLE_TEXT : streams[kind].words.join('');
}

/**
 * Returns a request for this kind of answer, with a text of about `textBytes`. `model` must be the first field, because
 * the provider searches for it there.
 * @param modelNumber 0 for the model named like the kind, otherwise a model of the same kind with another name
 */
export function createRequestBody(kind: AnswerKind, textBytes: number, modelNumber = 0): string {
  const model = modelNumber === 0 ? kind : `${kind}-${modelNumber}`;
  const messages = [{ role: 'user', content: toQuestion(textBytes) }];
  return JSON.stringify({ model, stream: kind !== 'whole', messages });
}

/** Returns a text of about this length. */
export function toQuestion(textBytes: number): string {
  return SENTENCE.repeat(Math.ceil(textBytes / SENTENCE.length));
}

/** The first event has the role, the last one the finish reason. */
function toStream(count: number, { paceMs }: Pick<FixedStream, 'paceMs'>): FixedStream {
  const words = Array.from({ length: count - 1 }, (_, index) => ` word${index}`);
  const events = words.map((content, index) => {
    const delta = { ...(index === 0 ? { role: 'assistant' } : {}), content };
    return toEvent([{ index: 0, delta, finish_reason: null }]);
  });
  return { events: [...events, toEvent([{ index: 0, delta: {}, finish_reason: 'stop' }])], words, paceMs };
}

function toEvent(choices: readonly object[], usage?: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...(usage ? { usage } : {}) })}\n\n`;
}

import fc from 'fast-check';
import type { ChatChoice, ChatPart } from '../../../src/core/models/contract/chat-answer.ts';
import type {
  ChatMessage,
  ChatRequest,
  ContentPart,
  ToolCall,
} from '../../../src/core/models/contract/chat-request.ts';
import { listParts } from '../../../src/core/models/index.ts';

/** A text that every host accepts at any place. */
export const text = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).map((inner) => `a${inner}z`);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/);
const parameters = fc.record({
  type: fc.constant('object'),
  properties: fc.dictionary(name, fc.constantFrom({ type: 'string' }, { type: 'number' }), { maxKeys: 3 }),
});
const input = fc.dictionary(name, text, { maxKeys: 3 });

const BASE64 = 'data:image/png;base64,iVBORw0KGgo=';
/** Content of a user's message that all protocols have. */
const question = fc.oneof(
  text,
  fc
    .record({
      words: text,
      image: fc.constantFrom(BASE64, 'https://images.example/fox.png'),
      file: fc.option(fc.constant('data:application/pdf;base64,JVBERi0='), { nil: undefined }),
    })
    .map(({ words, image, file }): readonly ContentPart[] => [
      { type: 'text', text: words },
      { type: 'image', url: image },
      ...(file ? [{ type: 'file' as const, url: file, name: 'fox.pdf' }] : []),
    ]),
);

/** What one turn of the user leads to: an answer, or calls with their results and an answer. */
const turn = fc.record({
  question,
  calls: fc.array(fc.record({ name, input, result: text }), { maxLength: 3 }),
  answer: text,
});

const conversation = fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns): readonly ChatMessage[] => {
  let count = 0;
  const messages = turns.flatMap(({ question: asked, calls, answer }): ChatMessage[] => {
    const toolCalls = calls.map((call): ToolCall => {
      count += 1;
      return { id: `call_${count}`, name: call.name, arguments: JSON.stringify(call.input) };
    });
    const results = toolCalls.map(
      ({ id }, at): ChatMessage => ({ role: 'tool', toolCallId: id, content: calls[at]?.result ?? '' }),
    );
    const called: ChatMessage[] =
      toolCalls.length > 0 ? [{ role: 'assistant', content: '', toolCalls }, ...results] : [];
    return [{ role: 'user', content: asked }, ...called, { role: 'assistant', content: answer }];
  });
  return [...messages, { role: 'user', content: 'And then?' }];
});

/** A request of the settings that all protocols have. */
export const neutralRequest = fc
  .record({
    instructions: fc.option(text, { nil: undefined }),
    messages: conversation,
    tools: fc.uniqueArray(fc.record({ name, description: text, parameters }), {
      minLength: 1,
      maxLength: 3,
      selector: (tool) => tool.name,
    }),
    choice: fc.constantFrom('auto', 'none', 'required', 'first'),
    maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
    temperature: fc.double({ min: 0, max: 1, noNaN: true }),
    topP: optional(fc.double({ min: 0, max: 1, noNaN: true })),
    effort: optional(fc.constantFrom('none', 'low', 'medium', 'high', 'xhigh')),
    allowsParallelToolCalls: optional(fc.constant(false)),
    schema: optional(parameters),
    stop: fc.option(fc.array(text, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  })
  .map(({ instructions, messages, choice, temperature, topP, effort, schema, stop, ...fields }): ChatRequest => {
    const system: ChatMessage[] = instructions === undefined ? [] : [{ role: 'system', content: instructions }];
    const toolChoice =
      choice === 'first'
        ? { name: fields.tools[0]?.name ?? '' }
        : choice === 'none' || choice === 'required'
          ? choice
          : ('auto' as const);
    // Reasoning excludes these at some hosts.
    const reasons = effort !== undefined && effort !== 'none';
    const isFree = toolChoice === 'auto' || toolChoice === 'none';
    return {
      ...fields,
      model: 'm',
      messages: [...system, ...messages],
      toolChoice,
      // Without a choice of calls, nothing says how many there may be.
      allowsParallelToolCalls: toolChoice === 'none' ? undefined : fields.allowsParallelToolCalls,
      reasoningEffort: isFree || !reasons ? effort : undefined,
      responseFormat: schema && { type: 'json', schema },
      sampling: reasons ? { stop } : { temperature: temperature + 0, topP: topP && topP + 0, stop },
    };
  });

/** An answer of the kinds of content that all protocols have in some form. */
export const neutralAnswer = fc
  .record({
    text: fc.oneof(text, fc.constant('')),
    reasoning: optional(text),
    mustBeSentBack: fc.boolean(),
    refusal: optional(text),
    calls: fc.array(fc.record({ name, input, signature: optional(text) }), { maxLength: 3 }),
    images: optional(
      fc.array(fc.constantFrom(BASE64, 'https://images.example/fox.png'), { minLength: 1, maxLength: 2 }),
    ),
    sources: optional(fc.uniqueArray(fc.webUrl(), { minLength: 1, maxLength: 3 })),
    logprob: optional(fc.integer({ min: -20, max: -1 })),
    isCut: fc.boolean(),
  })
  .map(({ calls, sources, reasoning, mustBeSentBack, logprob, isCut, ...fields }): ChatChoice => {
    const toolCalls = calls.map(
      ({ name: called, input: given, signature }, at): ToolCall => ({
        id: `call_${at}`,
        name: called,
        arguments: JSON.stringify(given),
        ...(signature && { native: { extra_content: { google: { thought_signature: signature } } } }),
      }),
    );
    return {
      ...fields,
      toolCalls,
      reasoning,
      reasoningMustBeSentBack: (reasoning !== undefined && mustBeSentBack) || undefined,
      sources: sources?.map((url) => ({ url, title: `About ${url}` })),
      logprobs: logprob === undefined || fields.text === '' ? undefined : [{ token: fields.text, logprob }],
      finishReason: isCut ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop',
    };
  });

/** Divides each text of an answer at these places, as hosts do. */
export function toDeltas(answer: ChatChoice, cuts: readonly number[]): readonly ChatPart[] {
  return listParts(answer, 0).flatMap((part): readonly ChatPart[] => {
    switch (part.type) {
      case 'text-delta':
        return cut(part.text, cuts).map((piece, at) => ({
          ...part,
          text: piece,
          logprobs: at === 0 ? part.logprobs : undefined,
        }));
      case 'reasoning-delta':
      case 'refusal-delta':
        return cut(part.text, cuts).map((piece) => ({ ...part, text: piece }));
      case 'tool-call-delta':
        return cut(part.arguments, cuts).map((piece, at) =>
          at === 0
            ? { ...part, arguments: piece }
            : { ...part, arguments: piece, id: undefined, name: undefined, native: undefined },
        );
      default:
        return [part];
    }
  });
}

/** Cuts a text or bytes at places, each between 0 and 1. */
export function cut<Whole extends string | Buffer>(whole: Whole, places: readonly number[]): readonly Whole[] {
  const ends = [...places.map((place) => Math.floor(place * whole.length)), whole.length].sort((a, b) => a - b);
  const pieces = ends.map((end, at) => whole.slice(ends[at - 1] ?? 0, end) as Whole);
  return pieces.filter(({ length }) => length > 0);
}

export const cutPlaces = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

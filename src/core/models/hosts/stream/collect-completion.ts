import { createId } from '../../../../lib/ids.ts';
import {
  type ChatChoice,
  type ChatCompletion,
  type ChatPart,
  type ChatStream,
  countHeldCharacters,
  findContinuedCall,
  MAX_CHOICES,
  MAX_SOURCES,
  MAX_TOOL_CALLS,
  type Source,
} from '../../contract/chat-answer.ts';
import type { ToolCall, UnknownFields } from '../../contract/chat-request.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
/** Maximum size of a whole answer. */
export const MAX_COMPLETION_BYTES = 64 * 1024 * 1024;

/**
 * Reads a stream to its end.
 * @throws ProviderUnavailableError above `MAX_COMPLETION_BYTES`; the errors of the stream.
 */
export async function collectCompletion(stream: ChatStream): Promise<ChatCompletion> {
  const choices = new Map<number, ChoiceCollector>();
  let otherCharacters = 0;
  for await (const { parts } of stream) {
    for (const part of parts) {
      if (!('choice' in part)) continue;
      const choice = choices.get(part.choice) ?? new ChoiceCollector();
      if (choices.size < MAX_CHOICES) choices.set(part.choice, choice);
      choice.add(part);
      if (part.type === 'image' || part.type === 'source') otherCharacters += countHeldCharacters(part);
    }
    const { deltaBytes, provider } = stream.outcome;
    if (deltaBytes + otherCharacters > MAX_COMPLETION_BYTES)
      throw new ProviderUnavailableError(provider, `${provider} sent an answer that is too large`);
  }
  const { outcome } = stream;
  const inOrder = [...choices].sort(([one], [other]) => one - other).map(([, choice]) => choice);
  const collected = inOrder.length > 0 ? inOrder : [new ChoiceCollector()];
  return { choices: collected.map((choice) => choice.finish(outcome.finishReason ?? 'stop')), outcome };
}

/** A tool call that later fragments complete. */
interface PendingCall {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  written: string;
  native: UnknownFields | undefined;
}

/** Assembles one choice from its parts. */
class ChoiceCollector {
  #text = '';
  #reasoning = '';
  #mustBeSentBack = false;
  #refusal = '';
  #end: Pick<ChatChoice, 'stopSequence'> & { readonly reason?: string } = {};
  readonly #logprobs: UnknownFields[] = [];
  readonly #calls: PendingCall[] = [];
  readonly #images: string[] = [];
  readonly #sources: Source[] = [];

  add(part: ChatPart): void {
    switch (part.type) {
      case 'text-delta':
        this.#text += part.text;
        for (const entry of part.logprobs ?? []) this.#logprobs.push(entry);
        break;
      case 'reasoning-delta':
        this.#reasoning += part.text;
        this.#mustBeSentBack ||= part.mustBeSentBack ?? false;
        break;
      case 'refusal-delta':
        this.#refusal += part.text;
        break;
      case 'tool-call-delta':
        this.#addCall(part);
        break;
      case 'image':
        this.#images.push(part.url);
        break;
      case 'source':
        if (this.#sources.length < MAX_SOURCES) this.#sources.push(part.source);
        break;
      case 'finish':
        this.#end = part;
        break;
      case 'usage':
        break;
    }
  }

  finish(usualReason: string): ChatChoice {
    return {
      text: this.#text,
      reasoning: this.#reasoning || undefined,
      toolCalls: this.#calls.map(toCall),
      sources: this.#sources.length > 0 ? this.#sources : undefined,
      finishReason: this.#end.reason ?? usualReason,
      stopSequence: this.#end.stopSequence,
      ...(this.#mustBeSentBack ? { reasoningMustBeSentBack: true } : {}),
      ...(this.#refusal === '' ? {} : { refusal: this.#refusal }),
      ...(this.#logprobs.length > 0 ? { logprobs: this.#logprobs } : {}),
      ...(this.#images.length > 0 ? { images: this.#images } : {}),
    };
  }

  #addCall(delta: Extract<ChatPart, { readonly type: 'tool-call-delta' }>): void {
    const { index, id, name, native, arguments: written } = delta;
    const call = findContinuedCall(this.#calls, delta);
    if (!call) {
      if (this.#calls.length >= MAX_TOOL_CALLS) return;
      this.#calls.push({ index, id, name: name ?? '', written, native });
      return;
    }
    call.id ??= id;
    call.name ||= name ?? '';
    call.written += written;
    if (native) call.native = { ...call.native, ...native };
  }
}

function toCall({ id, name, written, native }: PendingCall): ToolCall {
  return { id: id ?? createId('call_'), name, arguments: written, ...(native && { native }) };
}

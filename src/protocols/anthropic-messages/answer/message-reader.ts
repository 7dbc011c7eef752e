import type { ChatPart } from '../../../core/models/contract/chat-answer.ts';
import type { GrowingOutcome } from '../../../core/models/contract/chat-outcome.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { printArguments } from '../../print-arguments.ts';
import type { EventReader, ReadEvent } from '../../stream/event-reader.ts';
import { keepBlocks, toKeptBlock } from '../kept-blocks.ts';
import {
  readFinishReason,
  readRefusal,
  readStopSequence,
  readUsage,
  recordIdentity,
  toSources,
} from './read-message.ts';

/** A content block whose events are read. */
interface OpenBlock {
  /** Part of it that the next request needs. */
  readonly kept: JsonObject;
  /** Number of the tool call in the answer; undefined for other blocks. */
  readonly callIndex: number | undefined;
  /** Input at the start of a tool call. */
  readonly input: unknown;
  /** Whether arguments of the tool call were delivered. */
  hasArguments: boolean;
}

const CHOICE = 0;

/** Reads the events of a streamed message. Events of unknown types have no parts. */
export class MessageReader implements EventReader {
  isComplete = false;
  readonly #outcome: GrowingOutcome;
  readonly #blocks = new Map<unknown, OpenBlock>();
  #usage: JsonObject | undefined;
  #callCount = 0;
  /** Whether the host omits the token counts that clients expect in the first event. */
  #lacksUsage = false;

  constructor(outcome: GrowingOutcome) {
    this.#outcome = outcome;
  }

  read(event: JsonObject): ReadEvent | undefined {
    if (event.type === 'message_start') return this.#readStart(event);
    // A ping does not mean that the answer has started: another provider may be asked after it.
    if (!this.#usage) return isContent(event) ? undefined : 'ignored';
    const isIrregular = this.#lacksUsage;
    return { parts: this.#readParts(event), isLast: event.type === 'message_stop', isIrregular };
  }

  #readStart({ message }: JsonObject): ReadEvent | undefined {
    if (!isJsonObject(message)) return undefined;
    recordIdentity(this.#outcome, message);
    this.#usage = isJsonObject(message.usage) ? message.usage : {};
    this.#lacksUsage = typeof this.#usage.input_tokens !== 'number';
    return { parts: [], isIrregular: this.#lacksUsage };
  }

  #readParts(event: JsonObject): readonly ChatPart[] {
    switch (event.type) {
      case 'content_block_start':
        return this.#readBlockStart(event);
      case 'content_block_delta':
        return this.#readDelta(event);
      case 'content_block_stop':
        return this.#readBlockEnd(event);
      case 'message_delta':
        return this.#readMessageDelta(event);
      default:
        return [];
    }
  }

  #readBlockStart({ index, content_block: content }: JsonObject): readonly ChatPart[] {
    if (!isJsonObject(content)) return [];
    const kept = toKeptBlock(content);
    if (!kept) return [];
    const isCall = content.type === 'tool_use';
    const callIndex = isCall ? this.#callCount : undefined;
    if (isCall) this.#callCount += 1;
    this.#blocks.set(index, { kept, callIndex, input: content.input, hasArguments: false });
    if (isCall) {
      const { id, name } = content;
      return [this.#toCallDelta({ index: callIndex, id: toText(id), name: toText(name), arguments: '' })];
    }
    return toTextParts(content);
  }

  #readDelta({ index, delta }: JsonObject): readonly ChatPart[] {
    const open = this.#blocks.get(index);
    if (!open || !isJsonObject(delta)) return [];
    const { kept, callIndex } = open;
    switch (delta.type) {
      case 'text_delta':
        kept.length = Number(kept.length) + (toText(delta.text) ?? '').length;
        return toTextParts({ type: 'text', text: delta.text });
      case 'thinking_delta':
        kept.thinking = `${toText(kept.thinking) ?? ''}${toText(delta.thinking) ?? ''}`;
        return toTextParts({ type: 'thinking', thinking: delta.thinking });
      case 'signature_delta':
        kept.signature = delta.signature;
        return [];
      case 'input_json_delta': {
        const fragment = toText(delta.partial_json) ?? '';
        if (callIndex === undefined || fragment === '') return [];
        open.hasArguments = true;
        return [this.#toCallDelta({ index: callIndex, arguments: fragment })];
      }
      case 'citations_delta':
        return toSources(delta.citation).map((source) => ({ type: 'source', choice: CHOICE, source }));
      default:
        return [];
    }
  }

  /** Completes the arguments of a tool call that has none, or has them in its start. */
  #readBlockEnd({ index }: JsonObject): readonly ChatPart[] {
    const { input, callIndex, hasArguments } = this.#blocks.get(index) ?? {};
    if (callIndex === undefined || hasArguments) return [];
    return [this.#toCallDelta({ index: callIndex, arguments: printArguments(input ?? {}) })];
  }

  #readMessageDelta({ delta, usage }: JsonObject): readonly ChatPart[] {
    const parts: ChatPart[] = [];
    const end = isJsonObject(delta) ? delta : {};
    const reason = readFinishReason(end);
    const refusal = readRefusal(end);
    if (refusal) parts.push({ type: 'refusal-delta', choice: CHOICE, text: refusal });
    if (reason) {
      const native = this.#callCount > 0 ? keepBlocks([...this.#blocks.values()].map(({ kept }) => kept)) : undefined;
      if (native) parts.push(this.#toCallDelta({ index: 0, arguments: '', native }));
      parts.push({ type: 'finish', choice: CHOICE, reason, ...readStopSequence(end) });
      this.isComplete = true;
    }
    // The counts are cumulative; some hosts repeat only those of the answer.
    const reported = Object.entries(isJsonObject(usage) ? usage : {}).filter(([, count]) => count !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(reported) };
    const counts = readUsage(this.#usage);
    if (counts) parts.push({ type: 'usage', usage: counts });
    return parts;
  }

  #toCallDelta(
    fields: Pick<Extract<ChatPart, { readonly type: 'tool-call-delta' }>, 'index' | 'arguments'> & {
      readonly id?: string | undefined;
      readonly name?: string | undefined;
      readonly native?: JsonObject;
    },
  ): ChatPart {
    return { type: 'tool-call-delta', choice: CHOICE, id: undefined, name: undefined, ...fields };
  }
}

function isContent({ type }: JsonObject): boolean {
  return typeof type === 'string' && /^(?:content_block|message)_/.test(type);
}

function toTextParts({ type, text, thinking }: JsonObject): readonly ChatPart[] {
  if (type === 'text' && typeof text === 'string' && text !== '') return [{ type: 'text-delta', choice: CHOICE, text }];
  return type === 'thinking' && typeof thinking === 'string' && thinking !== ''
    ? [{ type: 'reasoning-delta', choice: CHOICE, text: thinking }]
    : [];
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

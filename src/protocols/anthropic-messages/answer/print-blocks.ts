import { findContinuedCall, MAX_TOOL_CALLS, type ToolCallDelta } from '../../../core/models/contract/chat-answer.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { readSmallJson } from '../../../lib/json/read-json.ts';
import { type CarriedFields, MAX_CARRIED_CHARACTERS, toSignature } from '../carried-fields.ts';
import { type PrintOptions, printCall, printText, toCarriedCall } from './print-message.ts';

/** An event of a stream. */
export type MessagesEvent = { readonly type: string } & JsonObject;

interface OpenBlock {
  readonly index: number;
  readonly type: 'text' | 'thinking';
  /** For thinking: whether the host requires its text in the next request. */
  readonly mustBeSentBack: boolean;
}

interface StartedCall {
  readonly index: number | undefined;
  /** Id of the call, as the host reports it. */
  id: string | undefined;
  name: string | undefined;
  /** Arguments so far. */
  written: string;
  /** Length of the arguments that were found to be incomplete. */
  checkedLength: number;
  /** Index of the block; undefined until the name is known. */
  block: number | undefined;
  isClosed: boolean;
}

/** Prints the content blocks of one stream. One block is open at a time, except for calls that a host interleaves. */
export class BlockPrinter {
  hasToolCalls = false;
  readonly #emit: (event: MessagesEvent) => void;
  readonly #showsThinking: boolean;
  readonly #calls: StartedCall[] = [];
  #blockCount = 0;
  #open: OpenBlock | undefined;
  /** Reasoning that is not shown and that the host requires with the results of tool calls. */
  #hiddenReasoning = '';

  constructor(emit: (event: MessagesEvent) => void, { showsThinking }: Pick<PrintOptions, 'showsThinking'>) {
    this.#emit = emit;
    this.#showsThinking = showsThinking;
  }

  addText(text: string): void {
    if (text === '') return;
    const { index } = this.#open?.type === 'text' ? this.#open : this.#openBlock('text');
    this.#emitDelta(index, { type: 'text_delta', text });
  }

  /** Adds a text that does not continue the one before it. */
  addParagraph(text: string): void {
    if (this.#open?.type === 'text') this.#closeBlock();
    this.addText(text);
  }

  addReasoning(thinking: string, mustBeSentBack: boolean): void {
    if (!this.#showsThinking) {
      if (mustBeSentBack && this.#hiddenReasoning.length < MAX_CARRIED_CHARACTERS) this.#hiddenReasoning += thinking;
      return;
    }
    const { index } = this.#open?.type === 'thinking' ? this.#open : this.#openBlock('thinking', mustBeSentBack);
    this.#emitDelta(index, { type: 'thinking_delta', thinking });
  }

  addToCall(delta: ToolCallDelta): void {
    let call = findContinuedCall(this.#calls, delta);
    if (!call) {
      if (this.#calls.length >= MAX_TOOL_CALLS) return;
      call = {
        index: delta.index,
        id: delta.id,
        name: undefined,
        written: '',
        checkedLength: 0,
        block: undefined,
        isClosed: false,
      };
      this.#calls.push(call);
    }
    if (call.isClosed) return;
    call.id ??= delta.id;
    call.name ??= delta.name;
    call.written += delta.arguments;
    if (call.block !== undefined) this.#addArguments(call.block, delta.arguments);
    else if (call.name !== undefined) this.#beginCall(call, call.name, delta);
  }

  closeAll(): void {
    this.#closeBlock();
    for (const call of this.#calls) this.#closeCall(call);
  }

  #emitDelta(index: number, delta: JsonObject): void {
    this.#emit({ type: 'content_block_delta', index, delta });
  }

  #openBlock(type: OpenBlock['type'], mustBeSentBack = false): OpenBlock {
    this.#closeBlock();
    this.#closeCompleteCalls();
    const content = type === 'text' ? printText('') : { type, thinking: '', signature: '' };
    this.#open = { index: this.#startBlock(content), type, mustBeSentBack };
    return this.#open;
  }

  #startBlock(content: JsonObject): number {
    const index = this.#blockCount;
    this.#blockCount += 1;
    this.#emit({ type: 'content_block_start', index, content_block: content });
    return index;
  }

  #closeBlock(): void {
    if (!this.#open) return;
    const { index, mustBeSentBack } = this.#open;
    this.#open = undefined;
    if (mustBeSentBack) this.#addSignature(index, toSignature({ mustBeSentBack }));
    this.#emit({ type: 'content_block_stop', index });
  }

  #addSignature(index: number, signature: string): void {
    this.#emitDelta(index, { type: 'signature_delta', signature });
  }

  #beginCall(call: StartedCall, name: string, { native }: ToolCallDelta): void {
    this.hasToolCalls = true;
    this.#closeBlock();
    this.#closeCompleteCalls();
    this.#carry({ reasoning: this.#hiddenReasoning, toolCall: toCarriedCall(native) });
    this.#hiddenReasoning = '';
    call.block = this.#startBlock(printCall(name, {}));
    this.#addArguments(call.block, call.written);
  }

  #carry(fields: CarriedFields): void {
    const signature = toSignature(fields);
    if (signature === '') return;
    const index = this.#startBlock({ type: 'thinking', thinking: '', signature: '' });
    this.#addSignature(index, signature);
    this.#emit({ type: 'content_block_stop', index });
  }

  #addArguments(index: number, json: string): void {
    if (json !== '') this.#emitDelta(index, { type: 'input_json_delta', partial_json: json });
  }

  /** Closes the calls that nothing can follow. Hosts that interleave calls leave their arguments incomplete. */
  #closeCompleteCalls(): void {
    for (const call of this.#calls) {
      const isUnchanged = call.written.length === call.checkedLength;
      if (call.isClosed || call.block === undefined || isUnchanged) continue;
      call.checkedLength = call.written.length;
      if (readSmallJson(call.written) !== undefined) this.#closeCall(call);
    }
  }

  #closeCall(call: StartedCall): void {
    if (call.block === undefined || call.isClosed) return;
    this.#emit({ type: 'content_block_stop', index: call.block });
    call.isClosed = true;
    call.written = '';
  }
}

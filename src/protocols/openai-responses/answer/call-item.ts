import type { ToolCallDelta } from '../../../core/models/contract/chat-answer.ts';
import type { UnknownFields } from '../../../core/models/contract/chat-request.ts';
import { createId } from '../../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { readSmallJson } from '../../../lib/json/read-json.ts';
import type { OfferedTool } from '../request/read-tools.ts';
import { toCustomInput } from '../tool-names.ts';
import type { Emit, ItemStatus, OutputItem } from './output-item.ts';

const ID_PREFIXES = { function: 'fc_', custom: 'ctc_', search: 'tsc_' };

/** A call of one of the client's tools. It begins when its name is known. */
export class CallItem implements OutputItem {
  /** Index of the call, as the host counts. */
  readonly index: number | undefined;
  /** Id of the call, as the host reports it. */
  id: string | undefined;
  readonly #emit: Emit;
  readonly #findTool: (name: string) => OfferedTool | undefined;
  #begun: { readonly itemId: string; readonly callId: string; readonly outputIndex: number } | undefined;
  #tool: OfferedTool | undefined;
  #status: ItemStatus = 'in_progress';
  #name = '';
  #written = '';
  #native: UnknownFields = {};

  constructor({ index, id }: ToolCallDelta, emit: Emit, findTool: (name: string) => OfferedTool | undefined) {
    this.index = index;
    this.id = id;
    this.#emit = emit;
    this.#findTool = findTool;
  }

  get canBegin(): boolean {
    return this.#name !== '' && this.#begun === undefined;
  }

  begin(outputIndex: number): void {
    this.#tool = this.#findTool(this.#name);
    const itemId = createId(ID_PREFIXES[this.#kind]);
    // Hosts repeat their ids in each answer or omit them, and clients require distinct ones.
    this.#begun = { itemId, callId: createId('call_'), outputIndex };
    const written = this.#written;
    this.#written = '';
    this.#emit({ type: 'response.output_item.added', output_index: outputIndex, item: this.print() });
    this.#write(written);
  }

  add({ id, name, arguments: written, native }: ToolCallDelta): void {
    this.id ??= id;
    // Names are not split; some hosts repeat the name in every fragment.
    if (this.#name === '') this.#name = name ?? '';
    this.#native = { ...this.#native, ...native };
    this.#write(written);
  }

  /** Id of the call for the client, and the fields that the host requires back; undefined if there are none. */
  get extraContent(): readonly [callId: string, extra: JsonObject] | undefined {
    const extra = this.#native['extra_content'];
    return this.#begun && isJsonObject(extra) ? [this.#begun.callId, extra] : undefined;
  }

  close(status: ItemStatus): void {
    this.#status = status;
    if (this.#kind === 'custom') {
      const input = toCustomInput(this.#written);
      this.#emit({ type: 'response.custom_tool_call_input.delta', ...this.#at(), delta: input });
      this.#emit({ type: 'response.custom_tool_call_input.done', ...this.#at(), input });
    } else if (this.#kind === 'function') {
      const name = this.#tool?.name ?? this.#name;
      this.#emit({ type: 'response.function_call_arguments.done', ...this.#at(), name, arguments: this.#written });
    }
    this.#emit({ type: 'response.output_item.done', output_index: this.#begun?.outputIndex, item: this.print() });
  }

  print(): JsonObject {
    const [, extra] = this.extraContent ?? [];
    return {
      id: this.#begun?.itemId,
      ...this.#printCall(),
      status: this.#status,
      call_id: this.#begun?.callId,
      ...(extra === undefined ? {} : { extra_content: extra }),
    };
  }

  #printCall(): JsonObject {
    const { name, namespace } = this.#tool ?? { name: this.#name };
    const names = { name, ...(namespace === undefined ? {} : { namespace }) };
    switch (this.#kind) {
      case 'function':
        return { type: 'function_call', ...names, arguments: this.#written };
      case 'custom':
        return { type: 'custom_tool_call', ...names, input: this.#written === '' ? '' : toCustomInput(this.#written) };
      case 'search':
        return { type: 'tool_search_call', execution: 'client', arguments: readSmallJson(this.#written) ?? {} };
    }
  }

  #write(text: string): void {
    this.#written += text;
    if (text === '' || !this.#begun || this.#kind !== 'function') return;
    this.#emit({ type: 'response.function_call_arguments.delta', ...this.#at(), delta: text });
  }

  get #kind(): OfferedTool['kind'] {
    return this.#tool?.kind ?? 'function';
  }

  #at() {
    return { item_id: this.#begun?.itemId, output_index: this.#begun?.outputIndex };
  }
}

import { createId } from '../../../lib/ids.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { encodeReasoning, type TokenReasoning } from '../reasoning-token.ts';
import type { Emit, ItemStatus, OutputItem } from './output-item.ts';

/** Reasoning of the model, shown as a summary. */
export class ReasoningItem implements OutputItem {
  readonly #id = createId('rs_');
  readonly #at: JsonObject;
  readonly #emit: Emit;
  readonly #isEncrypted: boolean;
  #status: ItemStatus = 'in_progress';
  #text = '';
  #mustBeSentBack = false;

  /** @param isEncrypted whether the client requested `encrypted_content`. */
  constructor(outputIndex: number, emit: Emit, isEncrypted: boolean) {
    this.#emit = emit;
    this.#isEncrypted = isEncrypted;
    this.#at = { item_id: this.#id, output_index: outputIndex, summary_index: 0 };
    emit({ type: 'response.output_item.added', output_index: outputIndex, item: this.print() });
    emit({ type: 'response.reasoning_summary_part.added', ...this.#at, part: toSummary('') });
  }

  add(text: string, mustBeSentBack: boolean): void {
    this.#text += text;
    this.#mustBeSentBack ||= mustBeSentBack;
    this.#emit({ type: 'response.reasoning_summary_text.delta', ...this.#at, delta: text });
  }

  close(status: ItemStatus): void {
    this.#status = status;
    this.#emit({ type: 'response.reasoning_summary_text.done', ...this.#at, text: this.#text });
    this.#emit({ type: 'response.reasoning_summary_part.done', ...this.#at, part: toSummary(this.#text) });
    this.#emit({
      type: 'response.output_item.done',
      output_index: this.#at['output_index'],
      item: this.print(),
    });
  }

  /** Reasoning that the host wants back is repeated in `content`, and in `encrypted_content` if requested. */
  print(): JsonObject {
    const isRepeated = this.#mustBeSentBack && this.#text !== '';
    return {
      id: this.#id,
      type: 'reasoning',
      status: this.#status,
      summary: this.#text === '' ? [] : [toSummary(this.#text)],
      ...(isRepeated ? { content: [{ type: 'reasoning_text', text: this.#text }] } : {}),
      ...(isRepeated && this.#isEncrypted
        ? { encrypted_content: encodeReasoning({ text: this.#text, extraContent: new Map() }) }
        : {}),
    };
  }
}

function toSummary(text: string): JsonObject {
  return { type: 'summary_text', text };
}

/**
 * The fields of tool calls that the host requires back, for clients that keep only the fields of the API. It is
 * complete from the beginning.
 */
export class ExtraContentItem implements OutputItem {
  readonly #id = createId('rs_');
  readonly #token: string;

  constructor(outputIndex: number, emit: Emit, extraContent: TokenReasoning['extraContent']) {
    this.#token = encodeReasoning({ text: '', extraContent });
    const item = this.print();
    emit({ type: 'response.output_item.added', output_index: outputIndex, item: { ...item, status: 'in_progress' } });
    emit({ type: 'response.output_item.done', output_index: outputIndex, item });
  }

  close(): void {}

  print(): JsonObject {
    return { id: this.#id, type: 'reasoning', status: 'completed', summary: [], encrypted_content: this.#token };
  }
}

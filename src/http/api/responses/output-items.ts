import type { Source, ToolCallDelta, UnknownFields } from '../../../core/models/index.ts';
import { createId } from '../../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { OfferedTool } from './read-tools.ts';
import { encodeReasoning } from './reasoning-token.ts';
import { toCustomInput } from './tool-names.ts';

/** An event of a stream, without its number. */
export type ResponseEvent = JsonObject & { readonly type: string };

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Receives the events in order. */
export type Emit = (event: ResponseEvent) => void;

/** An output item that grows with the answer and reports each change as an event. */
export interface OutputItem {
  /** Reports the last events. Nothing may be added afterwards. */
  close(status: ItemStatus): void;
  print(): JsonObject;
}

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
      ...(isRepeated && this.#isEncrypted ? { encrypted_content: encodeReasoning(this.#text) } : {}),
    };
  }
}

function toSummary(text: string): JsonObject {
  return { type: 'summary_text', text };
}

interface TextPart {
  readonly type: 'output_text';
  text: string;
  readonly annotations: JsonObject[];
  readonly logprobs: UnknownFields[];
}

interface RefusalPart {
  readonly type: 'refusal';
  refusal: string;
}

/** The text of an answer, or the reason why the model refuses. */
export class MessageItem implements OutputItem {
  readonly #id = createId('msg_');
  readonly #outputIndex: number;
  readonly #emit: Emit;
  readonly #parts: (TextPart | RefusalPart)[] = [];
  #status: ItemStatus = 'in_progress';

  constructor(outputIndex: number, emit: Emit) {
    this.#outputIndex = outputIndex;
    this.#emit = emit;
    emit({ type: 'response.output_item.added', output_index: outputIndex, item: this.print() });
  }

  addText(text: string, logprobs: readonly UnknownFields[] = []): void {
    const part = this.#openText();
    part.text += text;
    for (const entry of logprobs) part.logprobs.push(entry);
    this.#emit({ type: 'response.output_text.delta', ...this.#at(), delta: text, logprobs });
  }

  addRefusal(text: string): void {
    let part = this.#parts.at(-1);
    if (part?.type !== 'refusal') {
      part = { type: 'refusal', refusal: '' };
      this.#openPart(part);
    }
    part.refusal += text;
    this.#emit({ type: 'response.refusal.delta', ...this.#at(), delta: text });
  }

  addSource(source: Source): void {
    const part = this.#openText();
    const annotation = toAnnotation(source, part.text.length);
    if (!annotation) return;
    const place = { ...this.#at(), annotation_index: part.annotations.length };
    part.annotations.push(annotation);
    this.#emit({ type: 'response.output_text.annotation.added', ...place, annotation });
  }

  close(status: ItemStatus): void {
    if (this.#parts.length === 0) this.#openText();
    this.#closePart();
    this.#status = status;
    this.#emit({ type: 'response.output_item.done', output_index: this.#outputIndex, item: this.print() });
  }

  print(): JsonObject {
    const content = this.#parts.map((part) => ({ ...part }));
    return { id: this.#id, type: 'message', status: this.#status, role: 'assistant', content };
  }

  #at() {
    return { item_id: this.#id, output_index: this.#outputIndex, content_index: this.#parts.length - 1 };
  }

  #openText(): TextPart {
    const last = this.#parts.at(-1);
    if (last?.type === 'output_text') return last;
    const part: TextPart = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    this.#openPart(part);
    return part;
  }

  #openPart(part: TextPart | RefusalPart): void {
    this.#closePart();
    this.#parts.push(part);
    const empty = part.type === 'refusal' ? { ...part } : { ...part, annotations: [], logprobs: [] };
    this.#emit({ type: 'response.content_part.added', ...this.#at(), part: empty });
  }

  #closePart(): void {
    const part = this.#parts.at(-1);
    if (!part) return;
    if (part.type === 'refusal') {
      this.#emit({ type: 'response.refusal.done', ...this.#at(), refusal: part.refusal });
    } else {
      const { text, logprobs } = part;
      this.#emit({ type: 'response.output_text.done', ...this.#at(), text, logprobs });
    }
    this.#emit({ type: 'response.content_part.done', ...this.#at(), part });
  }
}

/** Returns a citation of the text up to `end`, or of the place that the host reports. */
function toAnnotation({ url, title, native }: Source, end: number): JsonObject | undefined {
  if (url === undefined) return undefined;
  const place = isJsonObject(native?.['url_citation']) ? native['url_citation'] : {};
  const { start_index: start, end_index: reportedEnd } = place;
  return {
    type: 'url_citation',
    start_index: typeof start === 'number' ? start : 0,
    end_index: typeof reportedEnd === 'number' ? reportedEnd : end,
    url,
    title: title ?? url,
  };
}

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
    const itemId = createId(this.#isCustom ? 'ctc_' : 'fc_');
    this.#begun = { itemId, callId: this.id ?? createId('call_'), outputIndex };
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

  close(status: ItemStatus): void {
    this.#status = status;
    if (this.#isCustom) {
      const input = toCustomInput(this.#written);
      this.#emit({ type: 'response.custom_tool_call_input.delta', ...this.#at(), delta: input });
      this.#emit({ type: 'response.custom_tool_call_input.done', ...this.#at(), input });
    } else {
      const name = this.#tool?.name ?? this.#name;
      this.#emit({ type: 'response.function_call_arguments.done', ...this.#at(), name, arguments: this.#written });
    }
    this.#emit({ type: 'response.output_item.done', output_index: this.#begun?.outputIndex, item: this.print() });
  }

  print(): JsonObject {
    const { name, namespace } = this.#tool ?? { name: this.#name };
    const extra = this.#native['extra_content'];
    return {
      id: this.#begun?.itemId,
      ...(this.#isCustom
        ? { type: 'custom_tool_call', input: this.#written === '' ? '' : toCustomInput(this.#written) }
        : { type: 'function_call', arguments: this.#written }),
      status: this.#status,
      call_id: this.#begun?.callId,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(extra === undefined ? {} : { extra_content: extra }),
    };
  }

  #write(text: string): void {
    this.#written += text;
    if (text === '' || !this.#begun || this.#isCustom) return;
    this.#emit({ type: 'response.function_call_arguments.delta', ...this.#at(), delta: text });
  }

  get #isCustom(): boolean {
    return this.#tool?.isCustom ?? false;
  }

  #at() {
    return { item_id: this.#begun?.itemId, output_index: this.#begun?.outputIndex };
  }
}

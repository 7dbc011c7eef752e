import type { Source } from '../../../core/models/contract/chat-answer.ts';
import type { UnknownFields } from '../../../core/models/contract/chat-request.ts';
import { createId } from '../../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { Emit, ItemStatus, OutputItem } from './output-item.ts';

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

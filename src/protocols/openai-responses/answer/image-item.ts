import { createId } from '../../../lib/ids.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Emit, OutputItem } from './output-item.ts';

/** An image of the model. It is complete from the beginning. */
export class ImageItem implements OutputItem {
  readonly #id = createId('ig_');
  readonly #base64: string;

  /** @param base64 the bytes of the image. */
  constructor(outputIndex: number, emit: Emit, base64: string) {
    this.#base64 = base64;
    const at = { item_id: this.#id, output_index: outputIndex };
    const item = { ...this.print(), status: 'in_progress', result: null };
    emit({ type: 'response.output_item.added', output_index: outputIndex, item });
    emit({ type: 'response.image_generation_call.in_progress', ...at });
    emit({ type: 'response.image_generation_call.completed', ...at });
    emit({ type: 'response.output_item.done', output_index: outputIndex, item: this.print() });
  }

  close(): void {}

  print(): JsonObject {
    return { id: this.#id, type: 'image_generation_call', status: 'completed', result: this.#base64 };
  }
}

/** Returns the base64 of a data URL; undefined for other addresses. */
export function findBase64(url: string): string | undefined {
  const comma = url.slice(0, MAX_DATA_URL_HEAD).search(/;base64,/i);
  return url.startsWith('data:') && comma >= 0 ? url.slice(comma + ';base64,'.length) : undefined;
}

const MAX_DATA_URL_HEAD = 200;

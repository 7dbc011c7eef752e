import type { LanguageModelV4ReasoningPart, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import type { ToolCall, UnknownFields } from '../../contract/chat-request.ts';

/**
 * Collects the reasoning of an answer. Some models require it, with its signatures, in the request that follows a tool
 * call; the first tool call carries it in its native fields: `{extra_content: {<vendor>: {reasoning: […]}}}`.
 */
export class KeptReasoning {
  readonly #metadataKey: string;
  readonly #blocks = new Map<string, { text: string; metadata: JsonObject | undefined }>();

  constructor(metadataKey: string) {
    this.#metadataKey = metadataKey;
  }

  /** Adds a fragment of the block with this id. */
  add(id: string, text: string, providerMetadata: SharedV4ProviderMetadata | undefined): void {
    const block = this.#blocks.get(id) ?? { text: '', metadata: undefined };
    block.text += text;
    const metadata = providerMetadata?.[this.#metadataKey];
    if (metadata) block.metadata = { ...block.metadata, ...metadata };
    this.#blocks.set(id, block);
  }

  /** Returns native fields for the first tool call, or undefined if nothing has to be sent back. */
  toNative(): UnknownFields | undefined {
    const reasoning = [...this.#blocks.values()].filter(({ metadata }) => metadata !== undefined);
    return reasoning.length === 0 ? undefined : { extra_content: { [this.#metadataKey]: { reasoning } } };
  }
}

/** Returns the reasoning that the first of the calls carries. */
export function restoreReasoning(
  [first]: readonly ToolCall[],
  metadataKey: string,
): readonly LanguageModelV4ReasoningPart[] {
  const extra = first?.native?.['extra_content'];
  const kept = isJsonObject(extra) ? extra[metadataKey] : undefined;
  const blocks = isJsonObject(kept) && Array.isArray(kept.reasoning) ? kept.reasoning : [];
  return blocks.flatMap((block: unknown) => {
    if (!isJsonObject(block) || typeof block.text !== 'string' || !isJsonObject(block.metadata)) return [];
    const providerOptions = { [metadataKey]: block.metadata } as LanguageModelV4ReasoningPart['providerOptions'];
    return [{ type: 'reasoning' as const, text: block.text, ...(providerOptions && { providerOptions }) }];
  });
}

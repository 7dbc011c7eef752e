import type { UnknownFields } from './native-request.ts';

/** The role `developer` of some dialects is `system` here. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: Content }
  | AssistantMessage
  /** The result of a tool call. */
  | ({ readonly role: 'tool'; readonly toolCallId: string; readonly content: Content } & Cached);

export type AssistantMessage = {
  readonly role: 'assistant';
  /** Empty if the model only called tools. */
  readonly content: Content;
  /** Reasoning before the tool calls, for hosts that require it in the next request. */
  readonly reasoning?: string | undefined;
  readonly toolCalls?: readonly ToolCall[] | undefined;
};

/** A text, or a list of parts in order. */
export type Content = string | readonly ContentPart[];

export type ContentPart = (
  | { readonly type: 'text'; readonly text: string }
  /** `url`: an address, or the image itself as `data:<type>;base64,…`. `detail`: `low`, `high`, `auto`. */
  | { readonly type: 'image'; readonly url: string; readonly detail?: string | undefined }
  /** `url`: an address, or the file itself as `data:<type>;base64,…`. */
  | { readonly type: 'file'; readonly url: string; readonly name?: string | undefined }
  /** Any other part of a chat completions request, as the client sent it. */
  | { readonly type: 'other'; readonly native: UnknownFields }
) &
  Cached;

/** A part of a prompt after which a cache of the host may end. */
export type Cached = {
  /** Anthropic's `cache_control`. Hosts that don't take it get the part without. */
  readonly cacheControl?: UnknownFields | undefined;
};

/** A tool call of a model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it; it may be invalid. */
  readonly arguments: string;
  /** Further fields that the host requires in the next request, such as Gemini's signatures. */
  readonly native?: UnknownFields | undefined;
}

/** Returns the texts of a content, without images and other parts. */
export function listTexts(content: Content): readonly string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

import type { ChatModel } from './chat-model.ts';
import type { ImageModel } from './image-model.ts';
import type { SpeechModel } from './speech-model.ts';
import type { TranscriptionModel } from './transcription-model.ts';

/** A host that serves models. One per configured account: the unit of failover, resting and discovery. */
export interface Provider {
  /** Unique, lowercase: `groq`, `openrouter`, `home`. Public model names may be qualified with it: `groq/llama-3.3-70b-versatile`. */
  readonly name: string;
  /** Takes the provider's own model names in `request.body.model`; undefined where the host has no chat models. */
  readonly chat: ChatModel | undefined;
  /** Takes the provider's own model names in `request.model`; undefined where the host draws nothing. */
  readonly image: ImageModel | undefined;
  /** Undefined where the host does not listen, or nobody has said with which model. */
  readonly transcription?: TranscriptionModel | undefined;
  /** Undefined where the host does not speak, or nobody has said with which model. */
  readonly speech?: SpeechModel | undefined;
  /** True where any model name may be asked for, listed or not. */
  readonly acceptsAnyModel: boolean;
  /** Share of first tries among the providers of one model; 1 is usual. */
  readonly weight: number;
  /**
   * Asks the host which models it serves.
   * @throws ProviderError
   */
  listModels(signal: AbortSignal): Promise<readonly ProviderModel[]>;
  /** Closes sockets. Requests under way are cut. */
  close(): Promise<void>;
}

/** What a host says of one of its models; undefined where it says nothing. */
export interface ProviderModel {
  /** The provider's own name. */
  readonly id: string;
  readonly type: 'chat' | 'image';
  readonly ownedBy?: string | undefined;
  /** Human-readable name. */
  readonly displayName?: string | undefined;
  /** Unix seconds. */
  readonly created?: number | undefined;
  /** Tokens of prompt and completion together. */
  readonly contextLength?: number | undefined;
  readonly price?: ModelPrice | undefined;
  /** True where images may stand in the messages of a chat model, or where an image model edits pictures. */
  readonly acceptsImages?: boolean | undefined;
  /** True where a chat model can ask for tools, false where its host refuses requests that offer some. */
  readonly acceptsTools?: boolean | undefined;
}

/** US dollars. */
export interface ModelPrice {
  /** Per million tokens of questions. */
  readonly input: number;
  /** Per million tokens of answers. */
  readonly output: number;
  /** Per picture that is drawn; undefined where that is not known. */
  readonly picture?: number | undefined;
}

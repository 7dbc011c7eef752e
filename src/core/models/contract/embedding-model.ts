import type { UnknownFields } from './chat-request.ts';

/** Vendor-neutral interface of embedding models, which turn texts into vectors. */
export interface EmbeddingModel {
  /**
   * Returns one vector for each input.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  embed(request: EmbeddingRequest, signal: AbortSignal): Promise<Embeddings>;
}

/** Maximum number of inputs of one request, as in OpenAI's API. */
export const MAX_EMBEDDING_INPUTS = 2048;

export interface EmbeddingRequest {
  readonly model: string;
  /** At least one, at most `MAX_EMBEDDING_INPUTS`. */
  readonly inputs: readonly EmbeddingInput[];
  /** Encoding that the client requested. Providers may return the other one. */
  readonly encoding: VectorEncoding;
  /** Length of the vectors. Undefined: that of the model. */
  readonly dimensions?: number | undefined;
  /** Extra fields of OpenAI's embeddings endpoint from the client, such as `user` or NVIDIA's `input_type`. */
  readonly extraFields?: UnknownFields | undefined;
}

/** A text, or tokens of the model's own vocabulary. Not empty. */
export type EmbeddingInput = string | readonly number[];

/** Encodings of vectors in OpenAI's protocol: a list of numbers, or 32-bit floats, little endian, in base64. */
export const VECTOR_ENCODINGS = ['float', 'base64'] as const;
export type VectorEncoding = (typeof VECTOR_ENCODINGS)[number];

/** A vector: numbers, or 32-bit floats, little endian, in base64. */
export type EmbeddingVector = readonly number[] | string;

export interface Embeddings {
  /**
   * One vector for each input, in their order. Decoded while they are iterated.
   * @throws ProviderUnavailableError (the iteration) for a vector that can't be decoded.
   */
  readonly vectors: Iterable<EmbeddingVector>;
  /** Undefined if the host does not report it. */
  readonly promptTokens: number | undefined;
  /** Name of the model, as the host reports it. */
  readonly reportedModel: string | undefined;
  /** The host's answer in OpenAI's protocol, if all of its vectors have one encoding. */
  readonly native?: { readonly encoding: VectorEncoding; readonly bytes: Buffer } | undefined;
  /** Name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
}

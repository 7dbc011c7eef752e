import type { UnknownFields } from './chat-request.ts';

/** Vendor-neutral interface of rerank models, which order documents by their relevance to a query. */
export interface RerankModel {
  /**
   * Returns the documents in the order of their relevance.
   * @throws ProviderError subclasses of `model-errors.ts`; the signal's reason when aborted.
   */
  rerank(request: RerankRequest, signal: AbortSignal): Promise<Ranking>;
}

export interface RerankRequest {
  readonly model: string;
  /** A text, or another form that the host knows, such as an image. */
  readonly query: string | UnknownFields;
  /** Texts, or objects with a text or another form that the host knows. Not empty. */
  readonly documents: readonly (string | UnknownFields)[];
  /** Extra fields from the client, such as `top_n` and `return_documents`. */
  readonly extraFields?: UnknownFields | undefined;
}

export interface Ranking {
  /** The host's answer, in the shape of Cohere and Jina: `results` with `index` and `relevance_score`. */
  readonly native: Buffer;
  /** Undefined if the host does not report it. */
  readonly promptTokens: number | undefined;
  /** Number of times that the price of a request is charged. Undefined if the host does not report it: once. */
  readonly chargedRequests?: number | undefined;
  /** Name of the provider. */
  readonly provider: string;
  /** The provider's name of the model. */
  readonly model: string;
}

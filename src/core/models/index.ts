export type { Catalogue, ModelEntry, ModelTarget, PriceSource } from './catalogue.ts';
export type {
  ChatChoice,
  ChatCompletion,
  ChatEvent,
  ChatPart,
  ChatStream,
  NativeEvent,
  Source,
  ToolCallDelta,
} from './chat-answer.ts';
export { countKeptCharacters, findContinuedCall, listParts, MAX_SOURCES, MAX_TOOL_CALLS } from './chat-answer.ts';
export type { AssistantMessage, ChatMessage, Content, ContentPart, ToolCall } from './chat-message.ts';
export { listTexts } from './chat-message.ts';
export type { ChatModel } from './chat-model.ts';
export { type ChatOutcome, countDeltaTokens, createOutcome, type TokenUsage } from './chat-outcome.ts';
export type { ChatRequest, ToolChoice, ToolDefinition } from './chat-request.ts';
export { createModels, type Models } from './create-models.ts';
export { createDatabaseDiscoveryCache } from './database-discovery-cache.ts';
export { isDemonstration } from './demonstration.ts';
export type { ProviderStatus } from './discovery.ts';
export { createMemoryDiscoveryCache, type DiscoveryCache } from './discovery-cache.ts';
export {
  type EmbeddingInput,
  type EmbeddingModel,
  type EmbeddingRequest,
  type Embeddings,
  type EmbeddingVector,
  MAX_EMBEDDING_INPUTS,
  VECTOR_ENCODINGS,
  type VectorEncoding,
} from './embedding-model.ts';
export type { DrawnImage, ImageModel, ImageRequest, ImageResult } from './image-model.ts';
export { isLengthField, listLengths, lowerLengths } from './length-fields.ts';
export {
  AllProvidersFailedError,
  type Busy,
  ModelNotFoundError,
  ProviderError,
  ProviderRejectedError,
  ProviderStreamError,
  ProviderTimeoutError,
  ProviderUnavailableError,
  WrongModelTypeError,
} from './model-errors.ts';
export { MODEL_TYPES, type ModelType } from './model-type.ts';
export type { ModelsConfig } from './models-config.ts';
export type {
  ModerationInput,
  ModerationModel,
  ModerationRequest,
  Moderations,
} from './moderation-model.ts';
export type { Dialect, NativeRequest, UnknownFields, UntranslatableField } from './native-request.ts';
export { hasOwnWebSearch } from './own-web-search.ts';
export { PROVIDER_PRESETS, presetKeyVariables } from './presets.ts';
export type { ModelPrice, Provider, ProviderModel } from './provider.ts';
export { listBedrockSecrets } from './providers/bedrock/bedrock-config.ts';
export { type ProvidersFile, parseProvidersFile } from './providers-file.ts';
export { createReplaceableModels } from './replaceable-models.ts';
export { type ForwardedFields, findModelField, findPaidField } from './request-fields.ts';
export { restrictCatalogue } from './restrict-catalogue.ts';
export type { Router } from './router.ts';
export {
  MAX_SPOKEN_CHARACTERS,
  SPEECH_FORMATS,
  SPEECH_MEDIA_TYPES,
  type Speech,
  type SpeechRequest,
  type SpeechStream,
} from './speech-model.ts';
export type { SpeechRouter } from './speech-router.ts';
export type { CircuitState } from './target-health.ts';
export type { TextCompletionModel, TextCompletionRequest } from './text-completion-model.ts';
export { type ModelsSettings, toModelsConfig } from './to-models-config.ts';
export {
  type Recording,
  TRANSCRIPT_FORMATS,
  type Transcript,
  type TranscriptionRequest,
} from './transcription-model.ts';
export type { TranscriptionRouter } from './transcription-router.ts';
export { watchSpeech, watchStream } from './watch-stream.ts';

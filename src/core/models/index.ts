export type { Catalogue, ModelEntry, ModelTarget, PriceSource } from './catalogue/catalogue.ts';
export { DEMONSTRATION_OWNER, hasOwnWebSearch, isDemonstration } from './catalogue/catalogue.ts';
export type { ProviderStatus } from './catalogue/discovery.ts';
export {
  createDatabaseDiscoveryCache,
  createMemoryDiscoveryCache,
  type DiscoveryCache,
} from './catalogue/discovery-cache.ts';
export { restrictCatalogue } from './catalogue/restrict-catalogue.ts';
export type {
  ChatChoice,
  ChatCompletion,
  ChatEvent,
  ChatPart,
  ChatStream,
  Source,
  ToolCallDelta,
} from './contract/chat-answer.ts';
export {
  findContinuedCall,
  listParts,
} from './contract/chat-answer.ts';
export type { ChatModel } from './contract/chat-model.ts';
export {
  type ChatOutcome,
  countDeltaTokens,
  createOutcome,
  type GrowingOutcome,
  type TokenUsage,
} from './contract/chat-outcome.ts';
export type {
  AssistantMessage,
  ChatMessage,
  ChatRequest,
  Content,
  ContentPart,
  Dialect,
  NativeRequest,
  ToolCall,
  UnknownFields,
} from './contract/chat-request.ts';
export { listTexts } from './contract/chat-request.ts';
export type {
  EmbeddingInput,
  EmbeddingModel,
  EmbeddingRequest,
  Embeddings,
  EmbeddingVector,
} from './contract/embedding-model.ts';
export type { DrawnImage, ImageModel, ImageRequest, ImageResult, ImageSize } from './contract/image-model.ts';
export { isLengthField, listLengths, lowerLengths } from './contract/length-fields.ts';
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
} from './contract/model-errors.ts';
export type {
  ModerationInput,
  ModerationModel,
  ModerationRequest,
  ModerationResult,
  Moderations,
} from './contract/moderation-model.ts';
export type { ImageRate, ModelPrice, Provider, ProviderModel } from './contract/provider.ts';
export { MODEL_TYPES, type ModelType } from './contract/provider.ts';
export { type ForwardedFields, findModelField, findPaidField } from './contract/request-fields.ts';
export type { Ranking, RerankModel, RerankRequest } from './contract/rerank-model.ts';
export {
  MAX_SPOKEN_CHARACTERS,
  SPEECH_MEDIA_TYPES,
  type Speech,
  type SpeechModel,
  type SpeechRequest,
  type SpeechStream,
} from './contract/speech-model.ts';
export type { TextCompletionModel, TextCompletionRequest } from './contract/text-completion-model.ts';
export type {
  Recording,
  Transcript,
  TranscriptionModel,
  TranscriptionRequest,
} from './contract/transcription-model.ts';
export { createModels, type Models } from './create-models.ts';
export { listBedrockSecrets } from './hosts/bedrock/bedrock-config.ts';
export type { DemoConfig, ModelsConfig } from './hosts/settings/models-config.ts';
export { KEY_ONLY_PRESETS, presetKeyVariables } from './hosts/settings/presets.ts';
export { providerEntrySchema } from './hosts/settings/provider-entry.ts';
export {
  type ProvidersFile,
  parseProvidersFile,
  parseYaml,
  readProvidersContent,
  stringifyYaml,
} from './hosts/settings/providers-file.ts';
export { type ModelsSettings, toModelsConfig } from './hosts/settings/to-models-config.ts';
export { toolEntrySchema } from './hosts/settings/tool-entry.ts';
export type { SpeechRouter, TranscriptionRouter } from './routing/audio-routers.ts';
export { createReplaceableModels } from './routing/replaceable-models.ts';
export type { Router } from './routing/router.ts';
export type { CircuitState } from './routing/target-health.ts';
export { watchSpeech, watchStream } from './routing/watch-stream.ts';

export { createAudioGeneration } from './audio-generation.ts';
export { type ChatGeneration, createChatGeneration, guessPromptTokens } from './chat-generation.ts';
export { createEmbeddingGeneration, type EmbeddingGeneration } from './embedding.ts';
export {
  createImageGeneration,
  type GeneratedImage,
  type GeneratedImages,
  type GenerateImagesOptions,
  type ImageGeneration,
} from './image-generation.ts';
export { InvalidSourceError } from './image-sources.ts';
export { LeftRequests } from './metering/left-requests.ts';
export { createModerationGeneration } from './moderation.ts';
export type { Requester } from './requester.ts';
export { createRerankGeneration } from './rerank.ts';
export { createTextToSpeech, type TextToSpeech } from './speech.ts';
export { createTextCompletionGeneration } from './text-completion.ts';
export {
  createToolAnswers,
  type ToolAnswerEvent,
  type ToolAnswerOptions,
  type ToolAnswerStream,
} from './tools/tool-answers.ts';
export { createToolGuard, type ToolGuard, type ToolUse, toPermissionSubject } from './tools/tool-guard.ts';
export { createTranscription, type Transcription } from './transcription.ts';

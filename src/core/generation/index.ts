export { type Caller, type ChatGeneration, createChatGeneration } from './chat-generation.ts';
export {
  createImageGeneration,
  type GeneratedPicture,
  type GeneratedPictures,
  type ImageGeneration,
  type ImageOrder,
  MAX_PICTURES,
} from './image-generation.ts';
export { QueueFullError } from './work-queue.ts';

import type {
  ChatCompletion,
  ChatModel,
  ChatRequest,
  ChatStream,
  TextCompletionModel,
  TextCompletionRequest,
} from '../models/index.ts';
import type { ChatGeneration } from './chat-generation.ts';
import type { Requester } from './requester.ts';

/**
 * Creates the service.
 * @param model router; takes public model names.
 * @param countChat creates a chat generation with limits and usage recording.
 */
export function createTextCompletionGeneration(
  model: TextCompletionModel,
  countChat: (chat: ChatModel) => ChatGeneration,
) {
  const count = (request: TextCompletionRequest) =>
    countChat({
      complete: (counted, signal) => model.complete(toAdmitted(request, counted), signal),
      stream: (counted, signal) => model.stream(toAdmitted(request, counted), signal),
    });
  return {
    complete: (requester: Requester, request: TextCompletionRequest, signal: AbortSignal): Promise<ChatCompletion> =>
      count(request).complete(requester, toCounted(request), signal),
    stream: (requester: Requester, request: TextCompletionRequest, signal: AbortSignal): Promise<ChatStream> =>
      count(request).stream(requester, toCounted(request), signal),
  };
}

/** Returns the request with the maximum length that was admitted. */
function toAdmitted(request: TextCompletionRequest, { maxOutputTokens, native }: ChatRequest): TextCompletionRequest {
  return native ? { ...request, maxOutputTokens, native } : request;
}

/** Returns a chat with about the same tokens. */
function toCounted(request: TextCompletionRequest): ChatRequest {
  const { model, prompts, choiceCount, candidateCount = choiceCount, maxOutputTokens, native } = request;
  return {
    model,
    messages: prompts.map((prompt) => ({
      role: 'user',
      content: typeof prompt === 'string' ? prompt : prompt.join(' '),
    })),
    choiceCount: prompts.length * Math.max(choiceCount, candidateCount),
    maxOutputTokens,
    native,
  };
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type ChatChoice,
  type ChatModel,
  type ChatRequest,
  createOutcome,
  type GrowingOutcome,
  ProviderRejectedError,
  type TextCompletionModel,
  type TextCompletionRequest,
  type TokenUsage,
} from '../src/core/models/index.ts';
import { createId } from '../src/lib/ids.ts';

/**
 * Creates a model that answers each prompt as a chat does, so the completion is the same with any `suffix`. Prompts of
 * tokens and `logprobs` are refused, because the demonstration has no vocabulary.
 */
export function createDemoCompletion(chat: ChatModel, provider: string): TextCompletionModel {
  return {
    async complete(request, signal) {
      const outcome = startOutcome(provider, request);
      const choices: ChatChoice[] = [];
      let usage = NOTHING;
      for (const asked of toChatRequests(provider, request)) {
        const completion = await chat.complete(asked, signal);
        const echo = readEcho(request, asked);
        choices.push(...completion.choices.map((choice) => ({ ...choice, text: echo + choice.text })));
        usage = add(usage, completion.outcome.usage);
        outcome.finishReason = completion.outcome.finishReason;
        await yieldToEventLoop();
      }
      outcome.usage = usage;
      return { choices, outcome };
    },
    async stream(request, signal) {
      const outcome = startOutcome(provider, request);
      const requests = toChatRequests(provider, request);
      return {
        outcome,
        async *[Symbol.asyncIterator]() {
          let usage = NOTHING;
          for (const [at, asked] of requests.entries()) {
            const firstChoice = at * request.choiceCount;
            const echo = readEcho(request, asked);
            const choices = Array.from({ length: request.choiceCount }, (_, choice) => firstChoice + choice);
            if (echo !== '')
              yield { parts: choices.map((choice) => ({ type: 'text-delta', choice, text: echo }) as const) };
            const stream = await chat.stream(asked, signal);
            for await (const { parts } of stream) {
              const own = parts.flatMap((part) =>
                part.type === 'text-delta' || part.type === 'finish'
                  ? [{ ...part, choice: firstChoice + part.choice }]
                  : [],
              );
              if (own.length > 0) yield { parts: own };
              outcome.deltaCount = stream.outcome.deltaCount;
              outcome.deltaBytes = stream.outcome.deltaBytes;
            }
            usage = add(usage, stream.outcome.usage);
            outcome.finishReason = stream.outcome.finishReason;
          }
          outcome.usage = usage;
          yield { parts: [{ type: 'usage', usage }] };
        },
      };
    },
  };
}

/** @throws ProviderRejectedError for what the demonstration does not have. */
function toChatRequests(
  provider: string,
  { model, prompts, choiceCount, maxOutputTokens, stop, native }: TextCompletionRequest,
): readonly ChatRequest[] {
  const refuse = (param: string, message: string) =>
    new ProviderRejectedError(provider, 400, { message, param, code: 'unsupported_value' });
  if (typeof native.body['logprobs'] === 'number') throw refuse('logprobs', 'The demonstration has no logprobs');
  return prompts.map((prompt) => {
    if (typeof prompt !== 'string') throw refuse('prompt', 'The demonstration has no tokens: send texts');
    return { model, messages: [{ role: 'user', content: prompt }], choiceCount, maxOutputTokens, sampling: { stop } };
  });
}

function readEcho({ isEchoed }: TextCompletionRequest, { messages }: ChatRequest): string {
  return isEchoed ? String(messages[0]?.content) : '';
}

const NOTHING: TokenUsage = { promptTokens: 0, completionTokens: 0 };

function add(sum: TokenUsage, more: TokenUsage = NOTHING): TokenUsage {
  return {
    promptTokens: sum.promptTokens + more.promptTokens,
    completionTokens: sum.completionTokens + more.completionTokens,
  };
}

function startOutcome(provider: string, { model }: TextCompletionRequest): GrowingOutcome {
  return { ...createOutcome(provider, model), id: createId('cmpl-'), reportedModel: model };
}

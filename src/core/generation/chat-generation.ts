import { estimateTokenCount } from 'tokenx';
import type { Clock } from '../../lib/clock.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { ChatCompletion, ChatModel, ChatOutcome, ChatRequest, ChatStream } from '../models/index.ts';

/** On whose account a generation goes. */
export interface Caller {
  readonly personId: number;
  /** The API key used; undefined in the bot. */
  readonly keyId: number | undefined;
}

/** What both faces call: the router behind usage accounting. Errors are the router's. */
export interface ChatGeneration {
  complete(caller: Caller, request: ChatRequest, signal: AbortSignal): Promise<ChatCompletion>;
  stream(caller: Caller, request: ChatRequest, signal: AbortSignal): Promise<ChatStream>;
}

export interface ChatGenerationDeps {
  /** Takes public names of models. */
  readonly chat: ChatModel;
  readonly usage: UsageRecorder;
  readonly clock: Clock;
}

/** Counts every generation once: finished ones with what the provider says, broken off ones with what was delivered until then. */
export function createChatGeneration(deps: ChatGenerationDeps): ChatGeneration {
  const { chat, usage, clock } = deps;

  const record = (caller: Caller, request: ChatRequest, outcome: ChatOutcome, startedAt: number) => {
    usage.record({
      personId: caller.personId,
      keyId: caller.keyId,
      kind: 'chat',
      replyId: outcome.id,
      model: request.body.model,
      provider: outcome.provider,
      promptTokens: outcome.usage?.promptTokens ?? estimatePromptTokens(request),
      completionTokens: outcome.usage?.completionTokens ?? outcome.deltaCount,
      pictureCount: 0,
      isEstimated: outcome.usage === undefined,
      finishReason: outcome.finishReason,
      durationMs: Math.round(clock.now() - startedAt),
    });
  };

  return {
    async complete(caller, request, signal) {
      const startedAt = clock.now();
      const completion = await chat.complete(request, signal);
      record(caller, request, completion.outcome, startedAt);
      return completion;
    },
    async stream(caller, request, signal) {
      const startedAt = clock.now();
      const stream = await chat.stream(request, signal);
      let isRecorded = false;
      return {
        get outcome() {
          return stream.outcome;
        },
        async *[Symbol.asyncIterator]() {
          try {
            yield* stream;
          } finally {
            if (!isRecorded) record(caller, request, stream.outcome, startedAt);
            isRecorded = true;
          }
        },
      };
    },
  };
}

function estimatePromptTokens(request: ChatRequest): number {
  return request.body.messages.reduce(
    (sum, message) =>
      sum +
      (typeof message.content === 'string' ? estimateTokenCount(message.content) : estimateParts(message.content)),
    0,
  );
}

/** Text parts only: what a picture costs is known to its provider alone. */
function estimateParts(parts: ChatRequest['body']['messages'][number]['content']): number {
  if (!Array.isArray(parts)) return 0;
  return parts.reduce((sum, part) => sum + (typeof part.text === 'string' ? estimateTokenCount(part.text) : 0), 0);
}

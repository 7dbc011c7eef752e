import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type {
  AssistantMessage,
  ChatMessage,
  ChatOutcome,
  ChatPart,
  ChatRequest,
  ChatStream,
  ToolCall,
} from '../../models/index.ts';
import type { Tool, ToolContext, ToolLimits } from '../../tools/index.ts';
import type { ChatGeneration } from '../chat-generation.ts';
import type { FindPrice } from '../metering/cost.ts';
import type { Requester } from '../requester.ts';
import {
  decideCalls,
  type OpenCalls,
  type PausedCalls,
  type RunCallsParams,
  reopenCalls,
  runCalls,
  toResultMessages,
} from './run-calls.ts';
import { createToolBudget } from './tool-budget.ts';
import { createToolCallCollector, toReturnedCalls } from './tool-calls.ts';
import type { ToolGuard, ToolUse } from './tool-guard.ts';
import { createToolRefusals, findRefusedTool } from './tool-refusals.ts';

export interface ToolAnswerOptions {
  /** Public model name. */
  readonly model: string;
  /**
   * Returns the prompt. Called when the answer starts, and again if the model turns out to refuse tools.
   * @param hasTools whether tools are offered to the model.
   */
  readonly messages: (hasTools: boolean) => Promise<readonly ChatMessage[]>;
  /** Other parameters of each request. Default: none. */
  readonly settings?: Pick<ChatRequest, 'sampling' | 'optional'> | undefined;
  /** Tools offered to the model; may be empty. */
  readonly tools: readonly Tool[];
  readonly limits: ToolLimits;
  /** Decides which calls may run. */
  readonly guard: ToolGuard;
  /** Called with links that tools add to the sources of the answer. Default: they are dropped. */
  readonly onSource?: ToolContext['addSource'];
  /** Calls of a paused answer to continue, and the user's decision about the first one without a result. */
  readonly paused?: (PausedCalls & { readonly isAllowed: boolean }) | undefined;
  /** Context length of the model in tokens, if known: tool results are cut to fit. */
  readonly contextLength?: number | undefined;
  /** False if the model is known to refuse tools. */
  readonly acceptsTools?: boolean | undefined;
}

/** Events of an answer, in order. */
export type ToolAnswerEvent =
  /** A part of the model's output. */
  | { readonly kind: 'part'; readonly part: ChatPart }
  /** A step has ended with these tool calls, which run now. */
  | { readonly kind: 'tools-begin'; readonly uses: readonly ToolUse[] }
  /** The calls have ended, and the next step starts. */
  | { readonly kind: 'tools-end' }
  /**
   * A call needs the user's decision. This is the last event; the answer is continued by another stream with `paused`.
   */
  | { readonly kind: 'paused'; readonly paused: PausedCalls; readonly asked: ToolUse };

type PausedEvent = Extract<ToolAnswerEvent, { readonly kind: 'paused' }>;

/** Iteration throws the errors of `messages`, `ChatGeneration.stream` and its stream, never those of tools. */
export interface ToolAnswerStream extends AsyncIterable<ToolAnswerEvent> {
  /** Outcome of the latest step; undefined before the first step. */
  readonly outcome: ChatOutcome | undefined;
}

export interface ToolAnswersDeps {
  readonly generation: Pick<ChatGeneration, 'stream'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the price of a provider's model. Unset: tokens are limited instead of costs. */
  readonly findPrice?: FindPrice | undefined;
}

/** Maximum number of tools that are left out of one step, one after the other, because the host refuses them. */
const MAX_REFUSED_TOOLS = 5;

/**
 * Creates the agent loop: request the model, run its tool calls, return the results, repeat until it answers without
 * tool calls. Each step is recorded as a separate generation. The signal aborts running tools.
 */
export function createToolAnswers(deps: ToolAnswersDeps) {
  const refusals = createToolRefusals(deps.clock);

  const mayHaveTools = ({ model, tools, acceptsTools }: ToolAnswerOptions) =>
    acceptsTools !== false && !refusals.isKnown(model) && refusals.listAccepted(model, tools).length > 0;

  const open = async (
    requester: Requester,
    params: ToolAnswerOptions,
    step: Step,
    signal: AbortSignal,
    refusedCount = 0,
  ): Promise<ChatStream> => {
    const { messages, isFirst, isLast } = step;
    const { model, settings } = params;
    const tools = refusals.listAccepted(model, params.tools);
    const request = { ...settings, model, messages };
    if (!mayHaveTools(params)) return deps.generation.stream(requester, request, signal);
    try {
      // The last step sends the tool definitions as well: hosts require them if the messages contain tool calls.
      const offered = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
      const toolRequest = { tools: offered, toolChoice: isLast ? ('none' as const) : undefined };
      return await deps.generation.stream(requester, { ...request, ...toolRequest }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const refused = findRefusedTool(error, tools);
      if (refused && refusedCount < MAX_REFUSED_TOOLS) {
        refusals.recordTool(model, refused);
        deps.logger.warn({ model, tool: refused.name, err: error }, 'the model refused a tool; it gets the others');
        return open(requester, params, step, signal, refusedCount + 1);
      }
      if (!(isFirst || isLast) || !(refused || refusals.isRefusal(error))) throw error;
      const plain = isFirst ? { ...request, messages: await params.messages(false) } : request;
      const stream = await deps.generation.stream(requester, plain, signal);
      // Some hosts don't support `tool_choice: none`; that says nothing about tools in the next answer. Nor do single ones.
      if (isFirst && !refused) {
        refusals.record(model);
        deps.logger.warn({ model, err: error }, 'the model refused tools; it gets none for the next hours');
      }
      return stream;
    }
  };

  async function* answer(
    requester: Requester,
    params: ToolAnswerOptions,
    signal: AbortSignal,
    onStep: (step: ChatStream) => void,
  ): AsyncGenerator<ToolAnswerEvent, void, undefined> {
    const messages = [...(await params.messages(mayHaveTools(params)))];
    const budget = createToolBudget(deps, params);
    const options = {
      ...params,
      userId: requester.userId,
      addSource: params.onSource ?? (() => {}),
      budget,
      signal,
      firstStep: messages.length,
    };
    if (params.paused) {
      const { messages: earlier, isAllowed } = params.paused;
      messages.push(...earlier);
      const paused = yield* runOpenCalls({ ...reopenCalls(params.paused, options), isAllowed }, messages, options);
      if (paused) return yield { kind: 'paused', ...paused };
    }
    for (let step = 0; ; step += 1) {
      const isLast = budget.isUsedUp(step);
      const isFirst = step === 0 && !params.paused;
      const stream = await open(requester, params, { messages, isFirst, isLast }, signal);
      onStep(stream);
      const collector = createToolCallCollector();
      const textCollector = createTextCollector();
      for await (const { parts } of stream) {
        for (const part of parts) {
          if ('choice' in part && part.choice > 0) continue;
          if (part.type === 'tool-call-delta') collector.add(part);
          textCollector.add(part);
          yield { kind: 'part', part } as const;
        }
      }
      budget.add(stream.outcome);
      const calls = collector.list();
      if (calls.length === 0 || isLast || params.tools.length === 0) return;
      messages.push(textCollector.toMessage(calls));
      const paused = yield* runOpenCalls({ calls, results: calls.map(() => null) }, messages, options);
      if (paused) return yield { kind: 'paused', ...paused };
    }
  }

  /**
   * Runs the calls of a step and appends their results.
   * @returns the pause, if a call needs the user's decision.
   */
  async function* runOpenCalls(
    open: OpenCalls,
    messages: ChatMessage[],
    options: RunCallsParams & { readonly firstStep: number },
  ): AsyncGenerator<ToolAnswerEvent, Omit<PausedEvent, 'kind'> | undefined, undefined> {
    const decided = await decideCalls(open, options);
    yield { kind: 'tools-begin', uses: decided.runs } as const;
    const results = await runCalls(deps, open.calls, decided, options);
    yield { kind: 'tools-end' } as const;
    const { asked } = decided;
    if (asked) return { asked, paused: { messages: messages.slice(options.firstStep), results } };
    messages.push(...toResultMessages(open.calls, results));
    return undefined;
  }

  return {
    /** Returns a lazy stream: the first request is sent when iteration starts. Supports one reader. */
    stream(requester: Requester, params: ToolAnswerOptions, signal: AbortSignal): ToolAnswerStream {
      let newest: ChatStream | undefined;
      const onStep = (step: ChatStream) => {
        newest = step;
      };
      return {
        get outcome() {
          return newest?.outcome;
        },
        [Symbol.asyncIterator]: () => answer(requester, params, signal, onStep),
      };
    },
  };
}

interface Step {
  readonly messages: readonly ChatMessage[];
  readonly isFirst: boolean;
  /** Tool calls are forbidden in this step. */
  readonly isLast: boolean;
}

/** Collects the model's output of a step for the next request. */
function createTextCollector() {
  let content = '';
  let reasoning = '';
  return {
    add(part: ChatPart) {
      if (part.type === 'text-delta' || part.type === 'refusal-delta') content += part.text;
      if (part.type === 'reasoning-delta' && part.mustBeSentBack) reasoning += part.text;
    },
    toMessage: (calls: readonly ToolCall[]): AssistantMessage => ({
      role: 'assistant',
      content,
      ...(reasoning === '' ? {} : { reasoning }),
      toolCalls: toReturnedCalls(calls),
    }),
  };
}

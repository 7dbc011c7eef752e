import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type {
  AssistantMessage,
  ChatMessage,
  ChatOutcome,
  ChatPart,
  ChatRequest,
  ChatStream,
  ToolCall,
} from '../models/index.ts';
import type { Tool, ToolLimits } from '../tools/index.ts';
import type { Caller } from './caller.ts';
import {
  type CarryOutOptions,
  decideCalls,
  type OpenCalls,
  type PausedCalls,
  reopenCalls,
  runCalls,
  toResultMessages,
} from './carry-out-calls.ts';
import type { ChatGeneration } from './chat-generation.ts';
import type { FindPrice } from './cost.ts';
import { createToolBudget } from './tool-budget.ts';
import { createToolCallCollector, toReturnedCalls } from './tool-calls.ts';
import type { ToolGuard, ToolUse } from './tool-guard.ts';
import { createToolRefusals } from './tool-refusals.ts';

/** Answers whose model may use tools on the way. */
export interface ToolAnswers {
  /** Nothing is asked before the answer is read. One reader. */
  stream(caller: Caller, order: ToolAnswerOrder, signal: AbortSignal): ToolAnswerStream;
}

export interface ToolAnswerOrder {
  /** Public name. */
  readonly model: string;
  /**
   * What it is asked. Asked for when the answer begins, and once more where the model turns out to refuse tools.
   * @param hasTools whether the model is offered the tools.
   */
  readonly messages: (hasTools: boolean) => Promise<readonly ChatMessage[]>;
  /** Further settings of each request. Default none. */
  readonly settings?: Pick<ChatRequest, 'sampling' | 'optional'> | undefined;
  /** What the model may ask for. Empty: it just answers. */
  readonly tools: readonly Tool[];
  readonly limits: ToolLimits;
  /** Decides about each call. */
  readonly guard: ToolGuard;
  /** The calls to go on with, in an answer that was paused, and the user's decision about the first one without a result. */
  readonly paused?: (PausedCalls & { readonly isAllowed: boolean }) | undefined;
  /** Tokens of prompt and answer together, where the model's are known: results are cut so that they fit. */
  readonly contextLength?: number | undefined;
  /** False where the model is known to refuse tools. */
  readonly acceptsTools?: boolean | undefined;
}

/** What happens on the way, in order. */
export type ToolAnswerEvent =
  /** A piece of an answer. */
  | { readonly kind: 'part'; readonly part: ChatPart }
  /** What was said so far is one step; the model has asked for these, and they are at work now. */
  | { readonly kind: 'tools-begin'; readonly uses: readonly ToolUse[] }
  /** They are done, and the model goes on. */
  | { readonly kind: 'tools-end' }
  /** The user has to decide about a call. This is the last event: another answer goes on with `paused`. */
  | { readonly kind: 'paused'; readonly paused: PausedCalls; readonly asked: ToolUse };

type PausedEvent = Extract<ToolAnswerEvent, { readonly kind: 'paused' }>;

/** Iterating throws what `messages`, `ChatGeneration.stream` and its stream throw; failures of tools never. */
export interface ToolAnswerStream extends AsyncIterable<ToolAnswerEvent> {
  /** Of the newest step; undefined before the first has begun. */
  readonly outcome: ChatOutcome | undefined;
}

export interface ToolAnswersDeps {
  readonly generation: Pick<ChatGeneration, 'stream'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What a provider's model costs. Unset: tokens are bounded instead. */
  readonly findPrice?: FindPrice | undefined;
}

/**
 * The loop behind an answer with tools: the model is asked, what it asks for is done, the results go back to it, until it answers
 * without asking. Each step is a generation of its own in the books. What a tool does ends with the signal.
 */
export function createToolAnswers(deps: ToolAnswersDeps): ToolAnswers {
  const refusals = createToolRefusals(deps.clock);

  const mayHaveTools = ({ model, tools, acceptsTools }: ToolAnswerOrder) =>
    tools.length > 0 && acceptsTools !== false && !refusals.isKnown(model);

  const open = async (
    caller: Caller,
    order: ToolAnswerOrder,
    { messages, isFirst, isLast }: Step,
    signal: AbortSignal,
  ): Promise<ChatStream> => {
    const { model, settings, tools } = order;
    const request = { ...settings, model, messages };
    if (!mayHaveTools(order)) return deps.generation.stream(caller, request, signal);
    try {
      // In the last step they are named all the same: hosts want to know what the calls before were about.
      const offered = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
      const offer = { tools: offered, toolChoice: isLast ? ('none' as const) : undefined };
      return await deps.generation.stream(caller, { ...request, ...offer }, signal);
    } catch (error) {
      const mayBeTheTools = (isFirst || isLast) && refusals.isRefusal(error);
      if (signal.aborted || !mayBeTheTools) throw error;
      deps.logger.debug({ model, err: error }, 'a model is asked without tools');
      const plain = isFirst ? { ...request, messages: await order.messages(false) } : request;
      const stream = await deps.generation.stream(caller, plain, signal);
      // Not all hosts know how to forbid tools; that says nothing about the next answer.
      if (isFirst) refusals.note(model);
      return stream;
    }
  };

  async function* answer(
    caller: Caller,
    order: ToolAnswerOrder,
    signal: AbortSignal,
    onStep: (step: ChatStream) => void,
  ): AsyncGenerator<ToolAnswerEvent, void, undefined> {
    const messages = [...(await order.messages(mayHaveTools(order)))];
    const budget = createToolBudget(deps, order);
    const options = { ...order, userId: caller.userId, budget, signal, firstStep: messages.length };
    if (order.paused) {
      const { messages: earlier, isAllowed } = order.paused;
      messages.push(...earlier);
      const paused = yield* carryOut({ ...reopenCalls(order.paused, options), isAllowed }, messages, options);
      if (paused) return yield { kind: 'paused', ...paused };
    }
    for (let step = 0; ; step += 1) {
      const isLast = budget.isUsedUp(step);
      const isFirst = step === 0 && !order.paused;
      const stream = await open(caller, order, { messages, isFirst, isLast }, signal);
      onStep(stream);
      const collector = createToolCallCollector();
      const said = createSaid();
      for await (const { parts } of stream) {
        for (const part of parts) {
          if ('choice' in part && part.choice > 0) continue;
          if (part.type === 'tool-call-delta') collector.add(part);
          said.add(part);
          yield { kind: 'part', part } as const;
        }
      }
      budget.add(stream.outcome);
      const calls = collector.list();
      if (calls.length === 0 || isLast || order.tools.length === 0) return;
      messages.push(said.toMessage(calls));
      const paused = yield* carryOut({ calls, results: calls.map(() => null) }, messages, options);
      if (paused) return yield { kind: 'paused', ...paused };
    }
  }

  /** Carries out the calls of a step and adds their results. @returns the pause, where the user has to decide about a call. */
  async function* carryOut(
    open: OpenCalls,
    messages: ChatMessage[],
    options: CarryOutOptions & { readonly firstStep: number },
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
    stream(caller, order, signal) {
      let newest: ChatStream | undefined;
      const onStep = (step: ChatStream) => {
        newest = step;
      };
      return {
        get outcome() {
          return newest?.outcome;
        },
        [Symbol.asyncIterator]: () => answer(caller, order, signal, onStep),
      };
    },
  };
}

interface Step {
  readonly messages: readonly ChatMessage[];
  readonly isFirst: boolean;
  /** No tool may be asked for any more. */
  readonly isLast: boolean;
}

/** What the model has said in a step, for the next one. */
function createSaid() {
  let content = '';
  let reasoning = '';
  return {
    add(part: ChatPart) {
      if (part.type === 'text-delta') content += part.text;
      if (part.type === 'reasoning-delta' && part.isWantedBack) reasoning += part.text;
    },
    toMessage: (calls: readonly ToolCall[]): AssistantMessage => ({
      role: 'assistant',
      content,
      ...(reasoning === '' ? {} : { reasoning }),
      toolCalls: toReturnedCalls(calls),
    }),
  };
}

import type { Clock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import { type ChatMessage, type ChatOutcome, type ChatStream, readChatChunks } from '../models/index.ts';
import { runTool, type Tool, type ToolLimits } from '../tools/index.ts';
import type { Caller } from './caller.ts';
import type { ChatGeneration } from './chat-generation.ts';
import { type FindPrice, toTokenCost } from './cost.ts';
import { createToolCallCollector, type ToolCall } from './tool-calls.ts';
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
  /** Further fields of each request. Default none. */
  readonly parameters?: JsonObject | undefined;
  /** What the model may ask for. Empty: it just answers. */
  readonly tools: readonly Tool[];
  readonly limits: ToolLimits;
  /** Tokens of prompt and answer together, where the model's are known: results are cut so that they fit. */
  readonly contextLength?: number | undefined;
  /** False where the model is known to refuse tools. */
  readonly acceptsTools?: boolean | undefined;
}

/** What happens on the way, in order. */
export type ToolAnswerEvent =
  /** A piece of an answer, as the provider sent it. */
  | { readonly kind: 'chunk'; readonly chunk: JsonObject }
  /** What was said so far is one step; the model has asked for these, and they are at work now. */
  | { readonly kind: 'tools-begin'; readonly uses: readonly ToolUse[] }
  /** They are done, and the model goes on. */
  | { readonly kind: 'tools-end' };

export interface ToolUse {
  readonly tool: Tool;
  readonly parameters: JsonObject;
}

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
    const { model, parameters = {}, tools } = order;
    const body = { ...parameters, model, messages, stream: true };
    if (!mayHaveTools(order)) return deps.generation.stream(caller, { body }, signal);
    try {
      // In the last step they are named all the same: hosts want to know what the calls before were about.
      const offer = { tools: tools.map(toWire), ...(isLast ? { tool_choice: 'none' } : {}) };
      return await deps.generation.stream(caller, { body: { ...body, ...offer } }, signal);
    } catch (error) {
      const mayBeTheTools = (isFirst || isLast) && refusals.isRefusal(error);
      if (signal.aborted || !mayBeTheTools) throw error;
      deps.logger.debug({ model, err: error }, 'a model is asked without tools');
      const plain = isFirst ? { ...body, messages: await order.messages(false) } : body;
      const stream = await deps.generation.stream(caller, { body: plain }, signal);
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
  ) {
    const messages = [...(await order.messages(mayHaveTools(order)))];
    const budget = createBudget(deps, order);
    for (let step = 0; ; step += 1) {
      const isLast = budget.isUsedUp(step);
      const stream = await open(caller, order, { messages, isFirst: step === 0, isLast }, signal);
      onStep(stream);
      const collector = createToolCallCollector();
      const said = createSaid();
      for await (const chunk of readChatChunks(stream)) {
        collector.add(chunk);
        said.add(chunk);
        yield { kind: 'chunk', chunk } as const;
      }
      budget.add(stream.outcome);
      const calls = collector.list();
      if (calls.length === 0 || isLast || order.tools.length === 0) return;
      const uses = calls.map((call) => ({ call, tool: order.tools.find(({ name }) => name === call.name) }));
      yield { kind: 'tools-begin', uses: uses.flatMap(({ call, tool }) => (tool ? toUse(tool, call) : [])) } as const;
      messages.push(said.toMessage(calls));
      messages.push(
        ...(await carryOut(deps, uses, { personId: caller.personId, limits: order.limits, budget, signal })),
      );
      yield { kind: 'tools-end' } as const;
    }
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

function toWire({ name, description, parameters }: Tool): JsonObject {
  return { type: 'function', function: { name, description, parameters } };
}

function toUse(tool: Tool, { written }: ToolCall): ToolUse {
  const parameters = parseJson(written);
  return { tool, parameters: isJsonObject(parameters) ? parameters : {} };
}

interface CallBounds {
  readonly personId: number;
  readonly limits: ToolLimits;
  readonly budget: Budget;
  readonly signal: AbortSignal;
}

/** Runs all calls of a step at once. Returns the results in the order of the calls. */
async function carryOut(
  deps: ToolAnswersDeps,
  uses: readonly { readonly call: ToolCall; readonly tool: Tool | undefined }[],
  { personId, limits, budget, signal }: CallBounds,
): Promise<readonly ChatMessage[]> {
  const maxCharacters = budget.resultCharacters(Math.min(uses.length, limits.callsAtOnce));
  const contents = await Promise.all(
    uses.map(({ call, tool }, at) => {
      if (at >= limits.callsAtOnce) return `Error: only ${limits.callsAtOnce} tools may be called at once.`;
      if (!tool) return `Error: there is no tool '${call.name}'.`;
      const timeoutMs = Math.max(1, Math.min(limits.callTimeoutMs, budget.leftMs()));
      return runTool(deps, tool, call.written, { personId, timeoutMs, maxCharacters, signal });
    }),
  );
  for (const content of contents) budget.noteResult(content);
  return uses.map(({ call }, at) => ({ role: 'tool', tool_call_id: call.id, content: contents[at] ?? '' }));
}

/** What the model has said in a step, for the next one. */
function createSaid() {
  let content = '';
  let reasoning = '';
  return {
    add(chunk: JsonObject) {
      const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
      const delta = isJsonObject(choice) ? choice['delta'] : undefined;
      if (!isJsonObject(delta)) return;
      if (typeof delta['content'] === 'string') content += delta['content'];
      if (typeof delta['reasoning_content'] === 'string') reasoning += delta['reasoning_content'];
    },
    toMessage: (calls: readonly ToolCall[]): ChatMessage => ({
      role: 'assistant',
      content: content === '' ? null : content,
      // DeepSeek and Kimi refuse a step whose thoughts are missing: https://api-docs.deepseek.com/guides/thinking_mode
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      tool_calls: calls.map(({ wire }) => wire),
    }),
  };
}

/** What an answer may still use. */
interface Budget {
  isUsedUp(step: number): boolean;
  add(outcome: ChatOutcome): void;
  leftMs(): number;
  /** How long each of so many results may be. */
  resultCharacters(count: number): number;
  noteResult(content: string): void;
}

/** Of the context results may fill half: about four characters make a token. */
const RESULT_CHARACTERS_PER_CONTEXT_TOKEN = 2;
const DEFAULT_CONTEXT_TOKENS = 32_768;
/** Less would tell a model nothing. */
const MIN_RESULT_CHARACTERS = 500;

function createBudget(
  { clock, findPrice }: Pick<ToolAnswersDeps, 'clock' | 'findPrice'>,
  { limits, contextLength = DEFAULT_CONTEXT_TOKENS }: Pick<ToolAnswerOrder, 'limits' | 'contextLength'>,
): Budget {
  const endsAt = clock.now() + limits.totalMs;
  let tokens = 0;
  let costUsd = 0;
  let charactersLeft = contextLength * RESULT_CHARACTERS_PER_CONTEXT_TOKEN;
  const leftMs = () => endsAt - clock.now();
  return {
    leftMs,
    isUsedUp: (step) =>
      step >= limits.steps ||
      leftMs() <= 0 ||
      tokens >= limits.tokens ||
      costUsd >= limits.costUsd ||
      charactersLeft <= 0,
    add({ provider, model, usage, deltaCount }) {
      const used = usage ?? { promptTokens: 0, completionTokens: deltaCount };
      const cost = toTokenCost(findPrice?.(provider, model), used);
      if (cost === undefined) tokens += used.promptTokens + used.completionTokens;
      else costUsd += cost;
    },
    resultCharacters: (count) =>
      Math.max(
        MIN_RESULT_CHARACTERS,
        Math.min(limits.resultCharacters, Math.floor(charactersLeft / Math.max(1, count))),
      ),
    noteResult(content) {
      charactersLeft -= content.length;
    },
  };
}

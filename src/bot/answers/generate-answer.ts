import { type MessageExtras, PAUSED } from '../../core/conversations/index.ts';
import {
  createToolGuard,
  type ToolAnswerEvent,
  type ToolGuard,
  type ToolUse,
  toPermissionSubject,
} from '../../core/generation/index.ts';
import { type ChatMessage, hasOwnWebSearch } from '../../core/models/index.ts';
import type { Tool } from '../../core/tools/index.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { createId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { isBlankMarkdown } from '../../telegram/markdown/index.ts';
import { type Failure, toFailure } from '../failures/failure.ts';
import { toRequester } from '../groups/groups.ts';
import type { PromptAddition } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import { findAnswerInstructions } from '../prompt/answer-instructions.ts';
import type { AnswerRequest } from '../prompt/answer-request.ts';
import { joinContinuation } from '../prompt/join-continuation.ts';
import { toChatMessages } from '../prompt/to-chat-messages.ts';
import { WorkStoppedError } from '../work/work-stopped-error.ts';
import { createSourceCollection, type SourceCollection } from './answer-sources.ts';
import { createAnswerSteps } from './answer-steps.ts';
import { joinParagraphs } from './answer-text.ts';
import { createUsageMeter } from './answer-usage.ts';
import { isShownWhole } from './ask-permission.ts';
import type { GeneratedAnswer } from './generated-answer.ts';
import { shortenReasoning } from './reasoning.ts';
import { retryWithoutPdfs } from './retry-without-pdfs.ts';
import { canOpenPages, createToolStatus } from './tool-status.ts';

/** Input of one generation: model, question, tools, limits. */
export interface GenerationRequest extends AnswerRequest {
  /** Reasoning is shown to the user. */
  readonly showsReasoning: boolean;
  /** Returns the tools for the answer; called when it starts. */
  readonly listTools: () => readonly Tool[];
  /** Returns what features add to the system prompt; called when it starts. Default nothing. */
  readonly findPromptAdditions?: () => Promise<readonly PromptAddition[]>;
  /** The user can be asked to permit a tool call: the chat has a message with buttons that they can press. */
  readonly canAsk: boolean;
}

/** State of an answer while it is generated. */
export interface AnswerSoFar {
  /** Markdown to show. */
  readonly text: string;
  /** Reasoning of the model; empty if the user has switched it off. */
  readonly shownReasoning: string;
  /** Status line of running tools. */
  readonly status: string | undefined;
  /** Tools have run: their effects can't be undone. */
  readonly hasUsedTools: boolean;
}

/** Limit that stops a model that repeats itself endlessly. */
const MAX_ANSWER_CHARACTERS = 400_000;
/** Greater than the default limits of tools allow in one answer. */
const MAX_PAUSED_CHARACTERS = 4_000_000;

/**
 * Generates an answer and reports its state after every step. Never throws: failures are part of the result. Text
 * before a tool call belongs to the answer, tool results don't.
 * @param signal stops the generation early and keeps its text if aborted with a `WorkStoppedError`.
 */
export async function generateAnswer(
  services: BotServices,
  request: GenerationRequest,
  signal: AbortSignal,
  onProgress: (soFar: AnswerSoFar) => void,
): Promise<GeneratedAnswer> {
  const steps = createAnswerSteps();
  const { pausedCalls, ...prefixExtras } = request.prefixExtras;
  const sources = createSourceCollection();
  for (const source of prefixExtras.sources ?? []) sources.add(source);
  let additions: readonly PromptAddition[] = [];
  const isResumed = pausedCalls?.isAllowed !== undefined;
  const guard = createGuard(services, request);
  let isSystemPromptForeign = false;
  const { comparison } = prefixExtras;
  const meter = createUsageMeter(services, comparison?.usage);
  let hasUsedTools = false;
  const computing = createComputingRecord(services, request.answerId);
  const shownReasoning = () => (request.showsReasoning ? steps.toShownReasoning() : '');
  const join = (written: string) => (isResumed ? joinParagraphs : joinContinuation)(request.prefix, written);
  const report = (status?: string) =>
    onProgress({ text: join(steps.toText(false)), shownReasoning: shownReasoning(), status, hasUsedTools });
  const status = createToolStatus(services, request.texts, report);
  const toAnswerExtras = (): MessageExtras =>
    Object.assign(
      { ...prefixExtras },
      ...additions.map(({ extras }) => extras),
      toExtras(shownReasoning(), sources, guard),
      isSystemPromptForeign && { hasForeignText: true },
      comparison && { comparison: { ...comparison, usage: meter.total() } },
    );
  const conclude = async (finishReason: string, failure?: Failure): Promise<GeneratedAnswer> => {
    const written = steps.toText(true);
    const text = join((await isBlankMarkdown(written)) ? '' : written);
    return { text, finishReason, failure, extras: toAnswerExtras() };
  };
  try {
    const { settings, ...instructions } = await findAnswerInstructions(services, request);
    additions = (await request.findPromptAdditions?.()) ?? [];
    const systemPrompt =
      [instructions.systemPrompt, ...additions.map(({ text }) => text)].filter(Boolean).join('\n\n') || undefined;
    isSystemPromptForeign = instructions.hasForeignText;
    const hasForeignText = [instructions, ...additions].some((part) => part.hasForeignText);
    const requester = { ...toRequester(services, request, request.group), onRecorded: meter.add };
    const { id: model, contextLength, acceptsTools } = request.model;
    const { limits } = services.toolbox;
    const tools = listUsefulTools(request);
    let hasPdfs = false;
    const readMessages = async (hasTools: boolean, sendsPdfs: boolean) => {
      const opensLinks = !(hasTools && tools.some(canOpenPages));
      const reading = { opensLinks, onOpening: status.open, sendsPdfs };
      const prefix = isResumed ? '' : request.prefix;
      const read = await toChatMessages(services, { ...request, prefix, systemPrompt }, reading, signal);
      hasPdfs = read.hasPdfs;
      // Models have written what features add: its addresses may contain words of the user.
      const own = { role: 'system', content: instructions.systemPrompt ?? '' } as const;
      guard.readConversation([own, ...read.writtenMessages], hasForeignText || read.hasForeignText);
      return read.messages;
    };
    const paused = isResumed ? toPaused(pausedCalls) : undefined;
    const onSource = sources.add;
    const params = { model, settings, tools, limits, guard, onSource, paused, contextLength, acceptsTools };
    const stream = retryWithoutPdfs({
      open({ sendsPdfs }) {
        const messages = (hasTools: boolean) => readMessages(hasTools, sendsPdfs);
        return services.toolAnswers.stream(requester, { ...params, messages }, signal);
      },
      hasPdfs: () => hasPdfs,
      onRetry: (error) =>
        services.logger.warn({ model, reason: error.message }, 'the host refused a PDF file; retrying with its text'),
    });
    for await (const event of stream) {
      if (event.kind === 'tools-begin') {
        steps.next();
        hasUsedTools = true;
        report();
        status.begin(event.uses);
        await computing.begin(event.uses);
      }
      if (event.kind === 'tools-end') await computing.end();
      if (event.kind === 'paused') {
        const answer = await conclude(PAUSED);
        return { ...answer, extras: { ...answer.extras, pausedCalls: toPausedCalls(event) } };
      }
      if (event.kind !== 'part') continue;
      const { part } = event;
      if (part.type === 'source') sources.add(part.source);
      // Sources without a tool call: the provider has searched the web.
      if (sources.list().length > 0) guard.recordForeignText();
      const added = steps.add(part);
      if (steps.length > MAX_ANSWER_CHARACTERS) break;
      if (added === undefined || (added === 'shownReasoning' && !request.showsReasoning)) continue;
      status.end();
      report();
    }
    const finishReason = stream.outcome?.finishReason ?? 'stop';
    if (finishReason === 'content_filter' && steps.isRefused) return await conclude('stop');
    if (finishReason === 'content_filter') return await conclude(finishReason, { kind: 'filtered' });
    const answer = await conclude(finishReason);
    // An empty continuation is no failure: the answer to continue may already be complete.
    return answer.text === '' ? { ...answer, failure: { kind: 'empty' } } : answer;
  } catch (error) {
    const stoppedBy = signal.aborted && signal.reason instanceof WorkStoppedError ? signal.reason.by : undefined;
    if (stoppedBy === 'shutdown') return conclude('interrupted', { kind: 'interrupted' });
    if (stoppedBy !== undefined) return conclude('stopped');
    const failure = toFailure(error);
    logFailure(services.logger, { error, failure, model: request.model.id });
    return conclude('error', failure);
  } finally {
    status.end();
    await computing
      .end()
      .catch((error: unknown) => services.logger.warn({ err: error }, 'the end of a tool call could not be recorded'));
  }
}

/**
 * Records in the database that tools compute for an answer. If the process ends meanwhile, the answer is given up: it
 * would end each process that resumes it.
 */
function createComputingRecord({ conversations }: BotServices, answerId: number) {
  let isComputing = false;
  return {
    async begin(uses: readonly ToolUse[]) {
      if (!uses.some(({ tool }) => tool.isComputedHere)) return;
      isComputing = true;
      await conversations.recordComputing(answerId, true);
    },
    async end() {
      if (!isComputing) return;
      isComputing = false;
      await conversations.recordComputing(answerId, false);
    },
  };
}

/** Returns the tools without the web search if the model's provider searches by itself. */
function listUsefulTools({ listTools, model }: GenerationRequest): readonly Tool[] {
  const tools = listTools();
  return hasOwnWebSearch(model) ? tools.filter(({ findQuery }) => findQuery === undefined) : tools;
}

function createGuard(services: BotServices, request: GenerationRequest): ToolGuard {
  const { userId, prefixExtras, question } = request;
  const guard = createToolGuard({
    canAsk: request.canAsk,
    isShownWhole: (use) => isShownWhole(request.texts, use),
    isPermitted: (subject) =>
      services.conversations.isToolPermitted({ conversationId: question.conversationId, userId, subject }),
  });
  if (prefixExtras.hasForeignText || prefixExtras.sources?.length) guard.recordForeignText();
  return guard;
}

function toPaused({ messages, results, isAllowed }: NonNullable<MessageExtras['pausedCalls']>) {
  // Written by `toPausedCalls`.
  return { messages: messages as readonly ChatMessage[], results, isAllowed: isAllowed === true };
}

function toPausedCalls({
  paused,
  asked: params,
}: Extract<ToolAnswerEvent, { readonly kind: 'paused' }>): NonNullable<MessageExtras['pausedCalls']> {
  const { tool, parameters } = params;
  const address = tool.findAddress?.(parameters)?.href;
  const shown = {
    ...(!tool.asksEachTime && { subject: toPermissionSubject(params) }),
    tool: tool.name,
    parameters,
    ...(address !== undefined && { address }),
  };
  const calls = { id: createId(''), ...shown, ...paused };
  if (JSON.stringify(calls).length > MAX_PAUSED_CHARACTERS) throw new Error('the tool results are too large to store');
  return calls;
}

/** Logs a failure. An unreadable file or link is a user error, so its stack is logged at debug level only. */
function logFailure(
  logger: Logger,
  { error, failure, model }: { readonly error: unknown; readonly failure: Failure; readonly model: string },
): void {
  if (
    failure.kind === 'unreadable' ||
    failure.kind === 'noTranscript' ||
    failure.kind === 'recordingTooLarge' ||
    failure.kind === 'photoTooLarge'
  ) {
    logger.info({ failure: failure.kind, problem: describeError(error), model }, 'an answer failed');
    logger.debug({ err: error }, 'cause of a failed answer');
    return;
  }
  const isOurs = failure.kind === 'internal' || failure.kind === 'photoUnavailable';
  logger[isOurs ? 'error' : 'warn']({ err: error, model }, 'an answer failed');
}

function toExtras(shownReasoning: string, sources: SourceCollection, { hasReadForeignText }: ToolGuard): MessageExtras {
  const [reasoning, list] = [shortenReasoning(shownReasoning), sources.list()];
  return {
    ...(reasoning !== '' && { reasoning }),
    ...(list.length > 0 && { sources: list }),
    ...(hasReadForeignText && { hasForeignText: true }),
  };
}

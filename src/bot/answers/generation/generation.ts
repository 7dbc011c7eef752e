import { type MessageExtras, PAUSED } from '../../../core/conversations/index.ts';
import {
  createToolGuard,
  type ToolAnswerEvent,
  type ToolAnswerStream,
  type ToolGuard,
  type ToolUse,
} from '../../../core/generation/index.ts';
import { WorkStoppedError } from '../../../core/jobs/index.ts';
import { type ChatMessage, type ChatPart, hasOwnWebSearch, ProviderRejectedError } from '../../../core/models/index.ts';
import type { Tool } from '../../../core/tools/index.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { isBlankMarkdown } from '../../../telegram/markdown/index.ts';
import { toRequester } from '../../choices/groups.ts';
import { type Failure, toFailure } from '../../kit/failure.ts';
import type { PromptAddition } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { type AnswerInstructions, findAnswerInstructions } from '../../prompt/answer-instructions.ts';
import type { AnswerRequest } from '../../prompt/answer-request.ts';
import { joinContinuation } from '../../prompt/join-continuation.ts';
import { toChatMessages } from '../../prompt/to-chat-messages.ts';
import type { GeneratedAnswer } from '../answer.ts';
import { isShownWhole } from '../permission.ts';
import { type PausedEvent, toPaused, toPausedCalls } from './paused-calls.ts';
import { shortenReasoning } from './reasoning.ts';
import { createSourceCollection, type SourceCollection } from './sources.ts';
import { createAnswerSteps } from './steps.ts';
import { joinParagraphs } from './text.ts';
import { canOpenPages, createToolStatus } from './tools.ts';
import { createUsageMeter } from './usage.ts';

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

/** Attempts at an answer that its question, or the quota, may require. */
export interface Attempts {
  /** Begins an attempt. @returns a signal that aborts when the attempt is obsolete. */
  readonly begin: () => AbortSignal;
  /** Resolves when the model may be asked. Never throws. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /** Called at the end of an attempt. @returns whether another one follows, once it may begin. */
  readonly mustRepeat: (generated: GeneratedAnswer, attempt: AbortSignal) => Promise<boolean>;
}

const ONE_ATTEMPT: Attempts = {
  begin: () => new AbortController().signal,
  ready: async () => {},
  mustRepeat: async () => false,
};

/**
 * Generates an answer and reports its state after every step. Starts again while `attempts` say so, and once without PDF
 * files if the host refuses them. Never throws: failures are part of the result. Text before a tool call belongs to the
 * answer, tool results don't.
 * @param signal stops the generation early and keeps its text if aborted with a `WorkStoppedError`.
 */
export async function generateAnswer(
  services: BotServices,
  request: GenerationRequest,
  signal: AbortSignal,
  onProgress: (soFar: AnswerSoFar) => void,
  attempts = ONE_ATTEMPT,
): Promise<GeneratedAnswer> {
  let sendsPdfs = true;
  for (;;) {
    const attempt = attempts.begin();
    const either = AbortSignal.any([signal, attempt]);
    await attempts.ready(either);
    const generated = await new Generation(services, request, { sendsPdfs, onProgress, signal: either }).run();
    if (generated === 'pdfs-refused') sendsPdfs = false;
    else if (await attempts.mustRepeat(generated, attempt)) sendsPdfs = true;
    else return generated;
  }
}

interface GenerationOptions {
  /** PDF files may be part of the request; otherwise their text. */
  readonly sendsPdfs: boolean;
  readonly onProgress: (soFar: AnswerSoFar) => void;
  readonly signal: AbortSignal;
}

/** One attempt to generate an answer. */
class Generation {
  readonly #services: BotServices;
  readonly #request: GenerationRequest;
  readonly #options: GenerationOptions;
  readonly #steps = createAnswerSteps();
  readonly #sources = createSourceCollection();
  readonly #guard: ToolGuard;
  readonly #meter: ReturnType<typeof createUsageMeter>;
  readonly #computing: ReturnType<typeof createComputingRecord>;
  readonly #status: ReturnType<typeof createToolStatus>;
  #additions: readonly PromptAddition[] = [];
  #isSystemPromptForeign = false;
  #hasPdfs = false;
  #hasBegun = false;
  #hasUsedTools = false;

  constructor(services: BotServices, request: GenerationRequest, options: GenerationOptions) {
    this.#services = services;
    this.#request = request;
    this.#options = options;
    for (const source of request.prefixExtras.sources ?? []) this.#sources.add(source);
    this.#guard = createGuard(services, request);
    this.#meter = createUsageMeter(services, request.prefixExtras.comparison?.usage);
    this.#computing = createComputingRecord(services, request.answerId);
    this.#status = createToolStatus(services, request.texts, (status) => this.#report(status));
  }

  /** @returns `pdfs-refused` if the host refuses the files of the request before it answers. Never throws. */
  async run(): Promise<GeneratedAnswer | 'pdfs-refused'> {
    try {
      const stream = await this.#open();
      for await (const event of stream) {
        this.#hasBegun = true;
        if (event.kind === 'paused') return await this.#pause(event);
        await this.#take(event);
        if (this.#steps.length > MAX_ANSWER_CHARACTERS) break;
      }
      return await this.#end(stream.outcome?.finishReason ?? 'stop');
    } catch (error) {
      return await this.#fail(error);
    } finally {
      this.#status.end();
      await this.#computing
        .end()
        .catch((error: unknown) =>
          this.#services.logger.warn({ err: error }, 'the end of a tool call could not be recorded'),
        );
    }
  }

  /** The answer continues after a decision about a tool call. */
  get #isDecided(): boolean {
    return this.#request.prefixExtras.pausedCalls?.isAllowed !== undefined;
  }

  async #open(): Promise<ToolAnswerStream> {
    const [services, request] = [this.#services, this.#request];
    const { settings, ...instructions } = await findAnswerInstructions(services, request);
    this.#additions = (await request.findPromptAdditions?.()) ?? [];
    this.#isSystemPromptForeign = instructions.hasForeignText;
    const { id: model, contextLength, acceptsTools } = request.model;
    const tools = listUsefulTools(request);
    const { pausedCalls } = request.prefixExtras;
    return services.toolAnswers.stream(
      { ...toRequester(services, request, request.group), onRecorded: this.#meter.add },
      {
        model,
        settings,
        tools,
        limits: services.toolbox.limits,
        guard: this.#guard,
        onSource: this.#sources.add,
        paused: pausedCalls && this.#isDecided ? toPaused(pausedCalls) : undefined,
        contextLength,
        acceptsTools,
        messages: (hasTools) => this.#readMessages(instructions, !(hasTools && tools.some(canOpenPages))),
      },
      this.#options.signal,
    );
  }

  async #readMessages(
    instructions: Omit<AnswerInstructions, 'settings'>,
    opensLinks: boolean,
  ): Promise<readonly ChatMessage[]> {
    const { sendsPdfs, signal } = this.#options;
    const systemPrompt =
      [instructions.systemPrompt, ...this.#additions.map(({ text }) => text)].filter(Boolean).join('\n\n') || undefined;
    const prefix = this.#isDecided ? '' : this.#request.prefix;
    const reading = { opensLinks, onOpening: this.#status.open, sendsPdfs };
    const read = await toChatMessages(this.#services, { ...this.#request, prefix, systemPrompt }, reading, signal);
    this.#hasPdfs = read.hasPdfs;
    // Models have written what features add: its addresses may contain words of the user.
    const own = { role: 'system', content: instructions.systemPrompt ?? '' } as const;
    const hasForeignText = [instructions, ...this.#additions, read].some((part) => part.hasForeignText);
    this.#guard.readConversation([own, ...read.writtenMessages], hasForeignText);
    return read.messages;
  }

  async #take(event: Exclude<ToolAnswerEvent, { readonly kind: 'paused' }>): Promise<void> {
    if (event.kind === 'part') this.#add(event.part);
    if (event.kind === 'tools-end') await this.#computing.end();
    if (event.kind !== 'tools-begin') return;
    this.#steps.next();
    this.#hasUsedTools = true;
    this.#report();
    this.#status.begin(event.uses);
    await this.#computing.begin(event.uses);
  }

  #add(part: ChatPart): void {
    if (part.type === 'source') this.#sources.add(part.source);
    // Sources without a tool call: the provider has searched the web.
    if (this.#sources.list().length > 0) this.#guard.recordForeignText();
    const added = this.#steps.add(part);
    if (this.#steps.length > MAX_ANSWER_CHARACTERS) return;
    if (added === undefined || (added === 'shownReasoning' && !this.#request.showsReasoning)) return;
    this.#status.end();
    this.#report();
  }

  #report(status?: string): void {
    this.#options.onProgress({
      text: this.#join(this.#steps.toText(false)),
      shownReasoning: this.#toShownReasoning(),
      status,
      hasUsedTools: this.#hasUsedTools,
    });
  }

  async #pause(event: PausedEvent): Promise<GeneratedAnswer> {
    const answer = await this.#conclude(PAUSED);
    return { ...answer, extras: { ...answer.extras, pausedCalls: toPausedCalls(event) } };
  }

  async #end(finishReason: string): Promise<GeneratedAnswer> {
    if (finishReason === 'content_filter' && this.#steps.isRefused) return this.#conclude('stop');
    if (finishReason === 'content_filter') return this.#conclude(finishReason, { kind: 'filtered' });
    const answer = await this.#conclude(finishReason);
    // An empty continuation is no failure: the answer to continue may already be complete.
    return answer.text === '' ? { ...answer, failure: { kind: 'empty' } } : answer;
  }

  async #fail(error: unknown): Promise<GeneratedAnswer | 'pdfs-refused'> {
    const { signal, sendsPdfs } = this.#options;
    const { logger } = this.#services;
    const { id: model } = this.#request.model;
    if (sendsPdfs && this.#hasPdfs && !this.#hasBegun && error instanceof ProviderRejectedError) {
      logger.warn({ model, reason: error.message }, 'the host refused a PDF file; retrying with its text');
      return 'pdfs-refused';
    }
    const stoppedBy = signal.aborted && signal.reason instanceof WorkStoppedError ? signal.reason.by : undefined;
    if (stoppedBy === 'shutdown') return this.#conclude('interrupted', { kind: 'interrupted' });
    if (stoppedBy !== undefined) return this.#conclude('stopped');
    const failure = toFailure(error);
    logFailure(logger, { error, failure, model });
    return this.#conclude('error', failure);
  }

  async #conclude(finishReason: string, failure?: Failure): Promise<GeneratedAnswer> {
    const written = this.#steps.toText(true);
    const text = this.#join((await isBlankMarkdown(written)) ? '' : written);
    return { text, finishReason, failure, extras: this.#toExtras() };
  }

  #join(written: string): string {
    return (this.#isDecided ? joinParagraphs : joinContinuation)(this.#request.prefix, written);
  }

  #toShownReasoning(): string {
    return this.#request.showsReasoning ? this.#steps.toShownReasoning() : '';
  }

  #toExtras(): MessageExtras {
    const { pausedCalls: _, ...prefixExtras } = this.#request.prefixExtras;
    const { comparison } = prefixExtras;
    return Object.assign(
      { ...prefixExtras },
      ...this.#additions.map(({ extras }) => extras),
      toExtras(this.#toShownReasoning(), this.#sources, this.#guard),
      this.#isSystemPromptForeign && { hasForeignText: true },
      comparison && { comparison: { ...comparison, usage: this.#meter.total() } },
    );
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

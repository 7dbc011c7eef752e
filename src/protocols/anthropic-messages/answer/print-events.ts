import type { ChatEvent, ChatPart, ChatStream, NativeEvent } from '../../../core/models/contract/chat-answer.ts';
import { describeImage } from '../../fields/describe-image.ts';
import { printNativeEvent } from '../../stream/native-answer.ts';
import type { StreamDialect, StreamPrinter } from '../../stream/stream-dialect.ts';
import { toMessagesErrorBody } from './error-body.ts';
import { BlockPrinter, type MessagesEvent } from './print-blocks.ts';
import { NO_END, type PrintOptions, printEnd, printHead, printUsage, toStopSequence } from './print-message.ts';

/** Facts of a stream besides its events. */
interface StreamFacts {
  /** Estimates the tokens of the prompt, which are known only at the end. */
  readonly guessTokens: () => number;
  /** For errors. */
  readonly requestId: string;
}

/** Prints a stream as events of the Messages API. Events of the dialect are forwarded unchanged, others are translated. */
export function createEventDialect(options: PrintOptions, { guessTokens, requestId }: StreamFacts): StreamDialect {
  return {
    createPrinter: (stream) => createEventPrinter(new EventTranslator(stream, options, guessTokens)),
    printError: (error) => printEvent(toMessagesErrorBody(error, requestId)),
    ping: PING_EVENT,
  };
}

/** Prints an event with its type in both lines, as Anthropic does. */
function printEvent(event: MessagesEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Keeps the connection alive; clients ignore it. */
const PING_EVENT = printEvent({ type: 'ping' });

function createEventPrinter(translator: EventTranslator): StreamPrinter {
  let isNative = false;
  return {
    print(event) {
      if (event.native?.dialect !== 'messages') return isNative ? '' : translator.print(event);
      isNative = true;
      return printNativeEvent(event.native, `event: ${readType(event.native)}\n`);
    },
    end: () => (isNative ? '' : translator.end()),
  };
}

/** Length of the beginning and the end of a large event in which its type is searched. */
const TYPE_BYTES = 1000;

/** Returns the type of an event. It is the first field in Anthropic's events; texts have backslashes before their quotes. */
function readType({ data: sent }: NativeEvent): string {
  const data =
    typeof sent === 'string'
      ? sent
      : `${sent.toString('latin1', 0, TYPE_BYTES)}\n${sent.toString('latin1', Math.max(0, sent.length - TYPE_BYTES))}`;
  const first = /^\{"type":"(\w{1,60})"/.exec(data.slice(0, 100))?.[1];
  if (first !== undefined) return first;
  return /"type"\s*:\s*"((?:content_block|message)_\w{1,60}|ping|error)"/.exec(data)?.[1] ?? 'message';
}

/** Translates the events of one stream. Only the first choice exists in the dialect. */
class EventTranslator {
  readonly #stream: ChatStream;
  readonly #options: PrintOptions;
  readonly #guessTokens: () => number;
  readonly #blocks: BlockPrinter;
  #printed: string[] = [];
  #hasBegun = false;
  #refusal = '';
  #finishReason: string | undefined;
  #stopSequence: string | undefined;

  constructor(stream: ChatStream, options: PrintOptions, guessTokens: () => number) {
    this.#stream = stream;
    this.#options = options;
    this.#guessTokens = guessTokens;
    this.#blocks = new BlockPrinter((event) => this.#emit(event), options);
  }

  print({ parts }: ChatEvent): string {
    this.#begin();
    for (const part of parts) if (!('choice' in part) || part.choice === 0) this.#add(part);
    return this.#take();
  }

  end(): string {
    const { outcome } = this.#stream;
    this.#begin();
    this.#blocks.closeAll();
    const end = printEnd({
      finishReason: this.#finishReason ?? outcome.finishReason,
      stopSequence: this.#stopSequence,
      refusal: this.#refusal,
      hasToolCalls: this.#blocks.hasToolCalls,
    });
    this.#emit({ type: 'message_delta', delta: { ...end, container: null }, usage: printUsage(outcome) });
    this.#emit({ type: 'message_stop' });
    return this.#take();
  }

  #emit(event: MessagesEvent): void {
    this.#printed.push(printEvent(event));
  }

  #take(): string {
    const text = this.#printed.join('');
    this.#printed = [];
    return text;
  }

  /** The usage of the prompt is known only at the end; clients show the estimate until then. */
  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const head = printHead(this.#stream.outcome);
    const usage = printUsage({ usage: { promptTokens: this.#guessTokens(), completionTokens: 0 } });
    this.#emit({
      type: 'message_start',
      message: { ...head, content: [], ...NO_END, usage },
    });
    this.#printed.push(PING_EVENT);
  }

  #add(part: ChatPart): void {
    switch (part.type) {
      case 'text-delta':
        this.#blocks.addText(part.text);
        break;
      case 'refusal-delta':
        this.#refusal += part.text;
        this.#blocks.addText(part.text);
        break;
      case 'reasoning-delta':
        this.#blocks.addReasoning(part.text, part.mustBeSentBack ?? false);
        break;
      case 'tool-call-delta':
        this.#blocks.addToCall(part);
        break;
      case 'image':
        this.#blocks.addParagraph(describeImage(part.url));
        break;
      case 'finish':
        this.#finishReason = part.reason;
        this.#stopSequence = toStopSequence(part.stopSequence, this.#options.request);
        break;
      case 'source':
      case 'usage':
        break;
    }
  }
}

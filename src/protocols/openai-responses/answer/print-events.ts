import { type ChatStream, countHeldCharacters } from '../../../core/models/contract/chat-answer.ts';
import { ProviderStreamError } from '../../../core/models/contract/model-errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { printJsonInParts } from '../../../lib/json/large-json.ts';
import { DONE } from '../../stream/openai-events.ts';
import { PING_COMMENT, type Printed, type StreamDialect } from '../../stream/stream-dialect.ts';
import type { ResponseRequest } from '../request/read-request.ts';
import { createOutputBuilder } from './build-output.ts';
import type { ResponseEvent } from './output-item.ts';
import { createResponsePrinter, type ResponseIdentity, toStatus } from './print-response.ts';

/** Maximum length of an answer in characters: its text is kept until the last event, which repeats it. */
const MAX_OUTPUT_CHARACTERS = 64 * 1024 * 1024;

/** Length of an answer from which events that repeat it are printed in parts. */
const LONG_CHARACTERS = 256 * 1024;

/**
 * Prints a stream as the events of the Responses API, numbered from 0.
 * @param save stores the finished response and returns it as the last event reports it.
 */
export function createEventDialect(
  request: ResponseRequest,
  identity: ResponseIdentity,
  { now, save }: { readonly now: () => number; readonly save: (body: JsonObject) => Promise<JsonObject> },
): StreamDialect {
  const printResponse = createResponsePrinter(request, identity);
  let printed = '';
  /** Text and long events before `printed`. */
  let before: Printed[] = [];
  let count = 0;
  let length = 0;
  let stream: ChatStream | undefined;

  const emit = ({ type, ...fields }: ResponseEvent) => {
    const event = { type, sequence_number: count, ...fields };
    count += 1;
    printed += `event: ${type}\ndata: `;
    // The last events repeat the whole text: it is printed while it is sent.
    if (length > LONG_CHARACTERS && !type.endsWith('.delta')) {
      before.push(printed, printJsonInParts(event));
      printed = '';
    } else printed += JSON.stringify(event);
    printed += '\n\n';
  };
  const output = createOutputBuilder(request, emit);
  const emitResponse = (event: string, response: JsonObject) => emit({ type: `response.${event}`, response });
  const begin = () => {
    if (count > 0) return;
    const state = { status: 'in_progress', output: [], outcome: stream?.outcome } as const;
    emitResponse('created', printResponse(state));
    emitResponse('in_progress', printResponse(state));
  };
  const take = (last = ''): Printed => {
    const text = printed + last;
    const parts = before;
    printed = '';
    before = [];
    return parts.length === 0 ? text : joinParts([...parts, text]);
  };

  return {
    createPrinter(opened) {
      stream = opened;
      return {
        print({ parts }) {
          begin();
          for (const part of parts) {
            length += countHeldCharacters(part);
            output.add(part);
          }
          if (length > MAX_OUTPUT_CHARACTERS) {
            throw new ProviderStreamError(opened.outcome.provider, 'the answer is too long');
          }
          return take();
        },
        async end() {
          begin();
          const { outcome } = opened;
          const status = toStatus(outcome.finishReason);
          output.close(status);
          const body = printResponse({ status, output: output.print(), outcome, completedAtMs: now() });
          emitResponse(status, await save(body));
          return take(DONE);
        },
      };
    },
    printError(error) {
      begin();
      const { type, code, message, param = null } = error;
      // OpenAI's clients read the fields of `error`, others those beside it.
      emit({ type: 'error', code, message, param, error: { type, code, message, param } });
      const state = { status: 'failed', output: output.print(), outcome: stream?.outcome, error } as const;
      emitResponse('failed', printResponse(state));
      return take(DONE);
    },
    ping: PING_COMMENT,
  };
}

function* joinParts(printed: readonly Printed[]): Generator<string, void, undefined> {
  for (const part of printed) {
    if (typeof part === 'string') yield part;
    else yield* part;
  }
}

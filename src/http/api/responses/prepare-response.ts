import type { ChatCompletion } from '../../../core/models/index.ts';
import { listParts } from '../../../core/models/index.ts';
import type { Hold } from '../../../lib/http/held-bytes.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { createOutputBuilder } from '../../../protocols/openai-responses/answer/build-output.ts';
import {
  createResponsePrinter,
  type PrintResponse,
  type ResponseIdentity,
  toStatus,
} from '../../../protocols/openai-responses/answer/print-response.ts';
import {
  type ResponseRequest,
  readResponseRequest,
  toChatRequest,
} from '../../../protocols/openai-responses/request/read-request.ts';
import type { HttpServices } from '../../services.ts';
import { readHistory } from './read-history.ts';
import { saveResponse, storeResponse } from './save-response.ts';

export interface AskedResponse {
  readonly fields: JsonObject;
  readonly userId: number;
  readonly identity: ResponseIdentity;
  /** Counts the stored items that are read. */
  readonly hold: Hold;
  readonly logger: Pick<Logger, 'warn'>;
}

/** A valid request, with the conversation that it continues. */
export type PreparedResponse = Awaited<ReturnType<typeof prepareResponse>>;

/** Reads a request and the conversation that it continues. @throws HttpError 400; HeldBytesFullError */
export async function prepareResponse(
  { responses, clock }: HttpServices,
  { fields, userId, identity, hold, logger }: AskedResponse,
) {
  const history = await readHistory({ responses, userId, hold }, fields);
  const params = readResponseRequest({ ...fields, input: history.input }, history.previousItems);
  const print = createResponsePrinter(params, identity);
  const { createdAtMs } = identity;
  const context = { userId, request: params, history, createdAtMs };
  /** Stores a finished response if the client wants it. @returns it; `store` is false if it could not be stored. */
  const save = (body: JsonObject): Promise<JsonObject> => saveResponse({ responses, logger }, context, body);
  const printDone = (completion: ChatCompletion) => printCompletion(completion, params, { print, nowMs: clock.now() });
  return {
    params,
    history,
    chatRequest: toChatRequest(params),
    print,
    save,
    /** Prints and stores a completion as `save` does. */
    finish: (completion: ChatCompletion): Promise<JsonObject> => save(printDone(completion)),
    /** Prints a completion. @returns a function that stores it, see `storeResponse`; it may be called again. */
    toStoring(completion: ChatCompletion): () => Promise<boolean> {
      const body = printDone(completion);
      return () => storeResponse(responses, context, body);
    },
  };
}

function printCompletion(
  { choices: [choice], outcome }: ChatCompletion,
  params: ResponseRequest,
  { print, nowMs }: { readonly print: PrintResponse; readonly nowMs: number },
): JsonObject {
  const output = createOutputBuilder(params);
  for (const part of choice ? listParts(choice, 0) : []) output.add(part);
  const status = toStatus(choice?.finishReason);
  output.close(status);
  return print({ status, output: output.print(), outcome, completedAtMs: nowMs });
}

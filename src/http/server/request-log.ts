import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ChatOutcome } from '../../core/models/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LogContext } from '../../lib/log/log-context.ts';
import { noObserver, type Observer } from '../../lib/log/observer.ts';
import { isGenerationPath, toPath } from './base-address.ts';

/** Log record of a request in progress. */
export interface RequestRecord {
  /** Runs `action` so that everything it starts, now or later, is attributed to the request. */
  run<Result>(action: () => Result): Result;
  /** Adds the provider and the model that answered to the log line. */
  markAnswered(answered: Answered): void;
  /** Notes that the response is the stored answer to an earlier request. */
  markReplayed(): void;
  /** Notes that the answer is incomplete or an error although its status is 200. */
  markIncomplete(): void;
  readonly isIncomplete: boolean;
  /** Omits the request's log line, because its refusal is logged elsewhere. */
  omit(): void;
}

/** Outcome of a completion or of a stream, which grows until the log line is written; or the facts of another answer. */
type Answered = Pick<ChatOutcome, 'provider' | 'model'> & Partial<Pick<ChatOutcome, 'finishReason'>>;

interface RequestLogDeps {
  readonly clock: Clock;
  readonly observer?: Observer | undefined;
  readonly logContext?: LogContext | undefined;
}

const RECORD = 'record';

/** Logs one line per finished request, without body and headers, and reports an `http request` span to the observer. */
export function installRequestLog(server: FastifyInstance, deps: RequestLogDeps): void {
  server.decorateRequest(RECORD, null);
  server.addHook('onRequest', (request, reply, done) => {
    const record = beginRecord(deps, request, reply);
    request.setDecorator<RequestRecord>(RECORD, record);
    record.run(done);
  });
  // Reading the body loses the async context, because its events come from the socket.
  server.addHook('preValidation', (request, _reply, done) => getRecord(request).run(done));
}

/** Returns the record of a routed request. */
export function getRecord(request: FastifyRequest): RequestRecord {
  return request.getDecorator<RequestRecord>(RECORD);
}

/** Returns the record of a request, undefined if Fastify could not route it. */
export function findRecord(request: FastifyRequest): RequestRecord | undefined {
  return request.getDecorator<RequestRecord | null>(RECORD) ?? undefined;
}

function beginRecord(
  { observer = noObserver, logContext, clock }: RequestLogDeps,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
): RequestRecord {
  const { id: requestId, method } = request;
  const startedAt = clock.now();
  const span = observer.begin('http request', { method, requestId });
  let answered: Answered | undefined;
  let isReplayed = false;
  let isIncomplete = false;
  let isOmitted = false;
  response.once('close', () => {
    // The route, never the path, which may contain file ids.
    const route = request.routeOptions.url;
    const status = response.statusCode;
    span.record({ route, status });
    span.end();
    if (isOmitted) return;
    const facts = {
      method,
      route,
      path: route === undefined ? toLoggedPath(request.originalUrl) : undefined,
      status,
      ms: clock.now() - startedAt,
      isBrokenOff: response.writableFinished ? undefined : true,
      provider: answered?.provider,
      model: answered?.model,
      finishReason: answered?.finishReason,
      isReplayed: isReplayed || undefined,
      isIncomplete: isIncomplete || undefined,
    };
    // Within its span, which exporters of the log look up.
    span.run(() => request.log.info(facts, 'request answered'));
  });
  return {
    run: (action) => span.run(() => (logContext ? logContext.run({ requestId }, action) : action())),
    markAnswered(by) {
      answered = by;
    },
    markReplayed() {
      isReplayed = true;
    },
    markIncomplete() {
      isIncomplete = true;
    },
    get isIncomplete() {
      return isIncomplete;
    },
    omit() {
      isOmitted = true;
    },
  };
}

const MAX_PATH_CHARACTERS = 200;

/** Returns the path only for the generation API; other paths may contain file ids. */
function toLoggedPath(url: string): string | undefined {
  const path = toPath(url);
  return isGenerationPath(path) ? path.slice(0, MAX_PATH_CHARACTERS) : undefined;
}

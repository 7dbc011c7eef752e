import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChatOutcome } from '../../core/models/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LogContext } from '../../lib/log/log-context.ts';
import { noObserver, type Observer, type Span } from '../../lib/log/observer.ts';
import { isGenerationPath, toPath } from './base-address.ts';

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
    const record = new RequestRecord(deps, request, reply.raw);
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

/**
 * Log record of a request in progress. A class, because V8 keeps all that belongs to an object with an accessor of its
 * own until the next full garbage collection.
 */
export class RequestRecord {
  readonly #deps: RequestLogDeps;
  readonly #request: FastifyRequest;
  readonly #response: ServerResponse;
  readonly #startedAt: number;
  readonly #span: Span;
  #answered: Answered | undefined;
  #isReplayed = false;
  #isIncomplete = false;
  #isOmitted = false;

  constructor(deps: RequestLogDeps, request: FastifyRequest, response: ServerResponse) {
    const { observer = noObserver, clock } = deps;
    this.#deps = deps;
    this.#request = request;
    this.#response = response;
    this.#startedAt = clock.now();
    this.#span = observer.begin('http request', { method: request.method, requestId: request.id });
    response.once('close', () => this.#end());
  }

  /** Runs `action` so that everything it starts, now or later, is attributed to the request. */
  run<Result>(action: () => Result): Result {
    const { logContext } = this.#deps;
    return this.#span.run(() => (logContext ? logContext.run({ requestId: this.#request.id }, action) : action()));
  }

  /** Adds the provider and the model that answered to the log line. */
  markAnswered(by: Answered): void {
    this.#answered = by;
  }

  /** Notes that the response is the stored answer to an earlier request. */
  markReplayed(): void {
    this.#isReplayed = true;
  }

  /** Notes that the answer is incomplete or an error although its status is 200. */
  markIncomplete(): void {
    this.#isIncomplete = true;
  }

  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /** Omits the request's log line, because its refusal is logged elsewhere. */
  omit(): void {
    this.#isOmitted = true;
  }

  #end(): void {
    const request = this.#request;
    // The route, never the path, which may contain file ids.
    const route = request.routeOptions.url;
    const status = this.#response.statusCode;
    this.#span.record({ route, status });
    this.#span.end();
    if (this.#isOmitted) return;
    const facts = {
      method: request.method,
      route,
      path: route === undefined ? toLoggedPath(request.originalUrl) : undefined,
      status,
      ms: this.#deps.clock.now() - this.#startedAt,
      isBrokenOff: this.#response.writableFinished ? undefined : true,
      provider: this.#answered?.provider,
      model: this.#answered?.model,
      finishReason: this.#answered?.finishReason,
      isReplayed: this.#isReplayed || undefined,
      isIncomplete: this.#isIncomplete || undefined,
    };
    // Within its span, which exporters of the log look up.
    this.#span.run(() => request.log.info(facts, 'request answered'));
  }
}

const MAX_PATH_CHARACTERS = 200;

/** Returns the path only for the generation API; other paths may contain file ids. */
function toLoggedPath(url: string): string | undefined {
  const path = toPath(url);
  return isGenerationPath(path) ? path.slice(0, MAX_PATH_CHARACTERS) : undefined;
}

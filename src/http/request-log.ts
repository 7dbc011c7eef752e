import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChatOutcome } from '../core/models/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { LogContext } from '../lib/log-context.ts';
import { noObserver, type Observer } from '../lib/observer.ts';
import { isGenerationPath, toPath } from './generation-api/base-address.ts';

/** A request until its answer is complete or broken off. */
export interface RequestRecord {
  /** What `action` begins, now or later, is done on behalf of the request. */
  run<Result>(action: () => Result): Result;
  /** Lets the line in the log name the provider and the model that answered. */
  noteAnswered(answered: Answered): void;
  /** Leaves the request out of the log, because its refusal is logged elsewhere. */
  omit(): void;
  /** Writes the line. To be called once, when the response has closed. */
  end(): void;
}

/** A completion, a stream whose outcome grows, or pictures. */
interface Answered {
  readonly outcome: Pick<ChatOutcome, 'provider' | 'model' | 'finishReason'>;
}

/** What is to be known of a request. */
export interface RecordedRequest {
  readonly id: string;
  readonly method: string;
  /** The route, never the path: paths may hold the ids of files. Asked for at the end. */
  readonly route: () => string | undefined;
  /** The path of a request that no route serves, where it may be logged. */
  readonly unknownPath?: (() => string | undefined) | undefined;
  readonly response: ServerResponse;
  /** Takes the line, which names the request by itself. */
  readonly log: { info(facts: object, message: string): void };
}

export interface RequestLogDeps {
  readonly clock: Clock;
  readonly observer?: Observer | undefined;
  readonly logContext?: LogContext | undefined;
}

/** One line for each request at its end, without bodies and headers. The observer sees the same as an `http request`. */
export function beginRecord(deps: RequestLogDeps, request: RecordedRequest): RequestRecord {
  const { observer = noObserver, logContext, clock } = deps;
  const { id: requestId, method, response } = request;
  const startedAt = clock.now();
  const work = observer.begin('http request', { method, requestId });
  let answered: Answered | undefined;
  let isOmitted = false;
  return {
    run: (action) => work.run(() => (logContext ? logContext.run({ requestId }, action) : action())),
    noteAnswered(by) {
      answered = by;
    },
    omit() {
      isOmitted = true;
    },
    end() {
      const route = request.route();
      const status = response.statusCode;
      const outcome = answered?.outcome;
      work.note({ route, status });
      work.end();
      if (isOmitted) return;
      const facts = {
        method,
        route,
        path: route === undefined ? request.unknownPath?.() : undefined,
        status,
        ms: clock.now() - startedAt,
        isBrokenOff: response.writableFinished ? undefined : true,
        provider: outcome?.provider,
        model: outcome?.model,
        finishReason: outcome?.finishReason,
      };
      request.log.info(facts, 'request answered');
    },
  };
}

/** Records every request that comes through Fastify. */
export function installRequestLog(server: FastifyInstance, deps: RequestLogDeps): void {
  server.decorateRequest(RECORD, null);
  server.addHook('onRequest', (request, reply, done) => {
    const record = beginRecord(deps, {
      id: request.id,
      method: request.method,
      route: () => request.routeOptions.url,
      unknownPath: () => toLoggedPath(request.originalUrl),
      response: reply.raw,
      log: request.log,
    });
    request.setDecorator<RequestRecord>(RECORD, record);
    reply.raw.once('close', record.end);
    record.run(done);
  });
  // The reading of a body goes on where the socket is, which is a part of nothing.
  server.addHook('preValidation', (request, _reply, done) => getRecord(request).run(done));
}

/** Returns the record of a request that came through Fastify; undefined where Fastify could not route it. */
export function findRecord(request: FastifyRequest): RequestRecord | undefined {
  return request.getDecorator<RequestRecord | null>(RECORD) ?? undefined;
}

const MAX_PATH_CHARACTERS = 200;

/** Only paths of the generation API: others may hold the ids of files. */
function toLoggedPath(url: string): string | undefined {
  const path = toPath(url);
  return isGenerationPath(path) ? path.slice(0, MAX_PATH_CHARACTERS) : undefined;
}

/** The record of a request that came through Fastify. */
export function getRecord(request: FastifyRequest): RequestRecord {
  return request.getDecorator<RequestRecord>(RECORD);
}

const RECORD = 'record';

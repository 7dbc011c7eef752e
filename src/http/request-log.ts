import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
}

/** A completion, a stream whose outcome grows, or pictures. */
interface Answered {
  readonly outcome: Pick<ChatOutcome, 'provider' | 'model' | 'finishReason'>;
}

interface RequestLogDeps {
  readonly clock: Clock;
  readonly observer?: Observer | undefined;
  readonly logContext?: LogContext | undefined;
}

const RECORD = 'record';

/** Logs one line for each request at its end, without body and headers. The observer sees the same as an `http request`. */
export function installRequestLog(server: FastifyInstance, deps: RequestLogDeps): void {
  server.decorateRequest(RECORD, null);
  server.addHook('onRequest', (request, reply, done) => {
    const record = beginRecord(deps, request, reply);
    request.setDecorator<RequestRecord>(RECORD, record);
    record.run(done);
  });
  // The reading of a body goes on where the socket is, which is a part of nothing.
  server.addHook('preValidation', (request, _reply, done) => getRecord(request).run(done));
}

/** The record of a request that was routed. */
export function getRecord(request: FastifyRequest): RequestRecord {
  return request.getDecorator<RequestRecord>(RECORD);
}

/** Returns the record of a request; undefined where Fastify could not route it. */
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
  const work = observer.begin('http request', { method, requestId });
  let answered: Answered | undefined;
  let isOmitted = false;
  response.once('close', () => {
    // The route, never the path: paths may hold the ids of files.
    const route = request.routeOptions.url;
    const status = response.statusCode;
    work.note({ route, status });
    work.end();
    if (isOmitted) return;
    const facts = {
      method,
      route,
      path: route === undefined ? toLoggedPath(request.originalUrl) : undefined,
      status,
      ms: clock.now() - startedAt,
      isBrokenOff: response.writableFinished ? undefined : true,
      provider: answered?.outcome.provider,
      model: answered?.outcome.model,
      finishReason: answered?.outcome.finishReason,
    };
    request.log.info(facts, 'request answered');
  });
  return {
    run: (action) => work.run(() => (logContext ? logContext.run({ requestId }, action) : action())),
    noteAnswered(by) {
      answered = by;
    },
    omit() {
      isOmitted = true;
    },
  };
}

const MAX_PATH_CHARACTERS = 200;

/** Only paths of the generation API: others may hold the ids of files. */
function toLoggedPath(url: string): string | undefined {
  const path = toPath(url);
  return isGenerationPath(path) ? path.slice(0, MAX_PATH_CHARACTERS) : undefined;
}

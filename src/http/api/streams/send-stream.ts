import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerStream, Printed, StreamDialect } from '../../../protocols/stream/stream-dialect.ts';
import { ClientGoneError } from '../../server/connections/in-flight-requests.ts';
import { withClientFields } from '../../server/errors/client-fields.ts';
import { toErrorFacts } from '../../server/errors/error-response.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { type EventStream, keepAwake, PING_INTERVAL_MS, startEventStream } from './event-stream.ts';

/**
 * Sends a stream as server-sent events. The status is delayed until the stream has opened, so that earlier failures get
 * their own status. After `PING_INTERVAL_MS` the response starts with pings anyway, because proxies time out responses
 * without headers.
 * @throws the error of `opening` if the response has not started.
 */
export async function sendStream<Event, Stream extends AnswerStream<Event>>(
  opening: Promise<Stream>,
  { createPrinter, printError, ping }: StreamDialect<Event, Stream>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { clock }: HttpServices,
): Promise<void> {
  let events: EventStream | undefined;
  let stopPings = () => {};
  const startPings = (started: EventStream) => keepAwake(started, clock, ping);
  const beginEvents = () => {
    events = startEventStream(reply, clock);
    stopPings = startPings(events);
    return events;
  };
  const cancelBeginning = clock.setTimer(PING_INTERVAL_MS, () =>
    beginEvents()
      .write(ping)
      ?.catch(() => {}),
  );
  try {
    const stream = await opening;
    cancelBeginning();
    getRecord(request).markAnswered(stream.outcome);
    const answer = events ?? beginEvents();
    const printer = createPrinter(stream);
    for await (const event of stream) {
      const printed = printer.print(event);
      if (typeof printed !== 'string') {
        // A ping must not come in the middle of an event.
        stopPings();
        await writeParts(answer, printed);
        stopPings = startPings(answer);
      } else if (printed !== '') await answer.write(printed);
    }
    const last = await printer.end();
    stopPings();
    await end(answer, last);
  } catch (error) {
    cancelBeginning();
    if (error instanceof ClientGoneError) return;
    if (!events) throw error;
    request.log.warn({ err: error }, 'a stream was interrupted');
    getRecord(request).markIncomplete();
    stopPings();
    await end(events, printError(toErrorFacts(withClientFields(error, request.url)))).catch(() => {});
  } finally {
    stopPings();
  }
}

async function end(events: EventStream, printed: Printed): Promise<void> {
  if (typeof printed === 'string') return events.end(printed);
  await writeParts(events, printed);
  events.end();
}

/** Length of a part in characters after which the event loop runs. */
const LONG_PART = 16 * 1024;

/** Writes no faster than the client reads. The event loop runs between the parts. */
async function writeParts(events: EventStream, parts: Iterable<string>): Promise<void> {
  for (const part of parts) {
    if (part !== '') await events.write(part);
    if (part.length >= LONG_PART) await yieldToEventLoop();
  }
}

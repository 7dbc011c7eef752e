import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SPEECH_MEDIA_TYPES, type SpeechStream } from '../../../core/models/index.ts';
import { SPEECH_EVENTS, toAnswerStream } from '../../../protocols/openai-media/speech-answer.ts';
import { speechSchema, toSpeechOptions } from '../../../protocols/openai-media/speech-request.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { awaitDrain } from '../../server/connections/await-drain.ts';
import { ClientGoneError } from '../../server/connections/in-flight-requests.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { sendStream } from '../streams/send-stream.ts';

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Read a text aloud',
  description: "OpenAI's protocol. Fields that are not listed here are passed to the provider.",
  security: [{ 'api-key': [] }],
  body: speechSchema.meta({ examples: [{ model: 'demo-speech', input: 'Hello!', voice: 'alloy' }] }),
  response: {
    200: describeResponse('The file as it is spoken, or with `stream_format: sse` its parts.', {
      ...Object.fromEntries(Object.values(SPEECH_MEDIA_TYPES).map((type) => [type, 'The file.'])),
      'text/event-stream': '`data: {speech.audio.delta}`, one after the other, then `data: {speech.audio.done}`.',
    }),
    ...REFUSALS,
    ...FAILURES,
    ...TIMEOUT,
  },
};

/** Adds `POST /ai/openai/audio/speech`. The bytes are sent as they come from the provider. */
export function addSpeech(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/openai/audio/speech', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const { params, isEvents } = toSpeechOptions(await parseJsonBody(request.body));
    const opening = services.audio.speak(requester, params, signal);
    if (isEvents) await sendStream(opening.then(toAnswerStream), SPEECH_EVENTS, { request, reply }, services);
    else await sendFile(await opening, { request, reply }, services);
    return reply;
  });
}

/** Sends the bytes. A file that breaks off ends with the connection, because its headers are sent. */
async function sendFile(
  speech: SpeechStream,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { clock }: HttpServices,
): Promise<void> {
  getRecord(request).markAnswered(speech);
  const response = reply.hijack().raw.writeHead(200, { 'content-type': speech.mediaType });
  try {
    for await (const chunk of speech.chunks) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await awaitDrain(response, clock);
    }
    response.end();
  } catch (error) {
    if (!(error instanceof ClientGoneError)) request.log.warn({ err: error }, 'a sound file was interrupted');
    response.destroy();
  }
}

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { invalidRequest } from '../../../protocols/http-error.ts';
import { printTranscript, TRANSCRIPT_EVENTS } from '../../../protocols/openai-media/transcription-answer.ts';
import {
  type TranscriptionOptions,
  toTranscriptionOptions,
  transcriptionFormSchema,
} from '../../../protocols/openai-media/transcription-request.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { describeError, FAILURES, REFUSALS, TIMEOUT } from '../requests/documented-errors.ts';
import type { FormLimits } from '../requests/form-limits.ts';
import { findForm } from '../requests/forms.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { sendStream } from '../streams/send-stream.ts';

const MIB = 1024 * 1024;
/** Beside the file there may be samples of voices, as fields. */
const LIMITS: FormLimits = { maxFiles: 1, maxFileBytes: 25 * MIB, maxBytes: 30 * MIB };

const transcriptSchema = z.looseObject({ text: z.string() }).meta({ id: 'Transcript' });

const COMMON = {
  tags: ['OpenAI'],
  security: [{ 'api-key': [] }],
  consumes: ['multipart/form-data'],
};
const ERRORS = {
  ...REFUSALS,
  413: describeError('The file is larger than 25 MiB, or the form than 30 MiB: `request_too_large`.'),
  415: describeError('The body is not a form: `unsupported_media_type`.'),
  ...FAILURES,
  ...TIMEOUT,
};
const WHOLE = {
  'application/json': transcriptSchema,
  'text/plain': 'The text or the subtitles, as `response_format` says.',
};

const TRANSCRIPTIONS = {
  ...COMMON,
  summary: 'Transcribe a recording',
  description:
    "OpenAI's protocol: a form. Fields that are not listed here (`timestamp_granularities[]`, `include[]`, …) are passed to the provider.",
  body: transcriptionFormSchema,
  response: {
    200: describeResponse('The transcript, or with `stream` its parts.', {
      ...WHOLE,
      'text/event-stream': '`data: {transcript.text.delta}`, one after the other, then `data: {transcript.text.done}`.',
    }),
    ...ERRORS,
  },
};

const TRANSLATIONS = {
  ...COMMON,
  summary: 'Translate a recording to English',
  description: "OpenAI's protocol: a form as for transcriptions, without streaming.",
  body: transcriptionFormSchema.omit({ stream: true }),
  response: { 200: describeResponse('The translation.', WHOLE), ...ERRORS },
};

/** Adds `POST /ai/openai/audio/transcriptions` and `POST /ai/openai/audio/translations`. */
export function addTranscriptions(server: FastifyInstance, services: HttpServices): void {
  const config = { form: LIMITS };
  server.post('/ai/openai/audio/transcriptions', { schema: TRANSCRIPTIONS, config }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const { params, format, isStream } = toTranscriptionOptions(findForm(request));
    if (isStream) {
      const opening = services.audio.streamTranscript(requester, params, signal);
      await sendStream(opening, TRANSCRIPT_EVENTS, { request, reply }, services);
      return reply;
    }
    const transcript = await services.audio.transcribe(requester, params, signal);
    getRecord(request).markAnswered(transcript);
    return reply.type(toMediaType(format)).send(printTranscript(transcript, format));
  });
  server.post('/ai/openai/audio/translations', { schema: TRANSLATIONS, config }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const { params, format, isStream } = toTranscriptionOptions(findForm(request));
    if (isStream) throw invalidRequest("'stream' must not be true: translations are not streamed.", 'stream');
    const transcript = await services.audio.transcribe(requester, { ...params, task: 'translate' }, signal);
    getRecord(request).markAnswered(transcript);
    return reply.type(toMediaType(format)).send(printTranscript(transcript, format));
  });
}

function toMediaType(format: TranscriptionOptions['format']): string {
  return format.endsWith('json') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
}

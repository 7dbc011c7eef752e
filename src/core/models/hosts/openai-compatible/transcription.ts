import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { encodeForm, type FormPart } from '../../../../protocols/openai-media/encode-form.ts';
import {
  createTranscriptReader,
  readTranscriptText,
  readTranscriptUse,
} from '../../../../protocols/openai-media/transcription-answer.ts';
import { printTranscriptionRequest } from '../../../../protocols/openai-media/transcription-request.ts';
import { createOutcome } from '../../contract/chat-outcome.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { Transcript, TranscriptionModel, TranscriptionRequest } from '../../contract/transcription-model.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { toStream } from '../stream/completion-stream.ts';
import { openEventStream } from '../stream/event-stream.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const PATHS = { transcribe: 'transcriptions', translate: 'translations' } as const;

/**
 * Creates speech-to-text models for OpenAI's `/audio/transcriptions` and `/audio/translations` and compatible Whisper
 * servers.
 */
export function createTranscription(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl, apiKeys }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl' | 'apiKeys'>,
): TranscriptionModel {
  const open = (request: TranscriptionRequest, signal: AbortSignal, further: readonly FormPart[] = []) => {
    const { model, task = 'transcribe' } = request;
    const { contentType, body } = encodeForm([...printTranscriptionRequest(request), ...further]);
    const accept = further.length > 0 ? 'text/event-stream, application/json' : 'application/json, text/*';
    const url = `${withoutTrailingSlashes(baseUrl)}/audio/${PATHS[task]}`;
    const headers = { accept, 'content-type': contentType };
    return endpoint.open({ method: 'POST', url, headers, body, model, startMs: endpoint.timeouts.totalMs }, signal);
  };

  const readTranscript = async (
    http: HttpResponse,
    { model, format = 'json' }: TranscriptionRequest,
    signal: AbortSignal,
  ): Promise<Transcript> => {
    try {
      const native = await http.readAll(MAX_ANSWER_BYTES);
      const body = native.toString('utf8');
      const parsed = await readJson(native);
      const text = readTranscriptText(body, parsed, format);
      if (text !== undefined) return { text, native, ...readTranscriptUse(parsed), provider: name, model };
    } catch (error) {
      throw endpoint.toError(error, signal);
    } finally {
      http.close();
    }
    throw new ProviderUnavailableError(name, `${name} sent something that is not a transcript`, { isBadAnswer: true });
  };

  return {
    transcribe: async (request, signal) => readTranscript(await open(request, signal), request, signal),
    async stream(request, signal) {
      const http = await open(request, signal, [{ field: 'stream', text: 'true' }]);
      const outcome = createOutcome(name, request.model);
      if (/event-stream/i.test(http.headers['content-type'] ?? '')) {
        const reader = createTranscriptReader();
        const toError = (error: unknown, isUnderWay: boolean) => endpoint.toError(error, signal, isUnderWay);
        const answer = { provider: name, dialect: 'transcriptions', outcome, reader } as const;
        return openEventStream(http, { ...answer, secrets: apiKeys, signal, toError });
      }
      // Whisper models don't stream.
      const { text, usage } = await readTranscript(http, request, signal);
      outcome.usage = usage;
      return toStream({ choices: [{ text, toolCalls: [], finishReason: 'stop' }], outcome });
    },
  };
}

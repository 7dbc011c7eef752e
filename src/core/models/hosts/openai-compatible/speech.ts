import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { printJson } from '../../../../lib/json/large-json.ts';
import { isJsonAnswer, readMediaType } from '../../../../protocols/openai-media/speech-answer.ts';
import { printSpeechRequest } from '../../../../protocols/openai-media/speech-request.ts';
import { ProviderStreamError, ProviderUnavailableError } from '../../contract/model-errors.ts';
import {
  SPEECH_MEDIA_TYPES,
  type SpeechFormat,
  type SpeechModel,
  type SpeechRequest,
} from '../../contract/speech-model.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Creates text-to-speech models for OpenAI's `/audio/speech` and compatible servers. The default format is `mp3`. */
export function createSpeech(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl'>,
): SpeechModel {
  const open = async (request: SpeechRequest, format: SpeechFormat, signal: AbortSignal) => {
    const { model } = request;
    return endpoint.open(
      {
        method: 'POST',
        url: `${withoutTrailingSlashes(baseUrl)}/audio/speech`,
        headers: { accept: SPEECH_MEDIA_TYPES[format], 'content-type': 'application/json' },
        body: await printJson(printSpeechRequest(request, format)),
        model,
        startMs: endpoint.timeouts.totalMs,
      },
      signal,
    );
  };

  const readFirst = async (http: HttpResponse): Promise<Buffer> => {
    const first = await http.read();
    const declared = http.headers['content-type'] ?? '';
    if (first && !isJsonAnswer(declared, first)) return first;
    throw new ProviderUnavailableError(name, `${name} sent something that is not audio`, { isBadAnswer: true });
  };

  async function* readChunks(http: HttpResponse, first: Buffer, signal: AbortSignal) {
    try {
      let sizeBytes = 0;
      for (let chunk: Buffer | undefined = first; chunk; chunk = await http.read()) {
        sizeBytes += chunk.length;
        if (sizeBytes > MAX_ANSWER_BYTES) throw new ProviderStreamError(name, `${name} sent too much audio`);
        yield chunk;
      }
    } catch (error) {
      throw endpoint.toError(error, signal, true);
    } finally {
      http.close();
    }
  }

  return {
    async speak(request, signal) {
      const { model, format = 'mp3' } = request;
      const http = await open(request, format, signal);
      try {
        const first = await readFirst(http);
        http.markStarted();
        const mediaType = readMediaType(http.headers['content-type'] ?? '', format);
        return { chunks: readChunks(http, first, signal), mediaType, provider: name, model };
      } catch (error) {
        http.close();
        throw endpoint.toError(error, signal);
      }
    },
  };
}

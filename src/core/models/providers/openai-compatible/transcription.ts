import { isJsonObject, parseJson } from '../../../../lib/json.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import { ProviderUnavailableError } from '../../model-errors.ts';
import type { TranscriptFormat, TranscriptionModel, TranscriptionRequest } from '../../transcription-model.ts';
import type { Endpoint } from './endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const PATHS = { transcribe: 'transcriptions', translate: 'translations' } as const;

/**
 * Creates speech-to-text models for OpenAI's `/audio/transcriptions` and `/audio/translations` and compatible Whisper
 * servers.
 */
export function createTranscription(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl'>,
): TranscriptionModel {
  return {
    async transcribe(request, signal) {
      const { model, task = 'transcribe', format = 'json' } = request;
      const http = await endpoint.open(
        {
          method: 'POST',
          url: `${withoutTrailingSlashes(baseUrl)}/audio/${PATHS[task]}`,
          ...(await toForm(request)),
          model,
          startMs: endpoint.timeouts.totalMs,
        },
        signal,
      );
      try {
        const native = await http.readAll(MAX_ANSWER_BYTES);
        const text = readText(native, format);
        if (text !== undefined) return { text, native, provider: name, model };
      } catch (error) {
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
      throw new ProviderUnavailableError(name, `${name} sent something that is not a transcript`, {
        isBadAnswer: true,
      });
    },
  };
}

/** Returns undefined if the answer is not a transcript in the format. */
function readText(answer: Buffer, format: TranscriptFormat): string | undefined {
  const body = answer.toString('utf8');
  const parsed = parseJson(body);
  if (format === 'json' || format === 'verbose_json')
    return isJsonObject(parsed) && typeof parsed.text === 'string' ? parsed.text.trim() : undefined;
  // Some servers return an error as JSON with status 200.
  return isJsonObject(parsed) ? undefined : body.trim();
}

async function toForm({ recording, model, language, prompt, temperature, format = 'json' }: TranscriptionRequest) {
  const { bytes, name, mediaType = 'application/octet-stream' } = recording;
  const form = new FormData();
  form.append('model', model);
  form.append('response_format', format);
  if (language !== undefined) form.append('language', language);
  if (prompt !== undefined) form.append('prompt', prompt);
  if (temperature !== undefined) form.append('temperature', String(temperature));
  form.append('file', new Blob([new Uint8Array(bytes)], { type: mediaType }), name);
  const encoded = new Response(form);
  const headers = { accept: 'application/json, text/*', 'content-type': encoded.headers.get('content-type') ?? '' };
  return { headers, body: Buffer.from(await encoded.arrayBuffer()) };
}

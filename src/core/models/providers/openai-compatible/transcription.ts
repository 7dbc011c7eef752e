import { isJsonObject, parseJson } from '../../../../lib/json.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import { ProviderUnavailableError } from '../../model-errors.ts';
import type { TranscriptFormat, TranscriptionModel, TranscriptionRequest } from '../../transcription-model.ts';
import { encodeForm } from './encode-form.ts';
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
          ...toForm(request),
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

function toForm({ recording, model, language, prompt, temperature, format = 'json' }: TranscriptionRequest) {
  const { bytes, name, mediaType = 'application/octet-stream' } = recording;
  const texts = { model, response_format: format, language, prompt, temperature };
  const { contentType, body } = encodeForm([
    ...Object.entries(texts).flatMap(([field, value]) => (value === undefined ? [] : [{ field, text: String(value) }])),
    { field: 'file', bytes, name, mediaType },
  ]);
  return { headers: { accept: 'application/json, text/*', 'content-type': contentType }, body };
}

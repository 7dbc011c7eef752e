import { isJsonObject, parseJson } from '../../../../lib/json.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import { ProviderUnavailableError } from '../../model-errors.ts';
import type { Recording, TranscriptionModel } from '../../transcription-model.ts';
import type { Endpoint } from './endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Creates a speech-to-text model for OpenAI's `/audio/transcriptions` and compatible Whisper servers. */
export function createTranscription(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl'>,
  model: string,
): TranscriptionModel {
  return {
    async transcribe(recording, signal) {
      const http = await endpoint.open(
        {
          method: 'POST',
          url: `${withoutTrailingSlashes(baseUrl)}/audio/transcriptions`,
          ...(await toForm(recording, model)),
          model,
          startMs: endpoint.timeouts.totalMs,
        },
        signal,
      );
      try {
        const answer = parseJson((await http.readAll(MAX_ANSWER_BYTES)).toString('utf8'));
        if (isJsonObject(answer) && typeof answer.text === 'string')
          return { text: answer.text.trim(), provider: name, model };
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

async function toForm({ bytes, name, mediaType }: Recording, model: string) {
  const form = new FormData();
  form.append('model', model);
  form.append('response_format', 'json');
  form.append('file', new Blob([new Uint8Array(bytes)], { type: mediaType ?? 'application/octet-stream' }), name);
  const encoded = new Response(form);
  const headers = { accept: 'application/json', 'content-type': encoded.headers.get('content-type') ?? '' };
  return { headers, body: Buffer.from(await encoded.arrayBuffer()) };
}

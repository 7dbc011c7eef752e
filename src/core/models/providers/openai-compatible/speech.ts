import { findOggSeconds } from '../../../../lib/ogg-duration.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import { ProviderUnavailableError } from '../../model-errors.ts';
import { SPEECH_MEDIA_TYPES, type SpeechModel } from '../../speech-model.ts';
import type { Endpoint } from './endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** OpenAI requires a voice; `alloy` is one of every model of theirs. */
const DEFAULT_VOICE = 'alloy';

/** Creates text-to-speech models for OpenAI's `/audio/speech` and compatible servers. The default format is `mp3`. */
export function createSpeech(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl'>,
): SpeechModel {
  return {
    async speak({ model, input, voice = DEFAULT_VOICE, format = 'mp3', speed, instructions }, signal) {
      const mediaType = SPEECH_MEDIA_TYPES[format];
      const http = await endpoint.open(
        {
          method: 'POST',
          url: `${withoutTrailingSlashes(baseUrl)}/audio/speech`,
          headers: { accept: mediaType, 'content-type': 'application/json' },
          body: JSON.stringify({ model, input, voice, response_format: format, speed, instructions }),
          model,
          startMs: endpoint.timeouts.totalMs,
        },
        signal,
      );
      try {
        const bytes = await http.readAll(MAX_ANSWER_BYTES);
        if (bytes.length > 0 && !isJson(http.headers['content-type'], bytes))
          return { bytes, mediaType, durationSeconds: findOggSeconds(bytes), provider: name, model };
      } catch (error) {
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
      throw new ProviderUnavailableError(name, `${name} sent something that is not audio`, { isBadAnswer: true });
    },
  };
}

const OPENING_BRACE = '{'.charCodeAt(0);

/** Some servers return an error as JSON with status 200; `pcm` may begin with any byte. */
function isJson(contentType: string | undefined, bytes: Buffer): boolean {
  const declared = contentType ?? '';
  return /json/i.test(declared) || (bytes[0] === OPENING_BRACE && !/^audio\//i.test(declared));
}

import { findOggSeconds } from '../../../../lib/ogg-duration.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import { ProviderUnavailableError } from '../../model-errors.ts';
import type { SpeechModel } from '../../speech-model.ts';
import type { Endpoint } from './endpoint.ts';
import type { OpenAiCompatibleConfig, SpeechConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 20 * 1024 * 1024;

/**
 * Formats that Telegram plays as voice messages (Bot API, sendVoice) and hosts can send. `aac` of hosts is raw ADTS,
 * which Telegram does not play.
 */
const MEDIA_TYPES = { opus: 'audio/ogg', mp3: 'audio/mpeg' } as const;

/** Creates a text-to-speech model for OpenAI's `/audio/speech` and compatible servers. */
export function createSpeech(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl'>,
  { model, voice = 'alloy', format = 'opus' }: SpeechConfig,
): SpeechModel {
  const mediaType = MEDIA_TYPES[format];
  return {
    async speak(words, signal) {
      const http = await endpoint.open(
        {
          method: 'POST',
          url: `${withoutTrailingSlashes(baseUrl)}/audio/speech`,
          headers: { accept: mediaType, 'content-type': 'application/json' },
          body: JSON.stringify({ model, input: words, voice, response_format: format }),
          model,
          startMs: endpoint.timeouts.totalMs,
        },
        signal,
      );
      try {
        const bytes = await http.readAll(MAX_ANSWER_BYTES);
        // Some servers return an error as JSON with status 200.
        if (bytes.length > 0 && bytes[0] !== OPENING_BRACE)
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

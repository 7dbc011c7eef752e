import { ProviderRejectedError, SPEECH_MEDIA_TYPES, type SpeechModel } from '../src/core/models/index.ts';
import { type Clock, sleep } from '../src/lib/clock.ts';
import { toWavFile } from '../src/lib/formats/wav.ts';

export const DEMO_SPEECH_MODEL = 'demo-speech';

const SPEAKING_MS = 1200;
const SAMPLES_PER_SECOND = 8000;
/** Limits the length of the sound. */
const MAX_WORDS = 40;
const LOUDNESS = 45;

/**
 * Creates a model that hums a short tone for each word, so that voice answers can be tried without a provider. It knows
 * one format, `wav`, and ignores voice, speed and instructions.
 */
export function createDemoSpeech(
  { clock }: { readonly clock: Clock },
  { provider }: { readonly provider: string },
): SpeechModel {
  return {
    async speak({ input, format = 'wav' }, signal) {
      if (format !== 'wav') {
        throw new ProviderRejectedError(provider, 400, {
          message: `The demonstration speaks in the format 'wav' only, not '${format}'`,
          param: 'response_format',
          code: 'unsupported_format',
        });
      }
      await sleep(clock, SPEAKING_MS, signal);
      const tones = (input.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS).map(toTone);
      const sound = Buffer.concat(tones);
      return {
        chunks: toIterable(toWavFile(sound, SAMPLES_PER_SECOND)),
        mediaType: SPEECH_MEDIA_TYPES.wav,
        durationSeconds: Math.max(1, Math.round(sound.length / SAMPLES_PER_SECOND)),
        provider,
        model: DEMO_SPEECH_MODEL,
        isDemonstration: true,
      };
    },
  };
}

async function* toIterable(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Returns 8-bit samples; 128 is silence. Fades in and out to avoid clicks. */
function toTone(word: string): Buffer {
  const sampleCount = SAMPLES_PER_SECOND * Math.min(0.12 + 0.03 * word.length, 0.4);
  const letters = [...word].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  const hertz = 220 * 2 ** ((letters % 12) / 12);
  const pause = Buffer.alloc(SAMPLES_PER_SECOND * 0.06, 128);
  const tone = Buffer.from(
    Array.from({ length: Math.floor(sampleCount) }, (_, at) => {
      const swell = Math.sin((Math.PI * at) / sampleCount);
      return 128 + Math.round(LOUDNESS * swell * Math.sin((2 * Math.PI * hertz * at) / SAMPLES_PER_SECOND));
    }),
  );
  return Buffer.concat([tone, pause]);
}

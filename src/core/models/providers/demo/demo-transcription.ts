import { type Clock, sleep } from '../../../../lib/clock.ts';
import type { TranscriptionModel } from '../../transcription-model.ts';

export const DEMO_TRANSCRIPTION_MODEL = 'demo-transcription';

const LISTENING_MS = 800;
const BYTES_PER_KIB = 1024;

/**
 * Creates a model whose transcript says that this is a demonstration, so that voice messages can be tried without a
 * provider.
 */
export function createDemoTranscription(
  { clock }: { readonly clock: Clock },
  { provider }: { readonly provider: string },
): TranscriptionModel {
  return {
    async transcribe({ recording: { bytes } }, signal) {
      await sleep(clock, LISTENING_MS, signal);
      const size = Math.max(1, Math.round(bytes.length / BYTES_PER_KIB));
      const text = `This is a demonstration without speech recognition. A real model would write here what was said in your recording of ${size} KiB.`;
      return { text, provider, model: DEMO_TRANSCRIPTION_MODEL };
    },
  };
}

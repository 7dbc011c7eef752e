import {
  createOutcome,
  ProviderRejectedError,
  type TranscriptionModel,
  type TranscriptionRequest,
} from '../src/core/models/index.ts';
import { type Clock, sleep } from '../src/lib/clock.ts';

export const DEMO_TRANSCRIPTION_MODEL = 'demo-transcription';

const LISTENING_MS = 800;
const WORD_MS = 20;
const BYTES_PER_KIB = 1024;

/**
 * Creates a model whose transcript says that this is a demonstration, so that voice messages can be tried without a
 * provider. It knows no times and speakers: its only format is `json`.
 */
export function createDemoTranscription(
  { clock }: { readonly clock: Clock },
  { provider }: { readonly provider: string },
): TranscriptionModel {
  const write = async (request: TranscriptionRequest, signal: AbortSignal): Promise<string> => {
    requireJson(provider, request);
    await sleep(clock, LISTENING_MS, signal);
    const size = Math.max(1, Math.round(request.recording.bytes.length / BYTES_PER_KIB));
    return `This is a demonstration without speech recognition. A real model would write here what was said in your recording of ${size} KiB.`;
  };
  return {
    async transcribe(request, signal) {
      return { text: await write(request, signal), provider, model: DEMO_TRANSCRIPTION_MODEL };
    },
    async stream(request, signal) {
      const words = (await write(request, signal)).split(/(?<= )/);
      const outcome = createOutcome(provider, DEMO_TRANSCRIPTION_MODEL);
      return {
        outcome,
        async *[Symbol.asyncIterator]() {
          for (const text of words) {
            yield { parts: [{ type: 'text-delta', choice: 0, text }] };
            await sleep(clock, WORD_MS, signal);
          }
          outcome.finishReason = 'stop';
          yield { parts: [{ type: 'finish', choice: 0, reason: 'stop' }] };
        },
      };
    },
  };
}

function requireJson(provider: string, { format = 'json' }: TranscriptionRequest): void {
  if (format === 'json') return;
  throw new ProviderRejectedError(provider, 400, {
    message: `The demonstration writes the formats 'json' and 'text' only, not '${format}'`,
    param: 'response_format',
    code: 'unsupported_format',
  });
}

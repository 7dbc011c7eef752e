import type { BotServices } from '../kit/services.ts';
import type { InputCapabilities } from '../texts/locales.ts';

/** Returns which speech capabilities are available. */
export function toInputCapabilities({ transcription, speech }: BotServices): InputCapabilities {
  return { hasSpeechToText: transcription.isAvailable(), hasTextToSpeech: speech.isAvailable() };
}

import type { BotDeps } from '../framework/bot-deps.ts';
import type { InputCapabilities } from '../texts/locales.ts';

/** Returns which speech capabilities are available. */
export function toInputCapabilities({
  transcription,
  speech,
}: Pick<BotDeps, 'transcription' | 'speech'>): InputCapabilities {
  return { hasSpeechToText: transcription.isAvailable(), hasTextToSpeech: speech.isAvailable() };
}

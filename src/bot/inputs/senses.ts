import type { BotDeps } from '../framework/bot-deps.ts';
import type { Senses } from '../texts/locales.ts';

/** Returns the available capabilities of connected models for speech. */
export function toSenses({ transcription, speech }: Pick<BotDeps, 'transcription' | 'speech'>): Senses {
  return { listens: transcription.isAvailable(), speaks: speech.isAvailable() };
}

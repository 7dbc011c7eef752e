import type { BotDeps } from '../framework/bot-deps.ts';
import type { Senses } from '../texts/locales.ts';

/** Returns which speech capabilities are available. */
export function toSenses({ transcription, speech }: Pick<BotDeps, 'transcription' | 'speech'>): Senses {
  return { listens: transcription.isAvailable(), speaks: speech.isAvailable() };
}

import type { BotDeps } from '../framework/bot-deps.ts';
import type { Senses } from '../texts/locales.ts';

/** Returns the capabilities that are available besides text. */
export function toSenses({ transcription, speech }: Pick<BotDeps, 'transcription' | 'speech'>): Senses {
  return { listens: transcription.isAvailable(), speaks: speech.isAvailable() };
}

import type { BotDeps } from '../framework/bot-deps.ts';
import type { Senses } from '../texts/locales.ts';

/** What the bot can do now beside reading and writing. */
export function toSenses({ transcription, speech }: Pick<BotDeps, 'transcription' | 'speech'>): Senses {
  return { listens: transcription.isAvailable(), speaks: speech.isAvailable() };
}

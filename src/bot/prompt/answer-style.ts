import type { User } from '../../core/accounts/index.ts';

/** A user's choices about the style of answers. */
export type Creativity = NonNullable<User['settings']['creativity']>;
export type AnswerLength = NonNullable<User['settings']['answerLength']>;

/** Temperatures that every provider accepts: the maximum of some is 1. */
export const TEMPERATURES: Readonly<Record<Creativity, number>> = { precise: 0.2, balanced: 0.6, creative: 1 };

/** Instructions about the length of answers. */
export const LENGTH_INSTRUCTIONS: Readonly<Record<AnswerLength, string>> = {
  short: 'Keep your answers short: a few sentences, without introduction and summary, unless the user asks for more.',
  detailed: 'Answer in detail: give reasons, examples and what follows from it, in sections where that helps reading.',
};

/** OpenAI's reasoning models accept only their default temperature. */
const WITHOUT_TEMPERATURE = /(?:^|\/)(?:o\d|gpt-5)(?!.{0,100}chat)/;

/** Returns false for models known to refuse a temperature. For others, a refused request is repeated without it. */
export function takesTemperature(modelName: string): boolean {
  return !WITHOUT_TEMPERATURE.test(modelName.toLowerCase());
}

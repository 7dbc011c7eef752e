import type { User } from '../../core/accounts/index.ts';

/** What a person chose about how models answer. */
export type Creativity = NonNullable<User['settings']['creativity']>;
export type AnswerLength = NonNullable<User['settings']['answerLength']>;

/** Temperatures that every provider takes: some have 1 as the highest. */
export const TEMPERATURES: Readonly<Record<Creativity, number>> = { precise: 0.2, balanced: 0.6, creative: 1 };

/** What a model is told about the length of its answers. */
export const LENGTH_INSTRUCTIONS: Readonly<Record<AnswerLength, string>> = {
  short: 'Keep your answers short: a few sentences, without introduction and summary, unless the person asks for more.',
  detailed: 'Answer in detail: give reasons, examples and what follows from it, in sections where that helps reading.',
};

/** OpenAI's reasoning models take no temperature but their own. */
const WITHOUT_TEMPERATURE = /(?:^|\/)(?:o\d|gpt-5)(?!.{0,100}chat)/;

/** Whether a model is known to refuse a temperature. Others are asked again without. */
export function takesTemperature(modelName: string): boolean {
  return !WITHOUT_TEMPERATURE.test(modelName.toLowerCase());
}

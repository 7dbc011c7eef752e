import { defineTexts } from '../../texts/define-texts.ts';
import { pluralOf } from '../../texts/plural.ts';
import type { BotJobKind } from '../kit/feature.ts';
import type { Answer } from './answer.ts';
import type { AnswerRequest } from './queue.ts';
import { resumeAnswers } from './recovery.ts';

const texts = defineTexts({
  en: { stopped: (count: number) => pluralOf('en', count, { one: 'answer', other: 'answers' }) },
  ru: { stopped: (count) => pluralOf('ru', count, { one: 'ответ', few: 'ответа', other: 'ответов' }) },
});

/** Answers being written: one at a time in a topic, or those of several models to one question. */
export const answerKind: BotJobKind<AnswerRequest<Answer>> = {
  name: 'answer',
  // The queue of a topic limits them before they are recorded; recorded ones always get in.
  maxJobs: Number.POSITIVE_INFINITY,
  maxUserJobs: Number.POSITIVE_INFINITY,
  recordsSends: true,
  recover: resumeAnswers,
  drop: ({ answers }, { answer }) => answers.drop(answer),
  describeStopped: (count, locale) => texts[locale].stopped(count),
};

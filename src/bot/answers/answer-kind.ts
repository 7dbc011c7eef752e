import { defineTexts } from '../../texts/define-texts.ts';
import { pluralOf } from '../../texts/plural.ts';
import type { BotJobKind } from '../kit/feature.ts';
import { resumeAnswers } from './interrupted-answers.ts';

const texts = defineTexts({
  en: { stopped: (count: number) => pluralOf('en', count, { one: 'answer', other: 'answers' }) },
  ru: { stopped: (count) => pluralOf('ru', count, { one: 'ответ', few: 'ответа', other: 'ответов' }) },
});

/** Answers being written: one at a time in a topic. */
export const answerKind: BotJobKind = {
  name: 'answer',
  // All are in the queue, which limits them by topic.
  maxJobs: 0,
  maxUserJobs: 0,
  queue: ({ answers }) => answers,
  recover: resumeAnswers,
  describeStopped: (count, locale) => texts[locale].stopped(count),
};

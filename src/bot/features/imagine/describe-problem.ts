import { ASPECT_RATIOS } from '../../../core/images/index.ts';
import type { ModelEntry } from '../../../core/models/index.ts';
import type { Texts } from '../../texts/locales.ts';
import { type ImagineProblem, MAX_PROMPT } from './parse-imagine.ts';

/** Names that a sentence may list. */
const MAX_NAMES = 10;

/** What is wrong with the words after `/imagine`, and what is possible. */
export function describeProblem(texts: Texts, problem: ImagineProblem): string {
  const { wrong } = texts.imagine;
  switch (problem.kind) {
    case 'flag':
      return wrong.flag(problem.value);
    case 'ratio':
      return wrong.ratio(problem.value, ASPECT_RATIOS.join(', '));
    case 'model':
      return wrong.model;
    case 'count':
      return wrong.count(problem.value);
    case 'seed':
      return wrong.seed(problem.value);
    case 'length':
      return wrong.tooLong(problem.length, MAX_PROMPT);
  }
}

/** Why a written name means no model: it fits none or several. */
export function describeUnknownModel(
  texts: Texts,
  name: string,
  found: readonly ModelEntry[],
  all: readonly ModelEntry[],
): string {
  const { wrong } = texts.imagine;
  return found.length > 0 ? wrong.severalModels(name, toNames(found)) : wrong.noSuchModel(name, toNames(all));
}

function toNames(models: readonly ModelEntry[]): string {
  const names = models.slice(0, MAX_NAMES).map(({ id }) => id);
  return [...names, ...(models.length > MAX_NAMES ? ['…'] : [])].join(', ');
}

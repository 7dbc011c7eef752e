import type { ModelEntry } from './catalogue.ts';

/** Names of models that search the web by themselves: those of Perplexity, Groq's systems, OpenRouter's and OpenAI's variants. */
const OWN_SEARCH = /(?:^|\/)(?:sonar|compound|perplexity)(?:-|$)|:online$|-search(?:-|$)|-deep-research(?:-|$)/i;

/** Returns whether the provider of a model searches the web for it. */
export function hasOwnWebSearch({ targets }: Pick<ModelEntry, 'targets'>): boolean {
  return targets.some(({ model }) => OWN_SEARCH.test(model));
}

import { expect, it } from 'vitest';
import { hasOwnWebSearch } from '../../../../src/core/models/index.ts';

const searches = (model: string) => hasOwnWebSearch({ targets: [{ provider: 'any', model }] });

it.each([
  'sonar',
  'perplexity/sonar-pro',
  'groq/compound-mini',
  'openai/gpt-5:online',
  'gpt-4o-search-preview',
  'o4-mini-deep-research',
])('%s searches the web by itself', (model) => expect(searches(model)).toBe(true));

it.each(['gpt-5', 'llama-3.3-70b', 'sonarqube-7b', 'research-7b', 'compounds/qwen3'])('%s does not', (model) =>
  expect(searches(model)).toBe(false),
);

import { expect, it } from 'vitest';
import { createConfig, findRisks } from '../../../src/config/index.ts';

it.each<[string, Record<string, string>, boolean]>([
  ['https without trusted proxies', { PUBLIC_URL: 'https://ai.example.com' }, true],
  ['https behind a trusted proxy', { PUBLIC_URL: 'https://ai.example.com', TRUSTED_PROXIES: 'private' }, false],
  ['http', { PUBLIC_URL: 'http://ai.example.com' }, false],
  ['no public address', {}, false],
])('a start warns about clients that share one address: %s', (_case, settings, isRisky) => {
  const risks = findRisks(createConfig(settings, []));
  expect(risks).toEqual(isRisky ? [expect.stringMatching(/Set TRUSTED_PROXIES to/)] : []);
});

import { expect, test } from 'vitest';
import { readSettings } from '../../src/app/read-settings.ts';
import type { SettingId } from '../../src/core/stored-settings/index.ts';

test('a stored provider whose reading throws is left out with the reason, and the others are in force', async () => {
  let nested: unknown = 'key';
  for (let depth = 0; depth < 20_000; depth += 1) nested = [nested];
  const good = { base_url: 'https://good.example.com/v1', api_keys: ['sk-0123456789'], models: ['a'] };
  const values = new Map<SettingId, unknown>([
    ['provider:nested', { ...good, api_keys: nested }],
    ['provider:text', 'base_url: ['],
    ['provider:good', good],
  ]);
  const { models, leftOut } = await readSettings({ values: {}, fileNames: [] }, { values, unreadable: [] });
  expect(models.providers.map(({ name }) => name)).toEqual(['good']);
  expect([...leftOut.keys()]).toEqual(['provider:nested', 'provider:text']);
  expect(leftOut.get('provider:nested')).toMatch(/can't be read/);
});

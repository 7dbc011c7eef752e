import { expect, test } from 'vitest';
import { fillForm, SETTING_FORMS } from '../../../src/app/setting-forms.ts';
import { texts } from '../../../src/console/pages/administration/service-settings/field-texts.ts';
import {
  assignProblems,
  type Draft,
  type FormField,
  listPaths,
  toDraft,
  toValue,
} from '../../../src/console/pages/administration/service-settings/form-values.ts';
import { summarizeEntry } from '../../../src/console/pages/administration/service-settings/summarize-entry.ts';
import { stringifyYaml } from '../../../src/core/models/index.ts';
import type { FormField as CoreField, SettingKind } from '../../../src/core/stored-settings/index.ts';
import { toGivenValue } from '../../../src/http/management/settings-fields.ts';

const toField = (field: CoreField): FormField => ({
  ...{ path: field.path, type: field.type, secret: field.isSecret, main: field.isMain },
  ...{ unless: field.unless ?? null, options: field.options ? [...field.options] : null },
  fields: field.fields?.map(toField) ?? null,
});
const open = (kind: SettingKind, value: unknown) => {
  const filled = fillForm(kind, value);
  const fields = SETTING_FORMS.find(({ name }) => name === filled?.name)?.fields.map(toField) ?? [];
  return { fields, draft: toDraft(fields, filled?.value), rest: filled?.rest };
};
const write = (draft: Draft, path: string, text: string): Draft => ({
  ...draft,
  texts: { ...draft.texts, [path]: text },
});

test.each([
  ['provider', { preset: 'groq', api_keys: ['[stored]', '[stored]'], headers: { 'x-a': 'b: c' } }, {}],
  ['provider', { base_url: 'https://a/v1', models: ['*', { id: 'big', pdf: false, price: { image: 0.5 } }] }, {}],
  [
    'provider',
    { base_url: 'https://a/v1', timeouts: { idle_ms: 5, of_the_next_version: 1 }, parameters: { a: [1] } },
    {
      timeouts: { of_the_next_version: 1 },
      parameters: { a: [1] },
    },
  ],
  ['provider', { base_url: 'https://a/v1', models: [{ id: 'big', of_the_next_version: { a: 1 } }] }, {}],
  ['provider', { base_url: 'https://a/v1', models: [{ id: 'big', price: { image: { low: 0.1, high: 0.4 } } }] }, {}],
  ['alias', ['groq/one', 'two'], {}],
  ['plan', { user: { dollars_per_day: 0.5 }, raise_by_dollars: [1, 2.5], tasks: { active: 0 } }, {}],
  ['plan', { user: { tokens_per_day: 'many' } }, { user: { tokens_per_day: 'many' } }],
  ['budget', { dollars_per_month: 50, allows_unpriced_models: true }, {}],
  [
    'tool',
    { mcp: 'https://a/mcp', headers: { authorization: '[stored]' }, ask: { send: true } },
    { ask: { send: true } },
  ],
  [
    'tool',
    { function: 'weather', url: 'https://a', description: 'x', parameters: { type: 'object' } },
    {
      parameters: { type: 'object' },
    },
  ],
] as const)('a form of a %s returns what it got: %j', (kind, value, rest) => {
  const form = open(kind, value);
  expect(form.rest).toEqual(rest);
  const given = { value: toValue(form.fields, form.draft, 'weather'), yaml: stringifyYaml(rest) };
  expect(toGivenValue(given)).toEqual(value);
});

test('empty fields are left out, with the objects around them', () => {
  const { fields, draft } = open('plan', { user: { at_once: 2 }, key: { at_once: 1 } });
  const changed = write(write(draft, 'user.at_once', ''), 'key.at_once', ' 3 ');
  expect(toValue(fields, changed, '')).toEqual({ key: { at_once: 3 } });
});

test('keys are separated by commas, and reach the service as they were pasted', () => {
  const { fields, draft } = open('provider', { preset: 'groq' });
  const keys = toValue(fields, write(draft, 'api_keys', ' " gsk-one ", gsk-two\n'), '');
  expect(keys).toEqual({ preset: 'groq', api_keys: ['" gsk-one "', 'gsk-two'] });
});

test('what is no number is sent as it is, to be refused with a reason', () => {
  const { fields, draft } = open('budget', {});
  expect(toValue(fields, write(draft, 'dollars_per_day', 'much'), '')).toEqual({ dollars_per_day: 'much' });
});

test('problems are shown at their fields', () => {
  const { fields, draft } = open('provider', { base_url: 'x', models: [{ id: 'a' }, { id: 'b' }] });
  const message = [
    'provider home: models[1].price: must have input and output',
    'provider home: base_url: must be an http:// or https:// address',
    'provider home: wieght: is not a known setting',
    'another line',
  ].join('\n');
  const { byPath, others } = assignProblems(message, 'provider home', listPaths(fields, draft));
  expect([...byPath]).toEqual([
    ['models[1].price.input', 'must have input and output'],
    ['base_url', 'must be an http:// or https:// address'],
  ]);
  expect(others).toEqual(['wieght: is not a known setting', 'another line']);
});

test.each([
  ['plan', { user: { tokens_per_day: 1000 }, key: { at_once: 2 } }, ['Each user, Tokens a day: 1000']],
  [
    'provider',
    { base_url: 'https://a/v1', api_keys: ['[stored]'], models: ['a', 'b'] },
    ['Address: https://a/v1', 'Models: 2'],
  ],
  ['alias', ['a', 'b'], ['a, b']],
] as const)('the summary of a %s has its main fields without secrets', (kind, value, summary) => {
  const filled = fillForm(kind, value);
  expect(summarizeEntry(open(kind, value).fields, filled?.value, texts.en)).toEqual(summary);
});

import { describe, expect, test } from 'vitest';
import { createCatalogue } from '../../../../src/core/models/catalogue/create-catalogue.ts';
import { restrictCatalogue } from '../../../../src/core/models/index.ts';

const chat = (id: string) => ({ id, type: 'chat' as const });
const CATALOGUE = createCatalogue(
  [
    { provider: 'openai', acceptsAnyModel: false, isListKnown: true, models: [chat('gpt-5'), chat('gpt-5-mini')] },
    { provider: 'azure', acceptsAnyModel: false, isListKnown: true, models: [chat('gpt-5')] },
    {
      provider: 'anthropic',
      acceptsAnyModel: false,
      isListKnown: true,
      models: [chat('claude-4'), { id: 'painter', type: 'image' }],
    },
    { provider: 'router', acceptsAnyModel: true, isListKnown: true, models: [chat('meta/llama')] },
  ],
  {
    aliases: { smart: ['gpt-5-mini', 'claude-4'], mini: ['gpt-5-mini'] },
    defaultModel: 'gpt-5',
    defaultImageModel: undefined,
    fallbackCreated: 1,
  },
);
const restricted = (...patterns: string[]) => restrictCatalogue(CATALOGUE, patterns);
const ids = (...patterns: string[]) =>
  restricted(...patterns)
    .list()
    .map(({ id }) => id);

describe('patterns', () => {
  test.each<[patterns: string[], id: string, isAllowed: boolean]>([
    [['gpt-5'], 'gpt-5', true],
    [['gpt-5'], 'gpt-5-mini', false],
    [['GPT-*'], 'gpt-5-mini', true],
    [['*mini'], 'gpt-5-mini', true],
    [['*mini'], 'gpt-5-mini-x', false],
    [['g*-*i'], 'gpt-5-mini', true],
    [['*'], 'claude-4', true],
    [['**'], 'claude-4', true],
    [['gpt-5*5'], 'gpt-5', false],
    [['gpt.5'], 'gpt-5', false],
    [['.*'], 'gpt-5', false],
    [['(a+)+$'], 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', false],
    [['claude-*', 'gpt-*'], 'gpt-5', true],
    [[''], 'gpt-5', false],
  ])('%j and %s: %s', (patterns, id, isAllowed) => {
    expect(restricted(...patterns).allows(id)).toBe(isAllowed);
  });
});

test('a model of several providers is allowed by its name, or if all of them match', () => {
  expect(ids('gpt-5')).toEqual(['gpt-5']);
  expect(ids('openai/*')).toEqual(['mini', 'gpt-5-mini']);
  expect(ids('openai/*', 'azure/*')).toEqual(['mini', 'gpt-5', 'gpt-5-mini']);
  expect(restricted('openai/*').allows('openai/gpt-5')).toBe(true);
  expect(restricted('openai/*').allows('azure/gpt-5')).toBe(false);
});

test('a public name allows the model of each of its providers', () => {
  expect(restricted('gpt-5').allows('azure/gpt-5')).toBe(true);
  expect(restricted('gpt-5').allows('router/gpt-5')).toBe(false);
});

test('an alias is allowed by its name, or if everything it may reach is allowed', () => {
  expect(restricted('smart').allows('smart')).toBe(true);
  expect(restricted('smart').allows('claude-4')).toBe(false);
  expect(restricted('openai/*').allows('smart')).toBe(false);
  expect(restricted('openai/*', 'claude-*').allows('smart')).toBe(true);
});

test('a name that is in no list is matched as it is', () => {
  expect(restricted('new-*').allows('new-model')).toBe(true);
  expect(restricted('new-*').allows('other')).toBe(false);
  expect(restricted('router/*').allows('router/new-model')).toBe(true);
});

test('finds and lists allowed models only', () => {
  expect(restricted('claude-*').find('gpt-5')).toBeUndefined();
  expect(restricted('claude-*').find('claude-4')).toMatchObject({ id: 'claude-4' });
  expect(ids('nothing')).toEqual([]);
  expect(restrictCatalogue(CATALOGUE, undefined).list()).toBe(CATALOGUE.list());
});

test('the default is the usual one if it is allowed, otherwise the first allowed one', () => {
  expect(restricted('*').defaultChatModel()?.id).toBe('gpt-5');
  expect(restricted('claude-*', 'meta/*').defaultChatModel()?.id).toBe('claude-4');
  expect(restricted('gpt-5').defaultImageModel()).toBeUndefined();
});

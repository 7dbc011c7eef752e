import { describe, expect, test } from 'vitest';
import { takesTemperature } from '../../src/bot/prompt/answer-instructions.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createModelEntry } from '../support/hosts/scripted-models.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() =>
  createBotHarness({ models: [createModelEntry('basic'), createModelEntry('openai/gpt-5-mini')] }),
);

const lastRequest = () => harness.models.requests.at(-1);

describe('creativity', () => {
  test('is chosen by name and sent as a temperature', async () => {
    const ann = harness.user('Ann');
    ann.writes('First');
    await harness.sees(ann.chatId, 'You said: First');
    expect(lastRequest()?.sampling).toBeUndefined();
    ann.writes('/settings');
    await ann.presses('Creativity');
    await ann.presses('Precise (temperature 0.2)');
    await harness.sees(ann.chatId, /Creativity: precise \(temperature 0\.2\)/);
    ann.writes('Second');
    await harness.sees(ann.chatId, 'You said: Second');
    // `optional` lets a model that rejects the parameter answer without it.
    expect(lastRequest()).toMatchObject({ sampling: { temperature: 0.2 }, optional: ['temperature'] });
    await ann.presses('Creativity');
    await ann.presses('Model default');
    await harness.sees(ann.chatId, /Creativity: model default/);
    ann.writes('Third');
    await harness.sees(ann.chatId, 'You said: Third');
    expect(lastRequest()?.sampling).toBeUndefined();
  });

  test('is not sent to models that accept no temperature', async () => {
    const ann = harness.user('Ann');
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    await harness.accounts.updateSettings(id, { creativity: 'creative', model: 'openai/gpt-5-mini' });
    ann.writes('Hi');
    await harness.sees(ann.chatId, 'You said: Hi');
    expect(lastRequest()?.sampling).toBeUndefined();
  });
});

test('the length of answers is appended to the system prompt', async () => {
  const ann = harness.user('Ann');
  ann.writes('/system Rhyme.');
  await harness.sees(ann.chatId, /Saved/);
  ann.writes('/settings');
  await ann.presses('Length');
  await ann.presses('Short');
  await harness.sees(ann.chatId, /Length: short\nInstructions: your own/);
  ann.writes('Hi');
  await harness.sees(ann.chatId, 'You said: Hi');
  expect(lastRequest()?.messages[0]?.content).toMatch(/^Rhyme\.\n\nKeep your answers short/);
});

test.each([
  ['o3-mini', false],
  ['openai/o1', false],
  ['gpt-5', false],
  ['openai/gpt-5-nano', false],
  ['gpt-5-chat-latest', true],
  ['gpt-4o', true],
  ['qwen/qwen3-32b', true],
  ['phi-o3', true],
])('takesTemperature(%s) is %s', (model, takes) => {
  expect(takesTemperature(model)).toBe(takes);
});

import { expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { observeUsage } from '../../../src/telemetry/observe-generation.ts';
import { createUsageEntry } from '../../support/samples/usage-entry.ts';

const createUsage = () => {
  const { observer, read } = createMetrics({ clock: systemClock, isListedModel: (name) => name === 'writer' });
  const unwritten = { record: () => {}, flush: async () => {}, waitingCount: () => 0, close: async () => {} };
  return { usage: observeUsage(unwritten, { observer, clock: systemClock }), read };
};

it('usage entries count dollars, and requests without a known price, by provider and model', async () => {
  const { usage, read } = createUsage();
  const by = { provider: 'studio', model: 'writer' };
  for (const costUsd of [0.25, 0.5, 0, undefined]) usage.record(createUsageEntry(1, { ...by, costUsd }));
  usage.record(createUsageEntry(1, { provider: 'studio', model: 'invented', costUsd: undefined }));
  const text = await read();
  expect(text).toContain('switchboard_cost_dollars_total{provider="studio",model="writer"} 0.75');
  expect(text).toContain('switchboard_requests_without_price_total{provider="studio",model="writer"} 1');
  expect(text).toContain('switchboard_requests_without_price_total{provider="studio",model="other"} 1');
  expect(text).not.toContain('invented');
});

it('usage entries count each token in one type', async () => {
  const { usage, read } = createUsage();
  const by = { provider: 'studio', model: 'writer' };
  const prompt = { promptTokens: 100, cachedTokens: 30, cacheWriteTokens: 20, audioInputTokens: 10 };
  const completion = { completionTokens: 50, reasoningTokens: 15, audioOutputTokens: 5 };
  usage.record(createUsageEntry(1, { ...by, ...prompt, ...completion }));
  usage.record(createUsageEntry(1, { ...by, promptTokens: 5, cachedTokens: 9, completionTokens: 0 }));
  usage.record(createUsageEntry(1, { ...by, kind: 'image', promptTokens: 0, completionTokens: 7 }));
  const counted = [...(await read()).matchAll(/^switchboard_tokens_total\{.*type="(\w+)"\} (\d+)$/gm)];
  expect(Object.fromEntries(counted.map(([, type, count]) => [type, Number(count)]))).toEqual({
    ...{ input: 40, cached_input: 35, cache_write: 20, audio_input: 10 },
    ...{ output: 30, reasoning: 15, audio_output: 5 },
  });
});

it('usage entries count tokens and generated images by provider and model', async () => {
  const { observer, read } = createMetrics({ clock: systemClock, isListedModel: () => true });
  const unwritten = { record: () => {}, flush: async () => {}, waitingCount: () => 0, close: async () => {} };
  const usage = observeUsage(unwritten, { observer, clock: systemClock });
  const by = { provider: 'studio', model: 'painter' };
  usage.record(createUsageEntry(1, { ...by, kind: 'image', promptTokens: 0, completionTokens: 30, imageCount: 3 }));
  usage.record(createUsageEntry(1, { ...by, kind: 'image', promptTokens: 0, completionTokens: 10, imageCount: 1 }));
  const text = await read();
  for (const name of ['switchboard_generated_images_total', 'switchboard_generated_pictures_total'])
    expect(text).toContain(`${name}{provider="studio",model="painter"} 4`);
  expect(text).toMatch(/switchboard_generation_tokens_total\{.*direction="completion"\} 40/);
});

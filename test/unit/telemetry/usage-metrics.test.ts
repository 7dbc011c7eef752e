import { expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { observeUsage } from '../../../src/telemetry/observe-generation.ts';
import { createUsageEntry } from '../../support/usage-entry.ts';

it('usage entries count tokens and generated images by provider and model', async () => {
  const { observer, read } = createMetrics({ clock: systemClock, isListedModel: () => true });
  const unwritten = { record: () => {}, flush: async () => {}, waitingCount: () => 0, close: async () => {} };
  const usage = observeUsage(unwritten, { observer, clock: systemClock });
  const by = { provider: 'studio', model: 'painter' };
  usage.record(createUsageEntry(1, { ...by, kind: 'image', promptTokens: 0, completionTokens: 30, imageCount: 3 }));
  usage.record(createUsageEntry(1, { ...by, kind: 'image', promptTokens: 0, completionTokens: 10, imageCount: 1 }));
  const text = await read();
  expect(text).toContain('switchboard_generated_pictures_total{provider="studio",model="painter"} 4');
  expect(text).toMatch(/switchboard_generation_tokens_total\{.*direction="completion"\} 40/);
});

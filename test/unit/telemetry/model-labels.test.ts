import { expect, it } from 'vitest';
import { createModelLabels } from '../../../src/telemetry/metrics.ts';

it('models of the catalogue are labelled by name, invented names as other', () => {
  const toLabel = createModelLabels((name) => name.startsWith('listed'));
  expect(['listed', 'invented', '', undefined, 7].map(toLabel)).toEqual(['listed', 'other', 'other', 'other', 'other']);
});

it('at most a hundred names become labels, and those stay', () => {
  const toLabel = createModelLabels(() => true);
  const labels = Array.from({ length: 500 }, (_, at) => toLabel(`model-${at}`));
  expect(new Set(labels).size).toBe(101);
  expect(toLabel('model-0')).toBe('model-0');
  expect(toLabel('model-499')).toBe('other');
});

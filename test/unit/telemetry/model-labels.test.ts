import { expect, it } from 'vitest';
import { createModelLabels } from '../../../src/telemetry/model-labels.ts';

it('models of the catalogue have their names, what people invent is other', () => {
  const toLabel = createModelLabels((name) => name.startsWith('listed'));
  expect(['listed', 'invented', '', undefined, 7].map(toLabel)).toEqual(['listed', 'other', 'other', 'other', 'other']);
});

it('a hundred names at most become labels, and those stay', () => {
  const toLabel = createModelLabels(() => true);
  const labels = Array.from({ length: 500 }, (_, at) => toLabel(`model-${at}`));
  expect(new Set(labels).size).toBe(101);
  expect(toLabel('model-0')).toBe('model-0');
  expect(toLabel('model-499')).toBe('other');
});

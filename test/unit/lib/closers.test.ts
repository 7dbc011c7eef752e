import { expect, test } from 'vitest';
import { createClosers } from '../../../src/lib/async/closers.ts';

test('closers run once, newest first, and continue after a failure', async () => {
  const seen: unknown[] = [];
  const closers = createClosers((error) => seen.push(error));
  closers.add(async () => seen.push('first'));
  closers.add(() => Promise.reject('failure'));
  closers.add(async () => seen.push('last'));
  await Promise.all([closers.closeAll(), closers.closeAll()]);
  expect(seen).toEqual(['last', 'failure', 'first']);
});

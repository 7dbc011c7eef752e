import { expect, it } from 'vitest';
import { ModelNotFoundError, ProviderTimeoutError, ProviderUnavailableError } from '../../../src/core/models/index.ts';
import { createFailureCounts } from '../../../src/telemetry/failure-counts.ts';

it('counts attempts that fail, and generations that fail before an attempt', () => {
  let now = 1000;
  const failures = createFailureCounts(() => now++);
  const end = (name: string, attributes: Record<string, string>, error?: unknown) =>
    failures.observer.begin(name, attributes).end(error);
  const timeout = new ProviderTimeoutError('one', 'connect', 1000);
  end('provider attempt', { model: 'a', provider: 'one' }, timeout);
  end(
    'provider attempt',
    { model: 'a', provider: 'two' },
    new ProviderUnavailableError('two', 'busy', { status: 429 }),
  );
  end('provider attempt', { model: 'a', provider: 'one' }, timeout);
  end('provider attempt', { model: 'a', provider: 'one' });
  end('generation', { model: 'a' }, timeout);
  end('generation', { model: 'c'.repeat(1000) }, new ModelNotFoundError('c'));
  end('generation', { model: 'a' }, Object.assign(new Error('gone'), { name: 'ClientGoneError' }));
  end('http request', { model: 'a' }, timeout);
  expect(failures.list()).toEqual([
    { model: 'c'.repeat(200), provider: undefined, outcome: 'unknown_model', count: 1, lastAt: new Date(1003) },
    { model: 'a', provider: 'one', outcome: 'timeout', count: 2, lastAt: new Date(1002) },
    { model: 'a', provider: 'two', outcome: 'rate_limited', count: 1, lastAt: new Date(1001) },
  ]);
});

it('keeps the latest 200', () => {
  const failures = createFailureCounts(Date.now);
  for (let at = 0; at < 300; at += 1)
    failures.observer.begin('generation', { model: `model-${at}` }).end(new ModelNotFoundError('x'));
  expect(failures.list()).toHaveLength(200);
  expect(failures.list()[0]?.model).toBe('model-299');
});

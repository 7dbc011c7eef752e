import { createUsageRecorder } from '../../src/core/accounts/index.ts';
import { createClosers } from '../../src/lib/closers.ts';
import { noObserver } from '../../src/lib/observer.ts';
import type { Foundation } from '../../src/open-resources.ts';

/** What services are built on, with no observer. Its closers throw what a service throws. */
export function createFoundation(deps: Pick<Foundation, 'db' | 'clock' | 'logger'>): Foundation {
  const closers = createClosers((error) => {
    throw error;
  });
  const usage = createUsageRecorder(deps);
  closers.add(() => usage.close());
  return { ...deps, observer: noObserver, usage, closers };
}

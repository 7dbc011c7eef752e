import { expect, vi } from 'vitest';
import type { Foundation } from '../../../src/app/open-resources.ts';
import { createUsageRecorder } from '../../../src/core/accounts/index.ts';
import type { Toolbox } from '../../../src/core/tools/index.ts';
import { createClosers } from '../../../src/lib/async/closers.ts';
import { HeldBytes } from '../../../src/lib/http/held-bytes.ts';
import { createLogger, type Logger } from '../../../src/lib/log/logger.ts';
import { noObserver } from '../../../src/lib/log/observer.ts';

/** Returns the dependencies of services, without an observer. Errors on closing are rethrown. */
export function createFoundation(deps: Pick<Foundation, 'db' | 'clock' | 'logger'>): Foundation {
  const closers = createClosers((error) => {
    throw error;
  });
  const usage = createUsageRecorder(deps);
  closers.add(() => usage.close());
  return { ...deps, observer: noObserver, usage, heldBytes: new HeldBytes(), closers };
}

/** Creates a logger that appends its lines to an array. */
export function createRecordingLogger(level = 'debug'): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const logger = createLogger({ level, destination: { write: (line: string) => void lines.push(line) } });
  return { logger, lines };
}

/** Starts the sources of tools, and waits until each has listed its tools or failed. Without this, slow ones would be left to later. */
export async function startToolbox(toolbox: Toolbox): Promise<void> {
  await toolbox.start();
  await vi.waitFor(() => {
    for (const { toolNames, lastError } of toolbox.sources()) expect(lastError ?? toolNames).not.toEqual([]);
  });
}

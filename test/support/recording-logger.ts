import { createLogger, type Logger } from '../../src/lib/logger.ts';

/** Creates a logger that appends its lines to an array. */
export function createRecordingLogger(level = 'debug'): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const logger = createLogger({ level, destination: { write: (line: string) => void lines.push(line) } });
  return { logger, lines };
}

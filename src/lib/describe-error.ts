/**
 * What went wrong in one line, without a stack: messages of aggregated errors one after the other; of an error that only wraps
 * a failed query its cause, because the query itself tells nobody anything.
 */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(describeError).join('; ');
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined && error.message.startsWith('Failed query')) return describeError(error.cause);
  return error.message || error.name;
}

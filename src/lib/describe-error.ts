import { isDiskFull } from './disk-space.ts';

/**
 * What went wrong in one line, without a stack: messages of aggregated errors one after the other; of an error that only wraps
 * a failed query its cause, because the query itself tells nobody anything.
 */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(describeError).join('; ');
  if (!(error instanceof Error)) return describeThrown(error);
  if (error.cause !== undefined && error.message.startsWith('Failed query')) return describeError(error.cause);
  return error.message || error.name;
}

/** Describes what a library throws that is no `Error`: the file system of the embedded database throws a name and a number. */
function describeThrown(thrown: unknown): string {
  if (isDiskFull(thrown)) return 'no space left on the disk';
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { name, message, errno } = thrown as { readonly [field: string]: unknown };
  const words = [name, message, errno === undefined ? undefined : `number ${errno}`];
  return words.filter((word) => word !== undefined && word !== '').join(', ') || JSON.stringify(thrown);
}

import { isDiskFull } from '../files/disk-space.ts';

/**
 * Describes an error in one line, without a stack. Messages of an AggregateError are joined. For an error that wraps a
 * failed query, describes the cause, because the query itself is not informative.
 */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(describeError).join('; ');
  if (!(error instanceof Error)) return describeThrown(error);
  // `fetch failed` and failed queries say nothing by themselves.
  if (error.cause !== undefined && /^(?:Failed query|fetch failed$)/.test(error.message))
    return describeError(error.cause);
  return error.message || error.name;
}

/**
 * Describes a thrown value that is not an `Error`: the file system of the embedded database throws objects with a name
 * and a number.
 */
function describeThrown(thrown: unknown): string {
  if (isDiskFull(thrown)) return 'no space left on the disk';
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { name, message, errno } = thrown as { readonly [field: string]: unknown };
  const parts = [name, message, errno === undefined ? undefined : `number ${errno}`];
  return parts.filter((word) => word !== undefined && word !== '').join(', ') || JSON.stringify(thrown);
}

/** Returns whether an error has this code of the system or a driver, such as `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

import { CopyRefusedError } from './copy-failures.ts';

/** @throws CopyRefusedError unless the source has the tables of this version. */
export function expectCurrent({ isCurrent }: { readonly isCurrent: boolean }, tableCount: number): void {
  if (isCurrent) return;
  throw new CopyRefusedError(
    tableCount === 0
      ? 'There is nothing to copy: the database of the settings has no tables'
      : 'The database of the settings has the tables of an older version. Start this version once, which brings them up to date, stop it, and copy then',
  );
}

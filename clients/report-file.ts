import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ClientReport } from './matrix.ts';

/** Folder of the installed clients and of the reports. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'switchboard-clients');
const FILE = join(CACHE, 'reports.json');

/** The reports of the last run, written after each client, so that another run can go on after them. */
export class ReportFile {
  readonly reports: ClientReport[] = [];
  readonly #service: readonly (string | undefined)[];

  /** @param service options that decide what the clients are run with. */
  constructor(service: readonly (string | undefined)[]) {
    this.#service = service;
  }

  /**
   * Returns the reports to keep: if the run is resumed, those of the last run with the same service. Clients that were
   * not installed are left out, so that they are tried again.
   */
  async open({ isResumed }: { readonly isResumed: boolean }): Promise<readonly ClientReport[]> {
    const text = isResumed ? await readFile(FILE, 'utf8').catch(() => '') : '';
    const stored = text === '' ? undefined : JSON.parse(text);
    if (JSON.stringify(stored?.service) === JSON.stringify(toStored(this.#service))) {
      const reports: ClientReport[] = stored.reports.map((report: ClientReport) => ({
        ...report,
        operations: new Map(Object.entries(report.operations)),
      }));
      this.reports.push(...reports.filter(({ operations }) => operations.size > 0 && !operations.has('install')));
    }
    return this.reports;
  }

  async add(report: ClientReport): Promise<void> {
    this.reports.push(report);
    const reports = this.reports.map((each) => ({ ...each, operations: Object.fromEntries(each.operations) }));
    await mkdir(CACHE, { recursive: true });
    await writeFile(`${FILE}.new`, JSON.stringify({ service: toStored(this.#service), reports }));
    await rename(`${FILE}.new`, FILE);
  }
}

function toStored(service: readonly (string | undefined)[]): readonly string[] {
  return service.map((option) => option ?? '');
}

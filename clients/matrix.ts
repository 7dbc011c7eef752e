/** Outcomes of one client: operation → passed. */
export interface ClientReport {
  readonly client: string;
  /** Undefined: the client was skipped or could not be installed. */
  readonly version: string | undefined;
  readonly operations: ReadonlyMap<string, boolean>;
  /** Reason why there are no operations, or why the program failed beyond them. */
  readonly remark: string | undefined;
}

/** Returns a Markdown table of operations × clients; `–` means that the client does not have the operation. */
export function printMatrix(reports: readonly ClientReport[]): string {
  const operations = [...new Set(reports.flatMap((report) => [...report.operations.keys()]))];
  const printRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    printRow(['client', 'version', ...operations]),
    printRow(Array.from({ length: operations.length + 2 }, () => '---')),
    ...reports.map(({ client, version, operations: outcomes, remark }) =>
      printRow([
        client,
        [version, remark].filter(Boolean).join(', '),
        ...operations.map((operation) => printOutcome(outcomes.get(operation))),
      ]),
    ),
  ].join('\n');
}

function printOutcome(hasPassed: boolean | undefined): string {
  if (hasPassed === undefined) return '–';
  return hasPassed ? 'ok' : '**failed**';
}

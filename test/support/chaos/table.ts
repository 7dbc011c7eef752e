/** Counts of runs by fault and call. */
export interface ChaosTable {
  note(fault: string, call: string, isRight: boolean): void;
  /** Formats one line per fault. Each column has the number of runs and, if not zero, of failed runs. */
  print(): string;
}

export function createChaosTable(title: string): ChaosTable {
  const rows = new Map<string, Map<string, { runs: number; wrong: number }>>();
  const columns = new Set<string>();
  return {
    note(fault, call, isRight) {
      columns.add(call);
      const row = rows.get(fault) ?? new Map<string, { runs: number; wrong: number }>();
      const { runs, wrong } = row.get(call) ?? { runs: 0, wrong: 0 };
      rows.set(fault, row.set(call, { runs: runs + 1, wrong: wrong + (isRight ? 0 : 1) }));
    },
    print() {
      const cells = [...rows].map(([fault, row]) => [
        fault,
        ...[...columns].map((call) => {
          const { runs, wrong } = row.get(call) ?? { runs: 0, wrong: 0 };
          return runs === 0 ? '-' : wrong === 0 ? `${runs}` : `${runs} (${wrong} wrong)`;
        }),
      ]);
      const lines = [[title, ...columns], ...cells];
      const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
      return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
    },
  };
}

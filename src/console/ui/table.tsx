import type { ComponentChildren } from 'preact';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** True for numbers, which are aligned by their last digit. */
  readonly isNumber?: boolean;
}

interface TableProps<Row> {
  /** Name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

/** A table; on phones each row is a card with the titles beside the values. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table class="records" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell, isNumber }) => (
              <td key={title} class={isNumber ? 'number' : undefined} data-title={title}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

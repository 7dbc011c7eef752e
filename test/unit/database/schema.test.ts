import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { expect, it } from 'vitest';
import * as schema from '../../../src/database/schema/index.ts';

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

it('tables and columns have the same name in SQL, in snake case', () => {
  const tables = Object.entries(schema).flatMap(([name, value]) => (is(value, PgTable) ? [{ name, value }] : []));
  expect(tables.length).toBeGreaterThan(50);
  const expected: string[] = [];
  const found: string[] = [];
  for (const { name, value } of tables) {
    const { name: sqlName, columns } = getTableConfig(value);
    expected.push(...[name, ...Object.keys(value).filter((key) => key !== 'enableRLS')].map(toSnakeCase));
    found.push(sqlName, ...columns.map((column) => column.name));
  }
  expect(found).toEqual(expected);
});

it('names of constraints and indexes begin with the name of their table', () => {
  for (const value of Object.values(schema)) {
    if (!is(value, PgTable)) continue;
    const { name, indexes, checks, uniqueConstraints, foreignKeys } = getTableConfig(value);
    const names = [
      ...indexes.map(({ config }) => config.name),
      ...[...checks, ...uniqueConstraints].map((constraint) => constraint.name),
      ...foreignKeys.map((key) => key.getName()),
    ];
    for (const other of names) expect(other).toMatch(new RegExp(`^${name}_`));
  }
});

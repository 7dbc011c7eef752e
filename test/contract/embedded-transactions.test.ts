import { sql } from 'drizzle-orm';
import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddedTestDatabase } from '../support/stores/test-database.ts';

it('other events are handled between the statements of a transaction of the embedded database', async () => {
  const database = await createEmbeddedTestDatabase();
  onTestFinished(() => database.close());
  let isHeard = false;
  setImmediate(() => {
    isHeard = true;
  });
  const count = await database.db.transaction(async (tx) => {
    // Each takes longer than a break is due.
    for (let statements = 1; statements <= 20; statements++) {
      await tx.execute(sql`select count(*) from generate_series(1, 100000)`);
      if (isHeard) return statements;
    }
    return Number.POSITIVE_INFINITY;
  });
  expect(count).toBeLessThan(5);
});

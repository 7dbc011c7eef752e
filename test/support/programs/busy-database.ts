/**
 * Uses an embedded database until V8 would have optimized all code involved, then prints the peak memory of the process
 * in MiB: `node busy-database.ts DIRECTORY MEMORY_BYTES`.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { openDatabase } from '../../../src/database/connect.ts';
import { reduceMemory } from '../../../src/database/reduce-memory.ts';

const [directory = '', memoryBytes] = process.argv.slice(2);
reduceMemory(Number(memoryBytes));
const { db, close } = await openDatabase({ kind: 'embedded', directory });
for (let round = 0; round < 1500; round++) {
  await db.execute(
    sql`select count(*), sum(n) from generate_series(1, ${(round % 50) + 1}::integer) n where n > ${round}`,
  );
}
// V8 compiles in background threads.
await sleep(2000);
await close();
const peakKib = /^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
process.stdout.write(`${Number(peakKib) / 1024}\n`);

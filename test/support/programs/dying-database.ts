import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { openDatabase } from '../../../src/database/connect.ts';

/**
 * Program: opens the embedded database in the folder given as argument, fills that disk during a transaction until the
 * WAL can't be written, and prints the resulting errors as JSON. Runs as a separate process, because such a failure may
 * block the whole process.
 */
const [, , disk = ''] = process.argv;
const MIB = 1024 * 1024;
let lost = 0;
const { db, close } = await openDatabase({ kind: 'embedded', directory: join(disk, 'postgres') }, () => {
  lost++;
});
await db.execute(sql`create table words (word text)`);
await db.execute(sql`insert into words values ('committed')`);
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    () => 'failed',
  );
const transaction = await outcome(
  db.transaction(async (tx) => {
    const { bavail, bsize } = await statfs(disk);
    await writeFile(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - 10 * MIB));
    // Each switch needs a new segment of 16 MiB, once the preallocated ones are used up.
    for (let number = 0; number < 50; number++) {
      await tx.execute(sql`insert into words values ('uncommitted')`);
      await tx.execute(sql`select pg_switch_wal()`);
    }
  }),
);
const after = await outcome(Promise.resolve(db.execute(sql`select 1`)));
await close();
process.stdout.write(JSON.stringify({ transaction, after, lost }));

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { expect, onTestFinished, test } from 'vitest';
import { packCluster, unpackCluster } from '../../../src/database/empty-cluster.ts';

test('a packed cluster opens after an interrupted unpacking, and does not replace one that is there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'empty-cluster-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  await (await PGlite.create(source)).close();
  const packed = pathToFileURL(join(folder, 'packed'));
  await writeFile(packed, await packCluster(source));

  // What an interrupted first start leaves: some files, the last one incomplete, and no mark.
  await mkdir(target);
  await unpackCluster(packed, target);
  await rm(join(target, 'PG_VERSION'));
  await writeFile(join(target, 'global/pg_control'), 'incomplete');
  await unpackCluster(packed, target);
  const database = await PGlite.create(target);
  await database.exec('create table kept as select 1 as value');
  await database.close();

  await unpackCluster(packed, target);
  const again = await PGlite.create(target);
  expect((await again.query('select * from kept')).rows).toEqual([{ value: 1 }]);
  await again.close();
});

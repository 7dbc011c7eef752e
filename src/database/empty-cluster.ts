import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { gunzip, gzip } from 'node:zlib';

/** File that marks a directory as a cluster. It is written last, so that an interrupted first start begins anew. */
const CLUSTER_MARK = 'PG_VERSION';

/** Returns whether a directory has a cluster, that is, whether the service has been started with it. */
export function hasCluster(directory: string): boolean {
  return existsSync(join(directory, CLUSTER_MARK));
}

interface PackedCluster {
  readonly folders: readonly string[];
  /** Contents by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Packs the directory of a closed database. */
export async function packCluster(directory: string): Promise<Buffer> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const toPath = (entry: (typeof entries)[number]) => relative(directory, join(entry.parentPath, entry.name));
  const files = new Map<string, Uint8Array>();
  for (const entry of entries) {
    if (entry.isFile()) files.set(toPath(entry), await readFile(join(entry.parentPath, entry.name)));
  }
  const folders = entries.filter((entry) => entry.isDirectory()).map(toPath);
  return promisify(gzip)(serialize({ folders, files } satisfies PackedCluster));
}

/**
 * Unpacks a cluster into a directory that has none yet, which takes a tenth of the time of creating it. Has no effect on a
 * directory with a cluster.
 */
export async function unpackCluster(packed: URL, directory: string): Promise<void> {
  if (hasCluster(directory)) return;
  const { folders, files } = deserialize(await promisify(gunzip)(await readFile(packed))) as PackedCluster;
  for (const folder of folders) await mkdir(join(directory, folder), { recursive: true });
  for (const [path, bytes] of [...files].sort(
    ([one], [other]) => Number(one === CLUSTER_MARK) - Number(other === CLUSTER_MARK),
  )) {
    await writeFile(join(directory, path), bytes);
  }
}

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const STATIC_FILES = ['index.html', 'icon.svg', 'wallpaper.svg'];

/**
 * Returns the files of the page in a folder: `main.ts` and `main.css` are bundled, each with its imports, because a
 * browser loads two files much faster than sixty. Nothing is written to disk. The code is not minified, so that browser
 * errors are readable.
 * Blocks this thread for about 100 ms; no child process remains.
 * @throws if an import can't be resolved.
 */
export async function bundlePage(folder: URL): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles } = buildSync({
    absWorkingDir: fileURLToPath(folder),
    entryPoints: ['main.ts', 'main.css'],
    bundle: true,
    write: false,
    outdir: '.',
    format: 'esm',
    target: 'es2023',
    // esbuild ignores the tsconfig.json of packages in node_modules.
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    external: ['*.svg'],
    logLevel: 'silent',
  });
  const copies = STATIC_FILES.map(async (name) => [name, await readFile(new URL(name, folder))] as const);
  const bundles = outputFiles.map(({ path, contents }) => [path.slice(path.lastIndexOf('/') + 1), contents] as const);
  return new Map<string, Uint8Array>([...(await Promise.all(copies)), ...bundles]);
}

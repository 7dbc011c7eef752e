import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { ROOT } from '../../lib/layout.ts';

/** A file of the web app. */
export interface BundledFile {
  /** `main-5XHJ2QKP.js`: the name changes with the content. */
  readonly name: string;
  readonly contents: Uint8Array;
}

/**
 * Bundles the web app of `src/console`, in a child process of esbuild that ends afterwards. Nothing is written to disk.
 */
export async function bundleConsole(): Promise<readonly BundledFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('src/console/', ROOT)),
    entryPoints: ['main.tsx', 'styles/main.css'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    // Code that both the script and a dynamic import need becomes a file named `chunk`.
    splitting: true,
    bundle: true,
    minify: true,
    write: false,
    outdir: '.',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
  }).finally(() => void stop());
  return outputFiles.map(({ path, contents }) => ({ name: path.slice(path.lastIndexOf('/') + 1), contents }));
}

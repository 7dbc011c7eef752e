import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build, stop } from 'esbuild';
import { toEntityTag } from '../resources/entity-tag.ts';

/** A file of the console, in the encodings that browsers accept. */
export interface ConsoleFile {
  /** `main-5XHJ2QKP.js`: the name changes with the content. */
  readonly name: string;
  readonly type: string;
  readonly encodings: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;
}

const FOLDER = fileURLToPath(new URL('../../console/', import.meta.url));
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;
const compressions = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/**
 * Bundles the web app of `src/console`, in a child process of esbuild that ends afterwards. Nothing is written to disk.
 * Returns the page with its entity tag, and its files by name.
 * @param mode of the page, for its script.
 */
export async function bundleConsole(mode: 'bot' | 'playground') {
  const { outputFiles } = await build({
    absWorkingDir: FOLDER,
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
  const files = await Promise.all(outputFiles.map(({ path, contents }) => toFile(path, contents)));
  const page = toPage(
    mode,
    files.map(({ name }) => name),
  );
  return { page, tag: toEntityTag(page), files: new Map(files.map((file) => [file.name, file])) };
}

async function toFile(path: string, contents: Uint8Array): Promise<ConsoleFile> {
  // Sent to all browsers without a copy.
  const identity = Buffer.from(contents);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const [br, zipped] = await Promise.all([compressions.br(identity), compressions.gzip(identity)]);
  return { name, type: name.endsWith('.js') ? TYPES.js : TYPES.css, encodings: { br, gzip: zipped, identity } };
}

/** Files that the script imports dynamically are not in the page. */
function toPage(mode: string, names: readonly string[]): string {
  const links = names.flatMap((name) => {
    if (name.endsWith('.css')) return `<link rel="stylesheet" href="${name}">`;
    if (name.startsWith('main-')) return `<script type="module" src="${name}"></script>`;
    return name.startsWith('chunk-') ? `<link rel="modulepreload" href="${name}">` : [];
  });
  return `<!doctype html>
<html lang="en" data-mode="${mode}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard</title>
<link rel="icon" href="data:,">
${links.join('\n')}
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript.</noscript>
</body>
</html>
`;
}

/**
 * Makes the layouts that are released, below `dist` or another folder:
 *
 *   npm run build -- [FOLDER] [--with-packages] [--without-simulator] [--commit COMMIT]
 *
 * `switchboard` is the service: bundles of its sources, and its other files beside them. It is the package of npm; with
 * `--with-packages` it also has the few packages that can't be bundled, and is what the image contains.
 * `telegram-bot-simulator` is the simulator in the same form.
 */
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { build } from 'esbuild';
import { bundlePage } from '../simulator/src/control/page-bundle.ts';
import { readCommit } from '../src/app/read-version.ts';
import { packCluster } from '../src/database/empty-cluster.ts';
import { bundleConsole } from '../src/http/pages/bundle-console.ts';
import { CHILD_MODULES, DATA_FILES, PACKAGE_FILES, ROOT, toPackageFile } from '../src/lib/layout.ts';
import { findClosure, getLockedVersion } from './lock-file.ts';
import { describeThirdParties } from './third-party-notices.ts';

/** Packages with native code or WebAssembly, which can't be bundled. */
const SEPARATE_PACKAGES = ['@electric-sql/pglite', '@hyzyla/pdfium', 'sharp'];
/** Bundles of CommonJS packages call `require`. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);`;

const { values: options, positionals } = parseArgs({
  options: {
    'with-packages': { type: 'boolean', default: false },
    'without-simulator': { type: 'boolean', default: false },
    commit: { type: 'string' },
  },
  allowPositionals: true,
});
const target = pathToFileURL(`${resolve(positionals[0] ?? fileURLToPath(new URL('dist', ROOT)))}/`);
await buildService(new URL('switchboard/', target));
if (!options['without-simulator']) await buildSimulator(new URL('telegram-bot-simulator/', target));

async function buildService(folder: URL): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await bundle(folder, {
    main: 'src/main.ts',
    ...Object.fromEntries(CHILD_MODULES.map((name) => [name, `src/${name}.ts`])),
  });
  await write(new URL('database/empty-cluster', folder), await createCluster());
  for (const { name, contents } of await bundleConsole()) await write(new URL(`console/${name}`, folder), contents);
  await writePlayground(folder);
  for (const name of DATA_FILES) await copy(new URL(`src/${name}`, ROOT), new URL(name, folder));
  for (const name of PACKAGE_FILES) await copy(toPackageFile(name), new URL(`packages/${name}`, folder));
  const documents = globSync('docs/*.md', { cwd: ROOT });
  for (const name of ['LICENSE', 'README.md', 'drizzle', '.env.example', 'providers.example.yaml', ...documents])
    await copy(new URL(name, ROOT), new URL(name, folder));
  for (const name of ['check-node.cjs', 'switchboard.cjs'])
    await copy(new URL(`src/${name}`, ROOT), new URL(name, folder));
  await write(new URL('THIRD_PARTY_NOTICES', folder), describeThirdParties());
  const { name, version, description, license, engines, repository, scripts, devDependencies } =
    await readPackage(ROOT);
  await writePackage(folder, {
    name,
    version,
    commit: options.commit || (await readCommit()),
    description,
    license,
    repository,
    type: 'module',
    engines,
    bin: { switchboard: 'switchboard.cjs' },
    scripts: { start: scripts['start']?.replaceAll('src/', '').replace('main.ts', 'main.js') },
    dependencies: {
      ...Object.fromEntries(SEPARATE_PACKAGES.map((each) => [each, getLockedVersion(each)])),
      // Brings the right Node.js along, wherever npm has another one.
      node: devDependencies['node'],
    },
  });
  if (!options['with-packages']) return;
  for (const { folder: place } of findClosure(SEPARATE_PACKAGES))
    await copy(new URL(place, ROOT), new URL(place, folder));
}

async function buildSimulator(folder: URL): Promise<void> {
  const source = new URL('simulator/', ROOT);
  await rm(folder, { recursive: true, force: true });
  await bundle(folder, { main: 'simulator/src/main.ts', index: 'simulator/src/index.ts' });
  await writePlayground(folder);
  for (const name of ['LICENSE', 'README.md', 'COVERAGE.md']) await copy(new URL(name, source), new URL(name, folder));
  await write(new URL('THIRD_PARTY_NOTICES', folder), describeThirdParties());
  await writeTypes(new URL('types/', folder), source);
  const { name, version, description, license, engines, repository, dependencies } = await readPackage(source);
  await writePackage(folder, {
    name,
    version,
    description,
    license,
    repository,
    type: 'module',
    engines,
    bin: { [name]: 'main.js' },
    exports: { '.': { types: './types/index.d.ts', default: './index.js' } },
    // The types name them; everything else is in the bundles.
    dependencies: Object.fromEntries(['@grammyjs/types', 'fastify', 'zod'].map((each) => [each, dependencies[each]])),
  });
}

/** Writes the declarations of the simulator, if there is a compiler: an image is made without one. */
async function writeTypes(folder: URL, source: URL): Promise<void> {
  const compiler = fileURLToPath(new URL('node_modules/.bin/tsc', ROOT));
  if (!existsSync(compiler)) return;
  const paths = ['--outDir', fileURLToPath(folder), '--rootDir', fileURLToPath(new URL('src/', source))];
  const emitted = ['--emitDeclarationOnly', '--declaration', '--rewriteRelativeImportExtensions'];
  const language = ['--target', 'es2024', '--module', 'nodenext', '--strict', '--exactOptionalPropertyTypes'];
  const parameters = ['--ignoreConfig', '--skipLibCheck', '--types', 'node', ...emitted, ...language, ...paths];
  await promisify(execFile)(compiler, [...parameters, fileURLToPath(new URL('src/index.ts', source))]);
}

/** Creates an empty embedded database, and packs it. */
async function createCluster(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-cluster-'));
  try {
    const client = await PGlite.create(directory);
    await client.close();
    return await packCluster(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Bundles modules with all that they import. What several need becomes a file of its own in the folder. */
async function bundle(folder: URL, entryPoints: Readonly<Record<string, string>>): Promise<void> {
  await build({
    absWorkingDir: fileURLToPath(ROOT),
    entryPoints: { ...entryPoints },
    outdir: fileURLToPath(folder),
    chunkNames: 'chunk-[hash]',
    splitting: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Names stay, for stacks in logs and for errors, which are known by their names.
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    charset: 'utf8',
    legalComments: 'none',
    // esbuild bundles pages where there are sources.
    external: [...SEPARATE_PACKAGES, 'esbuild'],
    // node-fetch needs its `URL` only on versions of Node.js without one.
    alias: { 'whatwg-url': 'node:url' },
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
}

async function writePlayground(folder: URL): Promise<void> {
  const files = await bundlePage(new URL('simulator/src/playground/', ROOT));
  for (const [name, contents] of files) await write(new URL(`playground/${name}`, folder), contents);
}

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: unknown;
  readonly repository?: unknown;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function readPackage(folder: URL): Promise<PackageFile> {
  return JSON.parse(await readFile(new URL('package.json', folder), 'utf8'));
}

async function writePackage(folder: URL, facts: Readonly<Record<string, unknown>>): Promise<void> {
  await write(new URL('package.json', folder), `${JSON.stringify(facts, undefined, 2)}\n`);
}

async function write(file: URL, contents: string | Uint8Array): Promise<void> {
  const path = fileURLToPath(file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

async function copy(from: URL, to: URL): Promise<void> {
  await cp(fileURLToPath(from), fileURLToPath(to), { recursive: true });
}

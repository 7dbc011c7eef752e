/**
 * True in the layout that `scripts/build.ts` makes of this checkout: JavaScript bundles in one folder, with the program's
 * other files beside them.
 */
export const isBuilt = import.meta.filename.endsWith('.js');

/** Folder of `package.json`, of `drizzle` and of the sources or bundles. */
export const ROOT = new URL(isBuilt ? './' : '../../', import.meta.url);

/** Modules that run in child processes, below `src`. The build makes a bundle of each. */
export const CHILD_MODULES = [
  'core/documents/read-document',
  'core/documents/render-pages',
  'core/images/decoding-process',
  'core/tools/built-in/calculating-process',
  'http/shared-conversations/rendering-process',
] as const;

/** Files below `src` that the program reads as they are. The build copies them. */
export const DATA_FILES = ['core/models/catalogue/prices/list-prices.json'] as const;

/** Files of packages that the program reads as they are. The build copies them, so that their packages are not needed. */
export const PACKAGE_FILES = [
  '@fastify/swagger-ui/static/swagger-ui-bundle.js',
  '@fastify/swagger-ui/static/swagger-ui.css',
  'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
] as const;

/** Folder of the built console. The sources are bundled when it is first opened. */
export const BUILT_CONSOLE = new URL('console/', ROOT);

/** Empty embedded database, packed by the build. In a checkout the first start creates one. */
export const EMPTY_CLUSTER = isBuilt ? new URL('database/empty-cluster', ROOT) : undefined;

/** Returns the module that a child process runs. */
export function toChildModule(name: (typeof CHILD_MODULES)[number]): URL {
  return new URL(isBuilt ? `${name}.js` : `src/${name}.ts`, ROOT);
}

/** Returns the address of a file of the program. */
export function toDataFile(name: (typeof DATA_FILES)[number]): URL {
  return new URL(isBuilt ? name : `src/${name}`, ROOT);
}

/** Returns the address of a file of a package. */
export function toPackageFile(name: (typeof PACKAGE_FILES)[number]): URL {
  return new URL(isBuilt ? `packages/${name}` : import.meta.resolve(name), ROOT);
}

/** Returns the folders and files that modules are loaded from, for processes with permissions. */
export function listModulePlaces(): readonly URL[] {
  const places = isBuilt ? [new URL('*', ROOT)] : [new URL('src/*', ROOT), new URL('package.json', ROOT)];
  // Installed as a package, the program is beside the packages that it needs.
  const packages = /\/node_modules\/$/.test(new URL('../', ROOT).pathname) ? '../*' : 'node_modules/*';
  return [...places, new URL(packages, ROOT)];
}

import { existsSync, readFileSync } from 'node:fs';
import { ROOT } from '../src/lib/layout.ts';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package of the lock file. */
export interface LockedPackage {
  /** Folder relative to the checkout, `node_modules/sharp`. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** Licence as an SPDX expression, or undefined if the package does not name it. */
  readonly license: string | undefined;
}

const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** Returns the packages that run with the program, those for other platforms included. */
export function listProductionPackages(): readonly LockedPackage[] {
  return Object.entries(packages).flatMap(([folder, locked]) =>
    /(?:^|\/)node_modules\//.test(folder) && !locked.dev && !locked.link ? [toPackage(folder, locked)] : [],
  );
}

/** Returns packages with all that they need, as far as they are installed. */
export function findClosure(names: readonly string[]): readonly LockedPackage[] {
  const found = new Map<string, LockedPackage>();
  const add = (name: string, from: string) => {
    const folder = resolve(name, from);
    const locked = folder === undefined ? undefined : packages[folder];
    if (folder === undefined || locked === undefined || found.has(folder)) return;
    if (!existsSync(new URL(folder, ROOT))) return;
    found.set(folder, toPackage(folder, locked));
    for (const needed of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })) add(needed, folder);
  };
  for (const name of names) add(name, '');
  return [...found.values()];
}

/** Returns the locked version of a package of the root. @throws Error if it has none. */
export function getLockedVersion(name: string): string {
  const version = packages[`node_modules/${name}`]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${name}`);
  return version;
}

/** Finds the folder that `name` leads to in the package of the folder `from`, as Node does. */
function resolve(name: string, from: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const folder = `${base === '' ? '' : `${base}/`}node_modules/${name}`;
    if (packages[folder]) return folder;
    if (base === '') return undefined;
  }
}

function toPackage(folder: string, { version = '', license }: Locked): LockedPackage {
  return { folder, name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length), version, license };
}

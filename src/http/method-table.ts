/** Registry of methods by path, to tell a wrong method from a wrong path. */
export interface MethodTable {
  /** Adds a route by Fastify's pattern: `/models/*`, `/file/:id`. */
  add(pattern: string, methods: string | readonly string[]): void;
  /** Returns the sorted methods of all routes that match the path (without query); empty for an unknown path. */
  findMethods(path: string): readonly string[];
  /** Returns the sorted methods of all routes. */
  listMethods(): readonly string[];
  /** Returns `POST /chat/completions` for each route without parameters below the base path, in the order of `add`. */
  listBelow(basePath: string): readonly string[];
}

/** Creates an empty table. Trailing and duplicate slashes are ignored, as in the router. */
export function createMethodTable(): MethodTable {
  const routes = new Map<string, { readonly matches: RegExp; readonly methods: Set<string> }>();
  return {
    add(pattern, methods) {
      const path = withoutNeedlessSlashes(pattern);
      const route = routes.get(path) ?? { matches: toRegExp(path), methods: new Set() };
      for (const method of typeof methods === 'string' ? [methods] : methods) route.methods.add(method);
      routes.set(path, route);
    },
    findMethods(path) {
      const normalizedPath = withoutNeedlessSlashes(path);
      // A path of its own is no value of a parameter.
      const own = /[:*]/.test(normalizedPath) ? undefined : routes.get(normalizedPath);
      if (own) return [...own.methods].sort();
      const found = [...routes.values()].filter((route) => route.matches.test(normalizedPath));
      return [...new Set(found.flatMap((route) => [...route.methods]))].sort();
    },
    listMethods: () => [...new Set([...routes.values()].flatMap(({ methods }) => [...methods]))].sort(),
    listBelow(basePath) {
      const below = [...routes].filter(([path]) => path.startsWith(`${basePath}/`) && !/[:*]/.test(path));
      return below.flatMap(([path, { methods }]) =>
        [...methods].filter((method) => method !== 'HEAD').map((method) => `${method} ${path.slice(basePath.length)}`),
      );
    },
  };
}

function withoutNeedlessSlashes(path: string): string {
  return path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
}

function toRegExp(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/:[A-Za-z_]\w*/g, '[^/]+')
    .replaceAll('*', '.*');
  return new RegExp(`^${source}$`);
}

/** Which methods stand behind which paths, to tell a wrong method from a wrong path. */
export interface MethodTable {
  /** Takes note of a route as Fastify knows it: `/models/*`, `/file/:id`. */
  add(pattern: string, methods: string | readonly string[]): void;
  /** The methods that some route of this path (without query) has, sorted; empty for an unknown path. */
  findMethods(path: string): readonly string[];
}

/** An empty table. Slashes at the end and doubled slashes do not count, as in the router. */
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
      const wanted = withoutNeedlessSlashes(path);
      const found = [...routes.values()].filter((route) => route.matches.test(wanted));
      return [...new Set(found.flatMap((route) => [...route.methods]))].sort();
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

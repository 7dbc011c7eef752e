/** Extracts methods and paths from the route tree that Fastify prints. */
export function listRoutes(tree: string): readonly (readonly [method: string, path: string])[] {
  const open: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', path = '', methods = ''] = /^([\s│]*)[├└]── (.*) \((.*)\)$/.exec(line) ?? [];
    const depth = indent.length / 4;
    open.length = depth;
    open[depth] = path;
    return methods === '' ? [] : methods.split(', ').map((method) => [method, open.join('')] as const);
  });
}

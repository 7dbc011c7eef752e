import { type ResolveFnOutput, registerHooks } from 'node:module';

/** By specifier: the project has one of each package. */
const packages = new Map<string, ResolveFnOutput>();

/**
 * Loaded before the program (`--import`). Whenever a module of a package is named, Node parses the package's package.json anew, and that
 * of drizzle-orm is as long as a book: a third of the time that the start takes. So its modules, which name each other by their files,
 * are found without it, and what others name is looked up once.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL = '' } = context;
    if (parentURL.includes('/node_modules/drizzle-orm/') && /^\.\.?\/.*\.js$/.test(specifier))
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    if (!specifier.startsWith('drizzle-orm') || !context.conditions.includes('import'))
      return nextResolve(specifier, context);
    const found = packages.get(specifier) ?? { ...nextResolve(specifier, context), shortCircuit: true };
    packages.set(specifier, found);
    return found;
  },
});

import { createDemoProvider } from '../../demo/demo-provider.ts';
import { findUnknownDefaults } from '../cli/find-unknown-defaults.ts';
import {
  createDatabaseDiscoveryCache,
  createModels,
  createReplaceableModels,
  type ModelsConfig,
} from '../core/models/index.ts';
import { createToolbox, type ToolsConfig } from '../core/tools/index.ts';
import type { Foundation } from './open-resources.ts';

/** Creates the providers of models and tools. `start` and `replaceModels` throw the signal's reason. */
export function createProviders(
  { db, clock, logger, observer, heldBytes, closers }: Foundation,
  config: { readonly models: ModelsConfig; readonly tools: ToolsConfig },
) {
  const discoveryCache = createDatabaseDiscoveryCache({ db });
  const build = (next: ModelsConfig) =>
    createModels({ clock, logger, observer, heldBytes, discoveryCache, createDemo: createDemoProvider }, next);
  const models = createReplaceableModels({ clock, logger }, build(config.models));
  closers.add(() => models.close());
  const toolbox = createToolbox({ clock, logger }, config.tools);
  closers.add(() => toolbox.close());
  return {
    models,
    toolbox,
    async start(signal: AbortSignal): Promise<void> {
      await Promise.all([models.start(signal), toolbox.start()]);
      for (const problem of findUnknownDefaults(config.models, models.catalogue)) logger.warn(problem);
    },
    replaceModels: (next: ModelsConfig, signal: AbortSignal) => models.replace(build(next), signal),
  };
}

import type { ModelsConfig } from '../core/models/index.ts';

/** Returns a message for each default model in the settings that no provider has. */
export function findUnknownDefaults(
  { defaultModel, defaultImageModel }: Pick<ModelsConfig, 'defaultModel' | 'defaultImageModel'>,
  catalogue: { find(name: string): { readonly type: string } | undefined },
): string[] {
  return [
    ...(defaultModel === undefined || catalogue.find(defaultModel)?.type === 'chat'
      ? []
      : [`The default model ${defaultModel} (DEFAULT_MODEL) is not a chat model of any provider`]),
    ...(defaultImageModel === undefined || catalogue.find(defaultImageModel)?.type === 'image'
      ? []
      : [`The default image model ${defaultImageModel} (DEFAULT_IMAGE_MODEL) is not an image model of any provider`]),
  ];
}

import type { ModelEntry, ModelsConfig } from '../core/models/index.ts';

type Settings = Pick<ModelsConfig, 'defaultModel' | 'defaultImageModel' | 'libraryEmbeddingModel'>;

/** Returns a message for each model in the settings that no provider has, or that can't be used for its purpose. */
export function findUnknownDefaults(
  { defaultModel, defaultImageModel, libraryEmbeddingModel }: Settings,
  catalogue: { find(name: string): Pick<ModelEntry, 'type' | 'targets'> | undefined },
): string[] {
  return [
    ...(defaultModel === undefined || catalogue.find(defaultModel)?.type === 'chat'
      ? []
      : [`The default model ${defaultModel} (DEFAULT_MODEL) is not a chat model of any provider`]),
    ...(defaultImageModel === undefined || catalogue.find(defaultImageModel)?.type === 'image'
      ? []
      : [`The default image model ${defaultImageModel} (DEFAULT_IMAGE_MODEL) is not an image model of any provider`]),
    ...(libraryEmbeddingModel === undefined
      ? []
      : describeEmbeddingModel(libraryEmbeddingModel, catalogue.find(libraryEmbeddingModel))),
  ];
}

function describeEmbeddingModel(name: string, found: Pick<ModelEntry, 'type' | 'targets'> | undefined): string[] {
  const start = `The model ${name} (library.embedding_model in the providers file)`;
  const effect = 'the library is searched by words only';
  if (found?.type !== 'embedding') return [`${start} is not an embedding model of any provider; ${effect}`];
  const models = [...new Set(found.targets.map(({ model }) => model))];
  if (models.length === 1) return [];
  return [`${start} stands for several models (${models.join(', ')}), whose vectors can't be compared; ${effect}`];
}

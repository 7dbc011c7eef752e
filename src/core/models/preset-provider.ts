import type { ProviderPreset } from './presets.ts';
import type { OpenAiCompatibleConfig } from './providers/openai-compatible/openai-compatible-config.ts';

/** The provider that a preset and its keys make. */
export function toPresetProvider(preset: ProviderPreset, apiKeys: readonly string[]): OpenAiCompatibleConfig {
  return {
    kind: 'openai-compatible',
    name: preset.name,
    baseUrl: preset.baseUrl,
    apiKeys,
    headers: preset.headers,
    models: preset.models,
    modelsUrl: preset.modelsUrl,
    modelsKeyHeader: preset.modelsKeyHeader,
    modelsHeaders: preset.modelsHeaders,
    preferredModels: preset.preferredModels,
    imageProtocol: preset.imageProtocol,
    images: preset.images,
    transcriptionModel: preset.transcriptionModel,
  };
}

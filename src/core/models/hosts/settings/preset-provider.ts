import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import type { AnthropicConfig } from '../anthropic/anthropic-config.ts';
import type { OpenAiCompatibleConfig, SpeechConfig } from '../openai-compatible/openai-compatible-config.ts';
import type { ConfiguredProvider } from './models-config.ts';
import type { ProviderPreset } from './presets.ts';

/**
 * Returns the configuration of a preset with the operator's keys.
 * @param baseUrl base URL at the operator's address, if the preset has no common one.
 */
export function toPresetProvider(
  preset: ProviderPreset,
  apiKeys: readonly string[],
  baseUrl = preset.baseUrl,
): Extract<ConfiguredProvider, OpenAiCompatibleConfig | AnthropicConfig> {
  const { name, headers, models, preferredModels } = preset;
  const priceList = findPriceList(preset, baseUrl);
  const common = { name, baseUrl, apiKeys, headers, models, preferredModels, priceList };
  if (preset.type === 'anthropic') return { kind: 'anthropic', ...common };
  return {
    kind: 'openai-compatible',
    ...common,
    ...findAddresses(preset, baseUrl),
    imageProtocol: preset.imageProtocol,
    images: preset.images,
    pdfPart: preset.pdfPart,
    takesCacheControl: preset.takesCacheControl,
    transcriptionModel: preset.transcriptionModel,
    speech: preset.speech,
  };
}

/** Returns the other addresses of the preset: below `baseUrl`, or at its own hosts, which get no key of another host. */
function findAddresses(preset: ProviderPreset, baseUrl: string) {
  const { modelsUrl, modelsKeyHeader, rerankUrl } = preset;
  if (isAtPreset(preset, baseUrl)) return { modelsUrl, modelsKeyHeader, rerankUrl };
  return modelsUrl !== undefined && URL.canParse(modelsUrl) ? {} : { modelsUrl, modelsKeyHeader };
}

function isAtPreset(preset: ProviderPreset, baseUrl: string): boolean {
  return withoutTrailingSlashes(baseUrl) === preset.baseUrl;
}

/** Returns the name of the preset's price list if `baseUrl` is the host of the preset. */
export function findPriceList(preset: ProviderPreset, baseUrl: string): string | undefined {
  return isAtPreset(preset, baseUrl) ? preset.name : undefined;
}

/** Speech settings of the operator; all are optional. */
export type SpeechOptions = { readonly [Field in keyof SpeechConfig]?: SpeechConfig[Field] | undefined };

/** Fills in the preset's model, and its voice if no other model is set. Returns undefined without a model. */
export function toSpeechConfig(
  preset: ProviderPreset | undefined,
  options: SpeechOptions = {},
): SpeechConfig | undefined {
  const presetSpeech = options.model === undefined ? preset?.speech : undefined;
  const model = options.model ?? presetSpeech?.model;
  return model === undefined
    ? undefined
    : { model, voice: options.voice ?? presetSpeech?.voice, format: options.format };
}

import { z } from 'zod';
import { modelTypeByName } from '../../catalogue/model-kind.ts';
import { FREE } from '../../catalogue/prices/find-list-price.ts';
import { MODEL_TYPES, type ProviderModel } from '../../contract/provider.ts';
import type { ProviderTimeouts } from '../endpoint/endpoint.ts';
import { VOICE_FORMATS } from '../openai-compatible/openai-compatible-config.ts';
import { bedrockFields, toBedrockConfig } from './bedrock-entry.ts';
import { expand, type Reading, readHeaders, splitKeys } from './expand-variables.ts';
import type { ConfiguredProvider } from './models-config.ts';
import { findPriceList, toPresetProvider, toSpeechConfig } from './preset-provider.ts';
import { findPreset, findPresetBaseUrl, PROVIDER_PRESETS, type ProviderPreset } from './presets.ts';
import { priceSchema } from './price-schema.ts';

const text = z.string().trim().min(1, 'must not be empty');
const amount = z.number().nonnegative('must not be negative');
const milliseconds = z.number().int('must be whole milliseconds').positive('must be more than 0');

/** Accepts one item or a list of items. */
export const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.union([item.transform((only) => [only]), z.array(item)]);

const modelSchema = z.union([
  text,
  z.strictObject({
    id: text,
    name: text.optional(),
    type: z.enum(MODEL_TYPES, `must be one of ${MODEL_TYPES.join(', ')}`).optional(),
    owner: text.optional(),
    context_length: z.number().int().positive().optional(),
    price: priceSchema.optional(),
    images: z.boolean().optional(),
    pdf: z.boolean().optional(),
    tools: z.boolean().optional(),
  }),
]);

const TYPES = ['openai', 'anthropic', 'bedrock', 'stable-diffusion-webui'] as const;
/** For files of earlier versions. */
const USE_OPENAI =
  "another Switchboard speaks OpenAI's protocol: use type openai (or none), and a base_url that ends with /ai/openai";

/** Schema of an entry of `providers` in a providers file. */
export const providerEntrySchema = z.strictObject({
  name: text.regex(/^[a-z0-9][a-z0-9-]*$/, 'must be lowercase letters, digits and hyphens').optional(),
  type: z
    .enum(TYPES, {
      error: ({ input }) => (input === 'switchboard' ? USE_OPENAI : `must be one of ${TYPES.join(', ')}`),
    })
    .optional(),
  preset: text.optional(),
  base_url: text.optional(),
  api_keys: oneOrMore(text).optional(),
  headers: z.record(z.string(), z.coerce.string()).optional(),
  models: oneOrMore(modelSchema).optional(),
  models_url: text.optional(),
  rerank_url: text.optional(),
  takes_cache_control: z.boolean('must be true or false').optional(),
  price_list: text.optional(),
  free_fields: oneOrMore(text).optional(),
  image_protocol: z.enum(['images', 'chat', 'none'], 'must be images, chat or none').optional(),
  transcription_model: text.optional(),
  speech_model: text.optional(),
  speech_voice: text.optional(),
  speech_format: z.enum(VOICE_FORMATS, `must be ${VOICE_FORMATS.join(', ')}`).optional(),
  native_size: z
    .number()
    .int('must be whole pixels')
    .min(256, 'must be from 256 to 2048')
    .max(2048, 'must be from 256 to 2048')
    .optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  ...bedrockFields,
  weight: amount.optional(),
  timeouts: z
    .strictObject({
      connect_ms: milliseconds.optional(),
      first_token_ms: milliseconds.optional(),
      idle_ms: milliseconds.optional(),
      total_ms: milliseconds.optional(),
    })
    .optional(),
});

type ProviderEntry = z.infer<typeof providerEntrySchema>;

/** Fields that only some types of provider have. */
const TYPES_WITH = {
  preset: ['openai', 'anthropic'],
  models: ['openai', 'anthropic', 'bedrock'],
  models_url: ['openai'],
  rerank_url: ['openai'],
  takes_cache_control: ['openai'],
  image_protocol: ['openai'],
  transcription_model: ['openai'],
  speech_model: ['openai'],
  speech_voice: ['openai'],
  speech_format: ['openai'],
  region: ['bedrock'],
  credentials: ['bedrock'],
  native_size: ['stable-diffusion-webui'],
  parameters: ['stable-diffusion-webui'],
} as const satisfies Partial<Record<keyof ProviderEntry, readonly (typeof TYPES)[number][]>>;

/** Converts an entry to a configuration. If anything is reported, the result is unusable. */
export function toProviderConfig(entry: ProviderEntry, reading: Reading): ConfiguredProvider {
  const { report } = reading;
  const type = toType(entry);
  reportMisplaced(entry, type, report);
  const preset = takesPreset(type) ? readPreset(entry, type, report) : undefined;
  const name = entry.name ?? (takesPreset(type) ? entry.preset : undefined);
  if (name === undefined) report('.name: is missing');
  const baseUrl = readBaseUrl(entry, preset, reading);
  const common = {
    name: name ?? '',
    baseUrl,
    apiKeys: readKeys(entry, preset, reading),
    headers: { ...preset?.headers, ...readHeaders(entry.headers, reading) },
    weight: entry.weight,
    priceList: readPriceList(entry, report) ?? (preset && findPriceList(preset, baseUrl)),
    ...(entry.free_fields === undefined ? {} : { freeFields: entry.free_fields }),
    timeouts: readTimeouts(entry),
  };
  if (type === 'stable-diffusion-webui') {
    if (common.apiKeys.some((key) => !key.includes(':'))) report('.api_keys: must be user:password');
    return { kind: type, ...common, nativeSize: entry.native_size, parameters: entry.parameters };
  }
  const listed = entry.models?.filter((model) => model !== '*');
  const models = {
    ...(listed && listed.length > 0 ? { models: listed.map(toModel) } : {}),
    acceptsAnyModel: entry.models?.includes('*') ?? false,
  };
  if (type === 'bedrock') return toBedrockConfig(entry, { ...common, ...models }, reading);
  if (type === 'anthropic')
    return { ...(preset ? toPresetProvider(preset, [], baseUrl) : {}), ...common, ...models, kind: type };
  return {
    ...(preset ? toPresetProvider(preset, [], baseUrl) : {}),
    kind: 'openai-compatible',
    ...common,
    ...models,
    ...(entry.models_url === undefined ? {} : { modelsUrl: expand(entry.models_url, '.models_url', reading) }),
    ...readRerankUrl(entry, reading),
    ...(entry.takes_cache_control === undefined ? {} : { takesCacheControl: entry.takes_cache_control }),
    ...(entry.transcription_model === undefined ? {} : { transcriptionModel: entry.transcription_model }),
    speech: readSpeech(entry, preset, report),
    ...(entry.image_protocol === undefined ? {} : { imageProtocol: entry.image_protocol }),
  };
}

function readRerankUrl({ rerank_url: address }: ProviderEntry, reading: Reading) {
  if (address === undefined) return {};
  const rerankUrl = expand(address, '.rerank_url', reading);
  if (!URL.canParse(rerankUrl, 'http://host/')) reading.report('.rerank_url: must be an address, or a path');
  return { rerankUrl };
}

function readPriceList({ price_list: list }: ProviderEntry, report: Reading['report']): string | undefined {
  if (list !== undefined && list !== FREE && !findPreset(list))
    report(`.price_list: must be ${FREE} or the name of a preset`);
  return list;
}

function readSpeech(entry: ProviderEntry, preset: ProviderPreset | undefined, report: Reading['report']) {
  const { speech_model: model, speech_voice: voice, speech_format: format } = entry;
  const speech = toSpeechConfig(preset, { model, voice, format });
  if (!speech && (voice ?? format) !== undefined)
    report('.speech_model: is missing, and is required by the speech options');
  return speech;
}

function toType({ type, preset }: ProviderEntry): (typeof TYPES)[number] {
  return type ?? (preset === undefined ? undefined : findPreset(preset)?.type) ?? 'openai';
}

function takesPreset(type: string): boolean {
  return TYPES_WITH.preset.some((allowed) => allowed === type);
}

function readPreset({ preset: name }: ProviderEntry, type: string, report: Reading['report']) {
  if (name === undefined) return undefined;
  const preset = findPreset(name);
  const { type: presetType = 'openai' } = preset ?? {};
  if (!preset)
    report(`.preset: '${name}' is unknown; known are ${PROVIDER_PRESETS.map((known) => known.name).join(', ')}`);
  else if (presetType !== type) report(`.type: does not go with preset ${name}, whose type is ${presetType}`);
  return preset;
}

function reportMisplaced(entry: ProviderEntry, type: string, report: Reading['report']): void {
  for (const [field, types] of Object.entries(TYPES_WITH)) {
    const allowedTypes: readonly string[] = types;
    if (field in entry && !allowedTypes.includes(type))
      report(`.${field}: does not go with type ${type}, only with ${allowedTypes.join(', ')}`);
  }
}

function readBaseUrl(entry: ProviderEntry, preset: ProviderPreset | undefined, reading: Reading): string {
  const baseUrl =
    entry.base_url === undefined ? readPresetBaseUrl(preset, reading) : expand(entry.base_url, '.base_url', reading);
  if (baseUrl === undefined && entry.preset === undefined && entry.type !== 'bedrock')
    reading.report(`: needs a base_url${takesPreset(toType(entry)) ? ' or a preset' : ''}`);
  if (baseUrl && !/^https?:\/\/\S+$/.test(baseUrl)) reading.report('.base_url: must be an http:// or https:// address');
  return baseUrl ?? '';
}

function readPresetBaseUrl(preset: ProviderPreset | undefined, { variables, report }: Reading): string | undefined {
  const baseUrl = preset && findPresetBaseUrl(preset, variables);
  const [variable] = preset?.addressVariables ?? [];
  if (baseUrl !== undefined || !variable) return baseUrl;
  report(`.base_url: is missing, and the variable ${variable.name} is not set to an address`);
  return '';
}

/** Returns the keys of the entry, else those in the preset's variables. Without keys and preset there are none. */
function readKeys(
  { api_keys: keysOfEntry }: ProviderEntry,
  preset: ProviderPreset | undefined,
  reading: Reading,
): readonly string[] {
  if (keysOfEntry) return keysOfEntry.flatMap((key, index) => splitKeys(expand(key, `.api_keys[${index}]`, reading)));
  if (!preset) return [];
  const [usual] = preset.keyVariables;
  const keys = preset.keyVariables.map((name) => splitKeys(reading.variables(name) ?? ''));
  const found = keys.find(({ length }) => length > 0);
  if (!found) reading.report(`.api_keys: is missing, and the variable ${usual} is not set`);
  return found ?? [];
}

function readTimeouts({ timeouts = {} }: ProviderEntry): Partial<ProviderTimeouts> {
  return {
    ...(timeouts.connect_ms === undefined ? {} : { connectMs: timeouts.connect_ms }),
    ...(timeouts.first_token_ms === undefined ? {} : { firstTokenMs: timeouts.first_token_ms }),
    ...(timeouts.idle_ms === undefined ? {} : { idleMs: timeouts.idle_ms }),
    ...(timeouts.total_ms === undefined ? {} : { totalMs: timeouts.total_ms }),
  };
}

function toModel(model: z.infer<typeof modelSchema>): ProviderModel {
  if (typeof model === 'string') return { id: model, type: modelTypeByName(model) };
  return {
    id: model.id,
    type: model.type ?? modelTypeByName(model.id),
    ownedBy: model.owner,
    displayName: model.name,
    contextLength: model.context_length,
    price: model.price,
    acceptsImages: model.images,
    acceptsPdf: model.pdf,
    acceptsTools: model.tools,
  };
}

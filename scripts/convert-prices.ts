import { Decimal } from 'decimal.js';
import { z } from 'zod';
import type { ImageRate } from '../src/core/models/index.ts';
import { MAX_DOLLARS } from '../src/lib/dollars.ts';

/** LiteLLM's names of the hosts that have a preset, by the name of the preset. */
const VENDORS: Readonly<Record<string, readonly string[]>> = {
  openai: ['openai', 'text-completion-openai'],
  groq: ['groq'],
  cerebras: ['cerebras'],
  google: ['gemini'],
  mistral: ['mistral'],
  deepseek: ['deepseek'],
  anthropic: ['anthropic'],
  xai: ['xai'],
  together: ['together_ai'],
  fireworks: ['fireworks_ai', 'fireworks_ai-embedding-models'],
  sambanova: ['sambanova'],
  cohere: ['cohere', 'cohere_chat'],
  moonshot: ['moonshot'],
  zai: ['zai'],
  alibaba: ['dashscope'],
  minimax: ['minimax'],
  perplexity: ['perplexity'],
  deepinfra: ['deepinfra'],
  hyperbolic: ['hyperbolic'],
  nebius: ['nebius'],
  novita: ['novita'],
  scaleway: ['scaleway'],
  ovhcloud: ['ovhcloud'],
};

const PER_MODE = ['chat', 'responses', 'completion', 'embedding', 'moderation'];
const MODES = [...PER_MODE, 'image_generation', 'image_edit', 'audio_transcription', 'audio_speech'] as const;
/** Names of images of a quality and size, such as `hd/1024-x-1792/dall-e-3` and `256-x-256/dall-e-2`. */
const IMAGE_NAME = /^(?:(low|medium|high|standard|hd)\/)?(\d{2,5})-x-(\d{2,5})\/([^/]+)$/;
/** Prefixes that are not the vendor's own names: fine-tuned models, sizes and qualities of images, defaults of LiteLLM. */
const FOREIGN_NAME = /^(ft:|(low|medium|high|standard|hd)\/|\d+-x-\d+\/|fireworks-ai-|together-ai-)/;

const entrySchema = z.looseObject({ litellm_provider: z.string(), mode: z.enum(MODES) });
type Entry = z.infer<typeof entrySchema>;

export type PriceRow = { readonly provider: string; readonly model: string } & Readonly<Record<string, unknown>>;

/**
 * Converts LiteLLM's list of prices to rows for each preset and model, in a fixed order. Leaves out models of other
 * hosts, models without prices, and prices that can't be expressed.
 */
export function convertPrices(list: unknown): readonly PriceRow[] {
  const rows = new Map<string, PriceRow>();
  const imageRates = new Map<string, ImageRow[]>();
  for (const [name, value] of Object.entries(z.record(z.string(), z.unknown()).parse(list))) {
    const entry = entrySchema.safeParse(value).data;
    const provider = entry && findPreset(entry.litellm_provider);
    if (!entry || provider === undefined) continue;
    const image = toImageRow(name, provider, entry);
    if (image) {
      const key = `${provider} ${image.model}`;
      imageRates.set(key, [...(imageRates.get(key) ?? []), image]);
    }
    if (FOREIGN_NAME.test(name)) continue;
    const [prefix = '', ...rest] = name.split('/');
    const isQualified = prefix === entry.litellm_provider && rest.length > 0;
    const model = isQualified ? rest.join('/') : name;
    const price = toPrice(entry);
    // A qualified name is the host's own; the same name without the prefix repeats it.
    if (price && (isQualified || !rows.has(`${provider} ${model}`)))
      rows.set(`${provider} ${model}`, {
        provider,
        model,
        ...price,
        ...(entry['supports_pdf_input'] === true && { pdf: true }),
      });
  }
  for (const [key, images] of imageRates) {
    const row = rows.get(key);
    // Tokens of images, which hosts report, are more exact.
    if (row?.['imageOutput'] === undefined) rows.set(key, toRatedRow(row, images));
  }
  const order = Object.keys(VENDORS);
  return [...rows.values()].sort(
    (one, other) => order.indexOf(one.provider) - order.indexOf(other.provider) || (one.model < other.model ? -1 : 1),
  );
}

interface ImageRow {
  readonly provider: string;
  readonly model: string;
  readonly rate: ImageRate;
}

/** Reads the price of an image of a quality and size; undefined if the name has none, or there is no price. */
function toImageRow(name: string, provider: string, entry: Entry): ImageRow | undefined {
  const [, quality, width, height, model] = IMAGE_NAME.exec(name) ?? [];
  if (model === undefined) return undefined;
  const ofImage = toAmount(entry['output_cost_per_image'] ?? entry['input_cost_per_image'], 1);
  const ofPixels = toAmount(
    entry['input_cost_per_pixel'] || entry['output_cost_per_pixel'],
    Number(width) * Number(height),
  );
  // Prices of pixels are rounded.
  const usd = ofImage ?? (ofPixels && Number(ofPixels.toFixed(4)));
  if (!usd) return undefined;
  return { provider, model, rate: { ...(quality && { quality }), size: `${width}x${height}`, usd } };
}

/** @param row other prices of the model. */
function toRatedRow(row: PriceRow | undefined, images: readonly ImageRow[]): PriceRow {
  const [first] = images;
  const toOrder = ({ quality = '', size = '' }: ImageRate) => `${quality} ${size.padStart(11)}`;
  const imageRates = images.map(({ rate }) => rate).sort((one, other) => (toOrder(one) < toOrder(other) ? -1 : 1));
  return {
    ...{ provider: first?.provider ?? '', model: first?.model ?? '', ...row },
    ...{ image: Math.max(...imageRates.map(({ usd }) => usd)), imageRates },
  };
}

function findPreset(vendor: string): string | undefined {
  return Object.entries(VENDORS).find(([, vendors]) => vendors.includes(vendor))?.[0];
}

/** Returns undefined if the entry has no price, or further prices that are not known here. */
function toPrice(entry: Entry): Readonly<Record<string, unknown>> | undefined {
  if ('input_cost_per_request' in entry) return undefined;
  const price = { ...toTokenPrices(entry), ...toPiecePrices(entry) };
  const amounts = Object.values(price).filter((amount) => amount !== undefined);
  // LiteLLM has 0 for unknown prices as well as for free models; of these only moderation is certain.
  const isKnown = amounts.some((amount) => amount !== 0) || (entry.mode === 'moderation' && amounts.length > 0);
  return isKnown ? Object.fromEntries(Object.entries(price).filter(([, amount]) => amount !== undefined)) : undefined;
}

function toTokenPrices(entry: Entry) {
  const tiers = toTiers(entry);
  const base = tiers[0] ?? toRates(entry, '');
  const output = base.output ?? perMillion(entry['output_cost_per_image_token']);
  const isPerToken = base.input !== undefined || output !== undefined;
  if (!isPerToken) return {};
  return {
    input: base.input,
    output,
    cachedInput: base.cachedInput,
    cacheWrite: base.cacheWrite,
    cacheWriteHour: nonzero(perMillion(entry['cache_creation_input_token_cost_above_1hr'])),
    reasoning: different(perMillion(entry['output_cost_per_reasoning_token']), output),
    audioInput: different(perMillion(entry['input_cost_per_audio_token']), base.input),
    audioOutput: different(perMillion(entry['output_cost_per_audio_token']), output),
    imageInput: different(perMillion(entry['input_cost_per_image_token']), base.input),
    imageOutput: perMillion(entry['output_cost_per_image_token']),
    longPrompt: tiers.length > 1 ? tiers.slice(1) : undefined,
  };
}

function toPiecePrices(entry: Entry) {
  const isImage = entry.mode.startsWith('image');
  const isAudio = entry.mode.startsWith('audio');
  const perSecond = entry.mode === 'audio_speech' ? entry['output_cost_per_second'] : entry['input_cost_per_second'];
  return {
    image: isImage ? toAmount(entry['output_cost_per_image'] ?? toPriceOfOne(entry), 1) : undefined,
    audioMinute: isAudio ? toAmount(perSecond, 60) : undefined,
    characters: entry.mode === 'audio_speech' ? perMillion(entry['input_cost_per_character']) : undefined,
  };
}

/** For models without token prices, `input_cost_per_image` is the price of a generated image. */
function toPriceOfOne(entry: Entry): unknown {
  return entry['input_cost_per_token'] === undefined ? entry['input_cost_per_image'] : undefined;
}

/** Returns the rates of growing prompts: the usual ones, and those above each limit. Empty without such limits. */
function toTiers(entry: Entry) {
  const ranges = z
    .array(z.looseObject({ range: z.tuple([z.number(), z.number()]) }))
    .safeParse(entry['tiered_pricing']);
  if (ranges.data) return ranges.data.map((tier) => withoutUndefined({ above: tier.range[0], ...toRates(tier, '') }));
  const limits = Object.keys(entry).flatMap(
    (field) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(field)?.[1] ?? [],
  );
  if (limits.length === 0) return [];
  const above = limits.map(Number).sort((one, other) => one - other);
  return [
    toRates(entry, ''),
    ...above.map((thousands) =>
      withoutUndefined({ above: thousands * 1000, ...toRates(entry, `_above_${thousands}k_tokens`) }),
    ),
  ];
}

interface Rates {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cachedInput?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

function toRates(entry: Readonly<Record<string, unknown>>, suffix: string): Rates {
  return {
    input: perMillion(entry[`input_cost_per_token${suffix}`]),
    output: perMillion(entry[`output_cost_per_token${suffix}`]),
    cachedInput: nonzero(perMillion(entry[`cache_read_input_token_cost${suffix}`])),
    cacheWrite: nonzero(perMillion(entry[`cache_creation_input_token_cost${suffix}`])),
  };
}

function withoutUndefined(rates: Rates & { readonly above: number }): Rates & { readonly above: number } {
  const known = Object.entries(rates).filter(([, amount]) => amount !== undefined);
  return { above: rates.above, ...Object.fromEntries(known) };
}

function perMillion(dollars: unknown): number | undefined {
  return toAmount(dollars, 1_000_000);
}

/** LiteLLM's factors have rounding errors in the last digits (`3.083e-05`, `0.000283333333333`). */
function toAmount(dollars: unknown, factor: number): number | undefined {
  if (typeof dollars !== 'number' || !Number.isFinite(dollars) || dollars < 0) return undefined;
  const amount = new Decimal(dollars).mul(factor).toDecimalPlaces(9).toNumber();
  return amount <= MAX_DOLLARS ? amount : undefined;
}

/** LiteLLM has 0 where a host reports no such tokens. */
function nonzero(amount: number | undefined): number | undefined {
  return amount === 0 ? undefined : amount;
}

function different(amount: number | undefined, base: number | undefined): number | undefined {
  return amount === base ? undefined : nonzero(amount);
}

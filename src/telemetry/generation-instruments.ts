import { Counter, Histogram } from 'prom-client';
import type { SpanAttributes } from '../lib/log/observer.ts';
import { type Build, LONG, toCount, toLabel } from './instrument.ts';
import { toGenerationOutcome } from './outcomes.ts';

export const createGenerationInstruments: Build = (registry, { toModelLabel }) => {
  const registers = [registry];
  const labelNames = ['kind', 'provider', 'model'];
  const duration = new Histogram({
    name: 'switchboard_generation_duration_seconds',
    help: 'Duration of generations, including failed ones, from the request to the last chunk. kind: type of the model, such as chat or image.',
    labelNames: [...labelNames, 'outcome'],
    buckets: LONG,
    registers,
  });
  const firstChunk = new Histogram({
    name: 'switchboard_generation_first_chunk_seconds',
    help: 'Time from the request of a streamed answer to its first event.',
    labelNames: ['provider', 'model'],
    buckets: LONG,
    registers,
  });
  const tokens = new Counter({
    name: 'switchboard_generation_tokens_total',
    help: 'Tokens in the usage ledger. direction: prompt or completion.',
    labelNames: ['provider', 'model', 'direction'],
    registers,
  });
  const tokensByType = new Counter({
    name: 'switchboard_tokens_total',
    help: 'Tokens in the usage ledger, each in one type: input, cached_input, cache_write, audio_input, output, reasoning or audio_output. Not those of images.',
    labelNames: ['provider', 'model', 'type'],
    registers,
  });
  const cost = new Counter({
    name: 'switchboard_cost_dollars_total',
    help: 'Costs in the usage ledger in US dollars, without requests whose price is unknown.',
    labelNames: ['provider', 'model'],
    registers,
  });
  const unpriced = new Counter({
    name: 'switchboard_requests_without_price_total',
    help: 'Requests in the usage ledger whose price is unknown.',
    labelNames: ['provider', 'model'],
    registers,
  });
  const images = new Counter({
    name: 'switchboard_generated_images_total',
    help: 'Images generated.',
    labelNames: ['provider', 'model'],
    registers,
  });
  // The name before version 0.3, exported until version 0.4.
  const formerImages = new Counter({
    name: 'switchboard_generated_pictures_total',
    help: 'Deprecated: use switchboard_generated_images_total.',
    labelNames: ['provider', 'model'],
    registers,
  });
  const attempts = new Histogram({
    name: 'switchboard_provider_attempt_duration_seconds',
    help: 'Duration of requests to providers. One generation may take several. kind: type of the model, such as chat or image.',
    labelNames: ['kind', 'provider', 'outcome'],
    buckets: LONG,
    registers,
  });
  const failovers = new Counter({
    name: 'switchboard_provider_failovers_total',
    help: 'Fallbacks to another provider because this one failed.',
    labelNames: ['provider'],
    registers,
  });
  const modelLabels = (attributes: SpanAttributes) => ({
    provider: String(attributes['provider'] ?? 'none'),
    model: toModelLabel(attributes['model']),
  });
  return {
    generation: {
      onEnd(attributes, { seconds, error }) {
        const labels = modelLabels(attributes);
        const { provider, model } = labels;
        const { kind, firstChunkSeconds } = attributes;
        duration.observe({ kind: toLabel(kind), provider, model, outcome: toGenerationOutcome(error) }, seconds);
        if (typeof firstChunkSeconds === 'number') firstChunk.observe(labels, firstChunkSeconds);
      },
    },
    'usage entry': {
      onEnd(attributes) {
        const labels = modelLabels(attributes);
        const { provider, model } = labels;
        tokens.inc({ provider, model, direction: 'prompt' }, toCount(attributes['promptTokens']));
        tokens.inc({ provider, model, direction: 'completion' }, toCount(attributes['completionTokens']));
        if (attributes['kind'] === 'image')
          for (const counter of [images, formerImages]) counter.inc(labels, toCount(attributes['imageCount']));
        else for (const [type, count] of toTokensByType(attributes)) tokensByType.inc({ ...labels, type }, count);
        if (attributes['costUsd'] === undefined) unpriced.inc(labels);
        else cost.inc(labels, toCount(attributes['costUsd']));
      },
    },
    'provider attempt': {
      onEnd(attributes, { seconds, error }) {
        const { kind, provider } = attributes;
        const outcome = toGenerationOutcome(error);
        attempts.observe({ kind: toLabel(kind), provider: toLabel(provider), outcome }, seconds);
        if (typeof attributes['after'] === 'string') failovers.inc({ provider: attributes['after'] });
      },
    },
  };
};

/** Returns the number of tokens of each type. The types do not overlap: together they are all tokens. */
function toTokensByType(attributes: SpanAttributes): readonly (readonly [type: string, count: number])[] {
  const { promptTokens, completionTokens } = attributes;
  return [
    ...split(toCount(promptTokens), 'input', {
      cached_input: attributes['cachedTokens'],
      cache_write: attributes['cacheWriteTokens'],
      audio_input: attributes['audioInputTokens'],
    }),
    ...split(toCount(completionTokens), 'output', {
      reasoning: attributes['reasoningTokens'],
      audio_output: attributes['audioOutputTokens'],
    }),
  ].filter(([, count]) => count > 0);
}

/** Takes the parts from the total; the rest has the type `rest`. */
function split(total: number, rest: string, parts: SpanAttributes): (readonly [type: string, count: number])[] {
  let left = total;
  const counted = Object.entries(parts).map(([type, value]) => {
    const count = Math.min(toCount(value), left);
    left -= count;
    return [type, count] as const;
  });
  return [...counted, [rest, left]];
}

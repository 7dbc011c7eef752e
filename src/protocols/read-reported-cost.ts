import { isJsonObject, type JsonObject } from '../lib/json/json.ts';

const XAI_TICKS_PER_DOLLAR = 10_000_000_000;

/**
 * Returns the cost that a host reports in US dollars: xAI in ticks, Perplexity and OpenRouter in `cost`, DeepInfra as
 * an estimate. With a key of the operator at the upstream host, OpenRouter reports its own fee and the upstream cost.
 * Undefined if there is none, or none that is certainly in dollars.
 */
export function readReportedCost(usage: JsonObject): number | undefined {
  const costUsd = findCost(usage);
  return costUsd !== undefined && costUsd <= MAX_COST ? costUsd : undefined;
}

/** More than any request costs, in US dollars: a larger amount is wrong, and would use up every budget. */
const MAX_COST = 1000;

function findCost(usage: JsonObject): number | undefined {
  const { cost, cost_details: details, cost_in_usd_ticks: ticks, estimated_cost: estimated, is_byok: isByok } = usage;
  if (isAmount(ticks)) return ticks / XAI_TICKS_PER_DOLLAR;
  if (isJsonObject(cost)) return isAmount(cost.total_cost) ? cost.total_cost : undefined;
  if (isAmount(cost)) {
    if (!isJsonObject(details) && typeof isByok !== 'boolean') return undefined;
    const upstream = isByok === true && isJsonObject(details) ? details.upstream_inference_cost : 0;
    return cost + (isAmount(upstream) ? upstream : 0);
  }
  return isAmount(estimated) ? estimated : undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

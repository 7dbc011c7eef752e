import { isJsonObject } from '../../../../lib/json/json.ts';
import { type ModelFacts, readModelFacts } from '../../../../protocols/anthropic-messages/model-facts.ts';
import { parseModelListing } from '../../catalogue/model-listing.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { ProviderModel } from '../../contract/provider.ts';
import type { MessagesHost } from './messages-host.ts';

const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const MAX_PAGES = 20;
/** https://platform.claude.com/docs/en/build-with-claude/pdf-support, for lists without capabilities. */
const READS_PDF = /^claude-(?!instant|2|3-(haiku|opus|sonnet))/;

export interface ListedModels {
  readonly models: readonly ProviderModel[];
  /** By the name of the model. */
  readonly facts: ReadonlyMap<string, ModelFacts>;
}

/**
 * Requests all pages of the host's list of models. Leaves out retired models.
 * @throws ProviderError; the signal's reason.
 */
export async function listModels(host: MessagesHost, provider: string, signal: AbortSignal): Promise<ListedModels> {
  const entries: unknown[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = after === undefined ? '' : `&after_id=${encodeURIComponent(after)}`;
    const page = await host.get(`/v1/models?limit=1000${query}`, MAX_PAGE_BYTES, signal);
    if (!isJsonObject(page) || !Array.isArray(page.data))
      throw new ProviderUnavailableError(provider, `${provider} sent something that is not a list of models`);
    entries.push(...page.data);
    if (page.has_more !== true || typeof page.last_id !== 'string' || page.last_id === after) break;
    after = page.last_id;
  }
  const current = entries.filter(isJsonObject).filter(({ lifecycle }) => lifecycle !== 'retired');
  const models = (parseModelListing(current) ?? [])
    .filter(({ type }) => type === 'chat')
    .map((model) => ({ ...model, acceptsPdf: model.acceptsPdf ?? (READS_PDF.test(model.id) || undefined) }));
  return { models, facts: new Map(current.map((entry) => [String(entry.id), readModelFacts(entry)])) };
}

import type { UsageEntry } from '../accounts/index.ts';
import type { LimitedRequester, Quotas } from '../limits/index.ts';

/** The user and key that a generation is accounted to, and the ids that limits apply to. */
export interface Requester extends LimitedRequester {
  /** Id of the API key; undefined in the bot. */
  readonly keyId: number | undefined;
  /** Patterns of the models that the API key may use. Default: all. */
  readonly allowedModels?: readonly string[] | undefined;
  /** Id of the answer for the client, by which feedback names it. Default: the id that the provider reports. */
  readonly replyId?: string | undefined;
  /** Called with the remaining quotas before the generation starts; not called if nothing is limited. */
  readonly onAdmitted?: ((quotas: Quotas) => void) | undefined;
  /** Called with the entry of the usage ledger for each chat completion, once. */
  readonly onRecorded?: ((entry: UsageEntry) => void) | undefined;
}

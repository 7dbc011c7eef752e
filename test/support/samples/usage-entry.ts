import type { UsageEntry } from '../../../src/core/accounts/usage-recorder.ts';

/** Returns a usage ledger entry for a chat answer of a user. */
export function createUsageEntry(userId: number, changes: Partial<UsageEntry> = {}): UsageEntry {
  return {
    replyId: undefined,
    userId,
    keyId: undefined,
    kind: 'chat',
    model: 'demo',
    provider: 'test',
    promptTokens: 1,
    completionTokens: 2,
    imageCount: 0,
    isEstimated: false,
    finishReason: 'stop',
    durationMs: 10,
    ...changes,
  };
}

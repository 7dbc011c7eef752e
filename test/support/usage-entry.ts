import type { UsageEntry } from '../../src/core/accounts/usage-recorder.ts';

/** A chat answer of somebody, as the books take it. */
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
    pictureCount: 0,
    isEstimated: false,
    finishReason: 'stop',
    durationMs: 10,
    ...changes,
  };
}

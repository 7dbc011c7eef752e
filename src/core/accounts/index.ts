export { type Accounts, createAccounts, type Person } from './accounts.ts';
export { ensureUniversalKey, rotateUniversalKey } from './universal-key.ts';
export { createUsageRecorder, type UsageRecorder } from './usage-recorder.ts';

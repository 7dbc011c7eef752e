export {
  type Accounts,
  createAccounts,
  MAX_SYSTEM_PROMPT_CHARACTERS,
  toUserName,
  type User,
  type UserSettings,
} from './accounts.ts';
export { type AdminRule, markAdminRules, SetByAdminError } from './admin-rules.ts';
export { type ApiKey, type ApiKeys, createApiKeys, MAX_OVERLAP_MS, type NewSecret, toApiKey } from './api-keys.ts';
export { type ApiKeyIdentity, KeyRefusedError } from './key-identity.ts';
export type { NewNetwork } from './key-networks.ts';
export { createKeyPolicySchemas, type KeyPolicy } from './key-policy.ts';
export { createKeyUses } from './key-uses.ts';
export { ledgerDay, ledgerSums, toDollars } from './ledger-sums.ts';
export { ensureUniversalKey, rotateUniversalKey, type UniversalKey, UniversalKeyFileError } from './universal-key.ts';
export {
  createUsageRecorder,
  type LedgerReaderDeps,
  toUsageRow,
  type UsageEntry,
  type UsageRecorder,
} from './usage-recorder.ts';
export { createUsageReports, type UsageReport, type UsageSum } from './usage-reports.ts';

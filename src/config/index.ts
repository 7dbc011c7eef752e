export type { Config, StorageSettings } from './config.ts';
export { createConfig } from './create-config.ts';
export { readEnvironment } from './env.ts';
export { findRisks } from './find-risks.ts';
export { settingNames } from './schema.ts';

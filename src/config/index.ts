export type { Config, StorageLocation, StorageSettings } from './config.ts';
export { createConfig, type Foundation, findFoundation } from './create-config.ts';
export { type Environment, readEnvironment } from './env.ts';
export { canStrangersUpload, findRisks, isPublic } from './find-risks.ts';
export { findUnknownSettings } from './find-unknown-settings.ts';
export { isPostgresUrl } from './kinds-of-values.ts';
export { STORABLE_SETTINGS, type StorableSetting, settingNames } from './schema.ts';

export type { Config, StorageSettings } from './config.ts';
export { createConfig } from './create-config.ts';
export { readEnvironment } from './env.ts';
export { settingNames } from './schema.ts';

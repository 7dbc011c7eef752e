export { readEnvironment } from './env.ts';
export { type Config, createConfig, type StorageSettings, settingNames } from './schema.ts';

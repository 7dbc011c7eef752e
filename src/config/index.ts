export { readEnvironment } from './env.ts';
export { type Config, ConfigError, createConfig, type StorageSettings, settingNames } from './schema.ts';

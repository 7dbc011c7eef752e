export { readEnvironment } from './env.ts';
export { type Config, ConfigError, createConfig, type StorageSettings } from './schema.ts';

export { readEnvironment } from './env.ts';
export { type Config, ConfigError, createConfig } from './schema.ts';

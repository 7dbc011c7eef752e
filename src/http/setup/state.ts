import type { FastifyInstance } from 'fastify';
import { isDemonstration, KEY_ONLY_PRESETS } from '../../core/models/index.ts';
import type { HttpServices } from '../services.ts';
import type { SetupChecks } from './setup-checks.ts';

/** Parts that run, and parts that can be connected. */
export interface SetupState {
  readonly models: number;
  /** True while the only models are those of the demonstration. */
  readonly is_demonstration: boolean;
  readonly default_model: string | null;
  readonly default_image_model: string | null;
  readonly universal_key: {
    /** As in the start report. */
    readonly kind: 'off' | 'configured' | 'file' | 'elsewhere' | 'unkept';
    /** File of the key; its content is in no answer. */
    readonly path: string | null;
  };
  /** Providers that need a key and nothing else. */
  readonly presets: readonly Preset[];
  readonly public_url: string | null;
  /** True while anyone who reaches the public address may upload. */
  readonly strangers_upload: boolean;
}

interface Preset {
  /** Name of the provider in `/api/providers`. */
  readonly name: string;
  readonly display_name: string;
  /** Setting for its key. */
  readonly variable: string;
}

const presets: readonly Preset[] = KEY_ONLY_PRESETS.map(({ name, displayName, keyVariables: [variable] }) => ({
  name,
  display_name: displayName,
  variable,
}));

/** Key variables of the presets. */
export const setupVariables: readonly string[] = presets.map(({ variable }) => variable);

/** Adds `GET /api/setup`. */
export function addSetupState(
  server: FastifyInstance,
  { catalogue, administration }: HttpServices,
  setup: SetupChecks,
): void {
  const { universalKey, publicUrl } = setup;
  server.get(
    '/api/setup',
    (): SetupState => ({
      models: catalogue.list().length,
      is_demonstration: catalogue.list().every(isDemonstration),
      default_model: catalogue.defaultChatModel()?.id ?? null,
      default_image_model: catalogue.defaultImageModel()?.id ?? null,
      universal_key: { kind: universalKey.kind, path: 'path' in universalKey ? universalKey.path : null },
      presets,
      public_url: publicUrl ?? null,
      strangers_upload: setup.isPublic && administration.uploads === 'anyone',
    }),
  );
}

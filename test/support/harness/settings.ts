import { readSettings } from '../../../src/app/read-settings.ts';
import { createSettingsEditor } from '../../../src/app/settings-editor.ts';
import { StoredState } from '../../../src/app/stored-state.ts';
import type { Environment } from '../../../src/config/index.ts';
import type { Catalogue } from '../../../src/core/models/index.ts';
import type { Database } from '../../../src/database/connect.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Logger } from '../../../src/lib/log/logger.ts';

const KEY = Buffer.alloc(32, 9);

interface TestSettingsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface TestSettingsOptions {
  readonly catalogue: Pick<Catalogue, 'find' | 'list' | 'findPrices'>;
  /** Read at each use. */
  readonly adminIds: readonly number[];
  /** Default: the same for all. */
  readonly encryptionKey?: Buffer;
}

/** Creates the editor of the settings for a service that is not started by them. */
export async function createTestSettings({ db, clock, logger }: TestSettingsDeps, options: TestSettingsOptions) {
  const { catalogue, adminIds, encryptionKey: key = KEY } = options;
  const stored = new StoredState(
    { db, clock },
    {
      database: { kind: 'embedded', directory: '' },
      dataDirectory: '',
      logLevel: 'info',
      operations: { metricsToken: undefined, traces: undefined, metrics: undefined, logs: undefined },
      encryptionKey: { kind: 'given', key },
      formerEncryptionKeys: [],
    },
  );
  await stored.read();
  let environment: Environment = { values: {}, fileNames: [] };
  const read = () => readSettings(environment, stored.toValues());
  let settings = await read();
  let working: Promise<unknown> = Promise.resolve();
  const editor = createSettingsEditor({
    ...{ clock, logger, stored },
    host: {
      get settings() {
        return settings;
      },
      get environment() {
        return environment;
      },
      catalogue,
      isAdmin: (telegramId) => adminIds.includes(telegramId),
      onRead: () => {},
      async apply() {
        settings = await read();
        return 'in-force';
      },
      inTurn(work) {
        const result = working.then(work);
        working = result.catch(() => {});
        return result;
      },
    },
  });
  return {
    editor,
    /** The settings in force. */
    current: () => settings,
    /** Sets a variable of the environment, as the operator does. */
    async setVariable(name: string, value: string | undefined) {
      environment = { ...environment, values: { ...environment.values, [name]: value } };
      settings = await read();
    },
    /** Reads everything again, as after a change by another process. */
    async readAgain() {
      await stored.read();
      settings = await read();
    },
  };
}

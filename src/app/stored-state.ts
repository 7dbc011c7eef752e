import type { Foundation } from '../config/index.ts';
import { countWorkers } from '../core/inbox/index.ts';
import { ensureEncryptionKey, findEncryptionKey } from '../core/storage/index.ts';
import { createStoredSettings, type SettingId, type StoredSetting } from '../core/stored-settings/index.ts';
import type { Database } from '../database/connect.ts';
import type { Clock } from '../lib/clock.ts';
import type { StoredValues } from './stored-values.ts';

type SettingsChange = Parameters<ReturnType<typeof createStoredSettings>['store']>[1];

/** What admins have stored, as this process has read it last. */
export class StoredState {
  readonly #db: Database;
  readonly #foundation: Foundation;
  readonly #settings: ReturnType<typeof createStoredSettings>;
  #byId: ReadonlyMap<SettingId, StoredSetting> = new Map();
  #revision = 0;

  constructor({ db, clock }: { readonly db: Database; readonly clock: Clock }, foundation: Foundation) {
    this.#db = db;
    this.#foundation = foundation;
    this.#settings = createStoredSettings({ db, clock });
  }

  get byId(): ReadonlyMap<SettingId, StoredSetting> {
    return this.#byId;
  }

  /** Reads everything again. */
  async read(): Promise<void> {
    const { encryptionKey, formerEncryptionKeys } = this.#foundation;
    const key = encryptionKey.kind === 'given' ? encryptionKey.key : await findEncryptionKey(encryptionKey.path);
    const { settings, revision } = await this.#settings.read([...(key ? [key] : []), ...formerEncryptionKeys]);
    this.#byId = new Map(settings.map((setting) => [setting.id, setting]));
    this.#revision = revision;
  }

  /** Returns whether another process has stored a change since the last reading. */
  async isOutdated(): Promise<boolean> {
    return (await this.#settings.readRevision()) !== this.#revision;
  }

  toValues(): StoredValues {
    const settings = [...this.#byId.values()];
    return {
      values: new Map(settings.flatMap(({ id, state, value }) => (state === 'stored' ? [[id, value] as const] : []))),
      unreadable: settings.flatMap(({ id, state }) => (state === 'unreadable' ? [id] : [])),
    };
  }

  /** Encrypts what former encryption keys have encrypted with the present one. Other processes need to have both. */
  async rewrap(): Promise<void> {
    const { formerEncryptionKeys } = this.#foundation;
    if (formerEncryptionKeys.length > 0)
      await this.#settings.rewrap([await this.#ensureKey(), ...formerEncryptionKeys]);
  }

  /** Stores a change that was checked with what was read last, and reads everything again. @throws like `store` */
  async store(change: Omit<SettingsChange, 'revision'>): Promise<void> {
    await this.#settings.store(await this.#ensureKey(), { ...change, revision: this.#revision });
    await this.read();
  }

  async #ensureKey(): Promise<Buffer> {
    const { encryptionKey } = this.#foundation;
    return encryptionKey.kind === 'given' ? encryptionKey.key : ensureEncryptionKey(encryptionKey.path);
  }

  /** Returns why nothing can be stored; undefined if it can. */
  async findObstacle(): Promise<string | undefined> {
    const { encryptionKey, database } = this.#foundation;
    if (encryptionKey.kind === 'given' || database.kind === 'embedded') return undefined;
    return (await countWorkers(this.#db)) > 1
      ? 'Several processes use this database, and each has an encryption key of its own: set the same ENCRYPTION_KEY in all of them'
      : undefined;
  }
}

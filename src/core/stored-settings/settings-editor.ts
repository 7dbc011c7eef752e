import type { Manager } from '../management/index.ts';
import type { SettingId, SettingKind } from './setting-id.ts';
import type { StoredSetting } from './stored-settings.ts';

/** A field of a form, from the schema of the providers file. */
export interface FormField {
  /** Names of the field and of those around it: `user.tokens_per_day`. Empty: the setting as a whole. */
  readonly path: string;
  /**
   * `lines`, `numbers`: a list. `pairs`: names with texts. `items`: a list of entries with `fields`; one with its first
   * field only may be a text. `name`: the name of the setting.
   */
  readonly type: 'text' | 'number' | 'flag' | 'choice' | 'lines' | 'numbers' | 'pairs' | 'items' | 'name';
  /** Whether its texts are stored secrets, which answers don't contain. */
  readonly isSecret: boolean;
  /** Whether most entries need it. */
  readonly isMain: boolean;
  /** Path of a field in place of which it is needed. */
  readonly unless?: string;
  /** Of a `choice`. */
  readonly options?: readonly string[];
  readonly fields?: readonly FormField[];
}

export const FORM_NAMES = ['provider', 'alias', 'plan', 'budget', 'mcp', 'function'] as const;

/** A form for settings of a kind. */
export interface SettingForm {
  readonly name: (typeof FORM_NAMES)[number];
  readonly kind: SettingKind;
  readonly fields: readonly FormField[];
}

/** A setting in its form. */
export interface FilledForm {
  readonly name: SettingForm['name'];
  /** Contents of the form's fields. */
  readonly value: unknown;
  /** Fields that the form does not have. */
  readonly rest: object;
}

/** A setting as admins see it, without secrets. */
export interface SettingView {
  readonly id: SettingId;
  readonly kind: SettingKind;
  readonly name: string;
  /** Where the setting in force comes from. `removed`: it can be restored. */
  readonly origin: 'environment' | 'file' | 'stored' | 'removed';
  /** Undefined for entries of the file, and for settings that can't be read. */
  readonly value: unknown;
  /** Whether the value is a secret as a whole. */
  readonly isSecret: boolean;
  /** The value in its form; undefined for variables, and without a value. */
  readonly form: FilledForm | undefined;
  /** Why a stored setting is not in force. */
  readonly problem: string | undefined;
  /** The last change; undefined if nothing has been stored. */
  readonly change: Pick<StoredSetting, 'version' | 'changedBy' | 'changedAt'> | undefined;
}

/** What a change has done. */
export interface ChangeEffect {
  /** `restarting`: the service stops and starts again with the changed settings. */
  readonly kind: 'in-force' | 'restarting';
  /** What the tests have found out: `groq: 12 models`. */
  readonly findings: readonly string[];
}

export interface ChangeParams {
  readonly manager: Pick<Manager, 'telegramId' | 'keyId'>;
  /** Values by id; undefined removes a setting. */
  readonly values: ReadonlyMap<SettingId, unknown>;
  /** Called with each setting before it is changed. What it throws prevents the change. */
  readonly check?: ((current: SettingView) => void) | undefined;
  /** Stores the change even if the provider, the tool server or Telegram does not answer as it should. */
  readonly isUntested?: boolean | undefined;
  /** Accepts that the bot has no admins and is open to everyone. */
  readonly isForEveryone?: boolean | undefined;
}

/**
 * What admins use to see and change settings. A change is checked as a whole, tested, stored with its entry in the audit
 * log, and put in force here at once and in other processes within seconds. Changes throw `SettingsError`,
 * `SettingsTestError`, `SettingFixedError`, `SettingsChangedError`, `TooManySettingsError`, `AccessUndecidedError`,
 * `NotAdminError`, and what `check` throws; then nothing has changed.
 */
export interface SettingsEditor {
  readonly forms: readonly SettingForm[];
  list(): readonly SettingView[];
  /** Returns a setting; one that does not exist is `removed`. */
  find(id: SettingId): SettingView;
  /** Prints all settings in force as one providers file, without secrets. */
  exportYaml(): string;
  /** Returns why nothing can be stored; undefined if it can. */
  findObstacle(): Promise<string | undefined>;
  /** Checks and tests a change without storing it, and returns what was found. */
  test(params: ChangeParams): Promise<readonly string[]>;
  change(params: ChangeParams): Promise<ChangeEffect>;
  /**
   * Makes a user the first admin of a bot that has none and is open to everyone.
   * @param redeem uses up what gives the user the right to it. Called last.
   * @returns false if the bot has admins or is private, or if `redeem` returns false.
   * @throws SettingFixedError if nothing can be stored; SettingsChangedError
   */
  makeFirstAdmin(telegramId: number, redeem: () => Promise<boolean>): Promise<boolean>;
  /** Restores the value before the last change. */
  undo(params: Omit<ChangeParams, 'values'> & { readonly id: SettingId }): Promise<ChangeEffect>;
}

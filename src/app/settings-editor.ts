import type { Environment } from '../config/index.ts';
import type { Catalogue } from '../core/models/index.ts';
import {
  AccessUndecidedError,
  type ChangeEffect,
  type ChangeParams,
  NotAdminError,
  SettingFixedError,
  type SettingId,
  SettingsChangedError,
  type SettingsEditor,
  type StoredSetting,
} from '../core/stored-settings/index.ts';
import type { Clock } from '../lib/clock.ts';
import { SettingsError } from '../lib/errors/settings-error.ts';
import type { Logger } from '../lib/log/logger.ts';
import { exportSettings } from './export-settings.ts';
import { readSettings, type Settings } from './read-settings.ts';
import { SETTING_FORMS } from './setting-forms.ts';
import { completeChange, describeChange, listSettings, viewSetting } from './setting-views.ts';
import type { StoredState } from './stored-state.ts';
import { testChanges } from './test-changes.ts';

/** The service whose settings are changed. */
export interface SettingsHost {
  /** Settings in force. */
  readonly settings: Settings;
  /** Variables without those that are stored. */
  readonly environment: Environment;
  /** Models in use. */
  readonly catalogue: Pick<Catalogue, 'find' | 'list' | 'findPrices'>;
  isAdmin(telegramId: number): boolean;
  /** Called with a candidate, so that its secrets are redacted from the log. */
  onRead(candidate: Settings): void;
  /**
   * Puts what is stored in force.
   * @param revert stores the former values again if the service can't start with the new ones.
   */
  apply(revert?: () => Promise<void>): Promise<ChangeEffect['kind']>;
  /** Runs work on the settings after that which runs already. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface SettingsEditorDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stored: StoredState;
  readonly host: SettingsHost;
}

/** Creates the editor of the settings of a service. */
export function createSettingsEditor(deps: SettingsEditorDeps): SettingsEditor {
  const { stored, host } = deps;
  return {
    forms: SETTING_FORMS,
    list: () => listSettings(host.settings, stored.byId),
    find: (id) => viewSetting(host.settings, stored.byId, id),
    exportYaml: () => exportSettings(host.settings, stored.byId),
    findObstacle: () => stored.findObstacle(),
    async test(params) {
      const { candidate, values } = await prepare(deps, params);
      return test(deps, candidate, values);
    },
    change: (params) => host.inTurn(() => change(deps, params, isRemoval(params) ? 'remove-setting' : 'set-setting')),
    makeFirstAdmin: (telegramId, redeem) => host.inTurn(() => makeFirstAdmin(deps, telegramId, redeem)),
    undo: ({ id, ...params }) =>
      host.inTurn(() => {
        const row = stored.byId.get(id);
        if (row?.isFormerLost)
          throw new SettingFixedError('The former value can’t be read: the encryption key is another');
        return change(deps, { ...params, values: new Map([[id, row?.formerValue]]) }, 'undo-setting');
      }),
  };
}

async function makeFirstAdmin(deps: SettingsEditorDeps, telegramId: number, redeem: () => Promise<boolean>) {
  const { stored, host } = deps;
  const { adminIds, allowedIds } = host.settings.config;
  if (adminIds.length + allowedIds.length > 0) return false;
  const obstacle = await stored.findObstacle();
  if (obstacle !== undefined) throw new SettingFixedError(obstacle);
  const manager = { telegramId, keyId: undefined };
  const { values } = await prepare(deps, { manager, values: new Map([['variable:ADMIN_IDS', String(telegramId)]]) });
  if (!(await redeem())) return false;
  const notes = new Map([['variable:ADMIN_IDS', `${telegramId}, the first admin`] as const]);
  await stored.store({ admin: { adminTelegramId: telegramId }, action: 'set-setting', values, notes });
  await host.apply();
  return true;
}

const isRemoval = ({ values }: ChangeParams) => [...values.values()].every((value) => value === undefined);

type Action = 'set-setting' | 'remove-setting' | 'undo-setting';

async function change(deps: SettingsEditorDeps, params: ChangeParams, action: Action): Promise<ChangeEffect> {
  const { stored, host } = deps;
  const { manager } = params;
  const obstacle = await stored.findObstacle();
  if (obstacle !== undefined) throw new SettingFixedError(obstacle);
  const { candidate, values } = await prepare(deps, params);
  const findings = params.isUntested ? [] : await test(deps, candidate, values);
  const former = stored.byId;
  const notes = [...values].map(([id, value]) => [id, describeChange(id, value, former.get(id)?.value)] as const);
  const admin = { adminTelegramId: manager.telegramId, keyId: manager.keyId };
  try {
    const check = () => requireAdmin(host, manager, candidate);
    await stored.store({ admin, action, values, notes: new Map(notes), check });
  } catch (error) {
    if (!(error instanceof SettingsChangedError)) throw error;
    await stored.read();
    await host.apply();
    throw error;
  }
  return { kind: await host.apply(() => revert(deps, { admin, values, former })), findings };
}

/** Reads the settings as they would be after a change. */
async function prepare({ stored, host }: SettingsEditorDeps, { values: given, check, isForEveryone }: ChangeParams) {
  for (const id of given.keys()) check?.(viewSetting(host.settings, stored.byId, id));
  const values = completeChange(host.settings, stored.byId, given);
  const present = stored.toValues();
  const all = [...new Map([...present.values, ...values])].filter(([, value]) => value !== undefined);
  const candidate = await readSettings(host.environment, {
    values: new Map(all),
    unreadable: present.unreadable.filter((id) => !values.has(id)),
    changed: new Set(values.keys()),
  });
  host.onRead(candidate);
  if (!isForEveryone) requireAccess(candidate, values);
  return { candidate, values };
}

const ACCESS: readonly SettingId[] = ['variable:BOT_TOKEN', 'variable:ADMIN_IDS', 'variable:ALLOWED_IDS'];

/** Checks that a change does not leave a bot to everyone without a word about who may use it. */
function requireAccess({ config }: Settings, values: ChangeParams['values']) {
  const { telegram, adminIds, allowedIds } = config;
  if (telegram.mode === 'bot' && adminIds.length + allowedIds.length === 0 && ACCESS.some((id) => values.has(id)))
    throw new AccessUndecidedError();
}

function test({ clock, logger, host }: SettingsEditorDeps, candidate: Settings, values: ChangeParams['values']) {
  return testChanges({ clock, logger, catalogue: host.catalogue }, candidate, [...values.keys()]);
}

/** Tests take seconds, in which the admin may have lost the right to this change. */
function requireAdmin(
  { isAdmin, settings }: SettingsHost,
  { telegramId }: ChangeParams['manager'],
  candidate: Settings,
) {
  if (!isAdmin(telegramId)) throw new NotAdminError();
  const { adminIds, telegram } = candidate.config;
  const isChanged = String(adminIds) !== String(settings.config.adminIds);
  // The user of the playground is no user of Telegram.
  const isPlayground = settings.config.telegram.mode === 'playground' || telegram.mode === 'playground';
  if (isChanged && !isPlayground && !adminIds.includes(telegramId))
    throw new SettingsError(['ADMIN_IDS must contain your own id: another admin can remove it']);
}

interface RevertParams {
  readonly admin: { readonly adminTelegramId: number; readonly keyId: number | undefined };
  readonly values: ChangeParams['values'];
  readonly former: ReadonlyMap<SettingId, StoredSetting>;
}

/** Stores the values before a change again. */
async function revert({ stored }: SettingsEditorDeps, { admin, values, former }: RevertParams): Promise<void> {
  const ids = [...values.keys()];
  await stored.read();
  await stored.store({
    admin,
    action: 'undo-setting',
    values: new Map(ids.map((id) => [id, former.get(id)?.value])),
    notes: new Map(ids.map((id) => [id, 'the service could not start with it'])),
  });
}

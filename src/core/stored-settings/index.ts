export {
  AccessUndecidedError,
  NotAdminError,
  SettingFixedError,
  SettingsChangedError,
  SettingsTestError,
  TooManySettingsError,
} from './errors.ts';
export { SETTING_KINDS, type SettingId, type SettingKind, splitSettingId, toSettingId } from './setting-id.ts';
export type { ChangeEffect, ChangeParams, SettingsEditor, SettingView } from './settings-editor.ts';
export { createStoredSettings, type StoredSetting } from './stored-settings.ts';

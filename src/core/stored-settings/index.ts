export {
  AccessUndecidedError,
  NotAdminError,
  SettingFixedError,
  SettingsChangedError,
  SettingsTestError,
  TooManySettingsError,
} from './errors.ts';
export { SETTING_KINDS, type SettingId, type SettingKind, splitSettingId, toSettingId } from './setting-id.ts';
export {
  type ChangeEffect,
  type ChangeParams,
  type FilledForm,
  FORM_NAMES,
  type FormField,
  type SettingForm,
  type SettingsEditor,
  type SettingView,
} from './settings-editor.ts';
export { createStoredSettings, type StoredSetting } from './stored-settings.ts';

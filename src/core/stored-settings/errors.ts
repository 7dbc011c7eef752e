/** Thrown when another change has been stored since the settings were read. */
export class SettingsChangedError extends Error {
  override readonly name = 'SettingsChangedError';
}

/** Thrown when there is no room for another setting. */
export class TooManySettingsError extends Error {
  override readonly name = 'TooManySettingsError';
}

/** Thrown when a setting can't be changed in the console. The message says why. */
export class SettingFixedError extends Error {
  override readonly name = 'SettingFixedError';
}

/** Thrown when a change is valid, but what it names does not work. The problems contain no secrets. */
export class SettingsTestError extends Error {
  override readonly name = 'SettingsTestError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Thrown when a change would make a bot without admins that is open to everyone, and does not say that it is meant. */
export class AccessUndecidedError extends Error {
  override readonly name = 'AccessUndecidedError';
}

/** Thrown when the admin who makes a change is no admin any more. */
export class NotAdminError extends Error {
  override readonly name = 'NotAdminError';
}

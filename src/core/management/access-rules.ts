/** Configuration that decides about roles and access. Read at each call. */
export interface AccessRules {
  readonly adminIds: readonly number[];
  /** Empty: all users are allowed. */
  readonly allowedIds: readonly number[];
  /** Whether names of Telegram are stored. Default false. */
  readonly storesNames?: boolean | undefined;
}

/** Kinds of settings that admins can store: variables of the environment, and entries of the providers file. */
export const SETTING_KINDS = ['variable', 'provider', 'alias', 'plan', 'budget', 'tool'] as const;
export type SettingKind = (typeof SETTING_KINDS)[number];

/** Kind and name of a setting: `variable:BOT_TOKEN`, `provider:groq`, `budget:instance`. */
export type SettingId = `${SettingKind}:${string}`;

const ID = new RegExp(String.raw`^(${SETTING_KINDS.join('|')}):([\w.-]{1,64})$`);

/** Returns the text as an id; undefined if it is none. */
export function toSettingId(text: string): SettingId | undefined {
  return ID.test(text) ? (text as SettingId) : undefined;
}

export function splitSettingId(id: SettingId): { readonly kind: SettingKind; readonly name: string } {
  const [, kind, name = ''] = ID.exec(id) ?? [];
  return { kind: kind as SettingKind, name };
}

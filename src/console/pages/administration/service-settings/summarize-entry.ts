import { findLabel, groupOf } from './field-texts.ts';
import { type FormField, toDraft } from './form-values.ts';

/** Names of fields, by their path or its last part, and of groups. */
interface Names {
  readonly fields: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<string, string>>;
}

/** Returns what the main fields of an entry contain, without secrets: `Each user: Tokens a day 1000`. */
export function summarizeEntry(fields: readonly FormField[], value: unknown, names: Names): readonly string[] {
  const draft = toDraft(fields, value);
  const shown = fields.filter(({ main, secret, type }) => main && !secret && type !== 'name');
  return shown.flatMap(({ path, type }) => {
    const items = draft.items[path] ?? [];
    const text = type === 'items' ? (items.length > 0 ? String(items.length) : '') : (draft.texts[path] ?? '');
    if (text === '') return [];
    if (path === '') return [text.replaceAll('\n', ', ')];
    const group = groupOf(path);
    const label = `${findLabel(names.fields, path) ?? path.split('.').at(-1)}: ${text.replaceAll('\n', ', ')}`;
    return [group === '' ? label : `${names.groups[group] ?? group}, ${label}`];
  });
}

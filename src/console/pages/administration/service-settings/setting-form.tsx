import type { ComponentChildren } from 'preact';
import { Button } from '../../../ui/button.tsx';
import { Choice, Field } from '../../../ui/field.tsx';
import { useSharedTexts, useTexts } from '../../../view-context.ts';
import { findLabel, groupOf, texts } from './field-texts.ts';
import { type AnyField, type Draft, EMPTY_DRAFT, type ItemField } from './form-values.ts';

interface FieldsProps {
  readonly fields: readonly AnyField[];
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** Why values were refused, by path. */
  readonly problems: ReadonlyMap<string, string>;
  /** Shown at the end of what few entries need. */
  readonly more?: ComponentChildren;
  /** Path of the entry in a list whose fields these are, with a dot. Default: they are those of the setting. */
  readonly within?: string;
  /** Names of options, by value. */
  readonly optionNames?: Readonly<Record<string, string>>;
}

/** The fields of a form: what most settings need, and the rest behind *More*. */
export function FormFields(props: FieldsProps) {
  const { fields, draft, problems, more, within = '' } = props;
  const words = useTexts(texts);
  const isMain = ({ main, unless }: ItemField) => main && (unless === null || !draft.texts[unless]);
  const shown = fields.filter(({ type }) => type !== 'name');
  const others = shown.filter((field) => !isMain(field));
  const hasProblem = others.some(({ path }) => [...problems.keys()].some((each) => each.startsWith(within + path)));
  return (
    <>
      <Groups {...props} fields={shown.filter(isMain)} />
      {(others.length > 0 || more !== undefined) && (
        <details open={hasProblem}>
          <summary>{words.more}</summary>
          <div class="stack">
            <Groups {...props} fields={others} />
            {more}
          </div>
        </details>
      )}
    </>
  );
}

/** Shows fields, those below one name together. */
function Groups(props: FieldsProps) {
  const words = useTexts(texts);
  const groups = Map.groupBy(props.fields, ({ path }) => groupOf(path));
  return [...groups].map(([name, fields]) =>
    name === '' ? (
      fields.map((field) => <FieldInput key={field.path} {...props} field={field} />)
    ) : (
      <fieldset key={name}>
        <legend>{words.groups[name] ?? name}</legend>
        <div class="fields">
          {fields.map((field) => (
            <FieldInput key={field.path} {...props} field={field} />
          ))}
        </div>
      </fieldset>
    ),
  );
}

const AREA_ROWS = { lines: 3, pairs: 2 } as const;

function FieldInput({ field, ...props }: FieldsProps & { readonly field: AnyField }) {
  const { draft, onChange, problems, within = '', optionNames = {} } = props;
  const words = useTexts(texts);
  const { yes, no } = useSharedTexts();
  const { path, type, secret, options } = field;
  if (type === 'items') return <Items {...props} field={field} />;
  const shared = {
    label: findLabel(words.fields, path) ?? path,
    hint: words.hints[path],
    problem: problems.get(within + path),
    value: draft.texts[path] ?? '',
    onChange: (text: string) => onChange({ ...draft, texts: { ...draft.texts, [path]: text } }),
  };
  switch (type) {
    case 'flag':
      return (
        <Choice
          {...shared}
          options={[
            ['', words.unset],
            ['true', yes],
            ['false', no],
          ]}
        />
      );
    case 'choice': {
      const names = (options ?? []).map((option) => [option, optionNames[option] ?? option] as const);
      return <Choice {...shared} options={[['', words.unsetChoices[path] ?? words.unset], ...names]} />;
    }
    case 'lines':
    case 'pairs':
      return secret && type === 'lines' ? (
        <Field {...shared} type="password" />
      ) : (
        <Field {...shared} rows={AREA_ROWS[type]} />
      );
    default:
      return <Field {...shared} type={type === 'number' ? 'number' : secret ? 'password' : 'text'} />;
  }
}

/** Entries of a list, each with fields of its own. */
function Items({ field, ...props }: FieldsProps & { readonly field: AnyField }) {
  const { draft, onChange, problems, within = '' } = props;
  const words = useTexts(texts);
  const { path, fields } = field;
  const items = draft.items[path] ?? [];
  const change = (list: readonly Draft[]) => onChange({ ...draft, items: { ...draft.items, [path]: list } });
  const problem = problems.get(within + path);
  return (
    <fieldset class="stack">
      <legend>{findLabel(words.fields, path) ?? path}</legend>
      <p class="dim">{words.hints[path]}</p>
      {problem !== undefined && <p class="error">{problem}</p>}
      {items.map((item, index) => (
        // Entries have no id, and all their fields are controlled.
        <fieldset key={index} class="stack">
          <legend>{words.item(index + 1)}</legend>
          <FormFields
            fields={fields ?? []}
            draft={item}
            problems={problems}
            within={`${path}[${index}].`}
            onChange={(changed) => change(items.with(index, changed))}
          />
          <Button label={words.removeItem(index + 1)} onPress={() => change(items.toSpliced(index, 1))}>
            {words.remove}
          </Button>
        </fieldset>
      ))}
      <Button onPress={() => change([...items, EMPTY_DRAFT])}>{words.addItem}</Button>
    </fieldset>
  );
}

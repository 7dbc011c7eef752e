import { useMemo } from 'preact/hooks';
import type { ModelOption } from '../../api/types.ts';
import { useOwnTexts } from '../../view-context.ts';
import { OptionalChoice } from './optional-choice.tsx';
import { texts } from './texts.ts';

interface ModelChoiceProps {
  readonly label: string;
  readonly models: readonly ModelOption[];
  readonly defaultModel: string | null;
  readonly value: string | null;
  readonly onChange: (model: string | null) => void;
}

/** A choice of a model. A chosen one that no longer exists stays in the list and says so. */
export function ModelChoice({ label, models, defaultModel, value, onChange }: ModelChoiceProps) {
  const words = useOwnTexts(texts);
  const options = useMemo(() => {
    const named = models.map(({ id, name }) => [id, name === null || name === id ? id : `${name} · ${id}`] as const);
    const isGone = value !== null && models.every(({ id }) => id !== value);
    return Object.fromEntries([...(isGone ? [[value, words.gone(value)] as const] : []), ...named]);
  }, [models, value, words]);
  return (
    <OptionalChoice
      label={label}
      unset={words.defaultModel(defaultModel)}
      options={options}
      value={value}
      onChange={onChange}
    />
  );
}

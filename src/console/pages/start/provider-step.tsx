import { Fragment } from 'preact';
import type { ProviderAnswer, SetupState } from '../../api/types.ts';
import { Choice } from '../../ui/field.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { CheckedField } from './checked-field.tsx';
import { Step, Verdict } from './step.tsx';
import { texts } from './texts.ts';
import type { Check } from './use-check.ts';

interface ProviderStepProps {
  readonly presets: SetupState['presets'];
  /** Setting for the key of the chosen provider. */
  readonly variable: string;
  readonly onVariable: (variable: string) => void;
  readonly providerKey: Check<ProviderAnswer>;
}

/** Providers whose keys have a free tier, with the pages that give keys. */
const FREE_TIERS = [
  ['Groq', 'https://console.groq.com/keys'],
  ['OpenRouter', 'https://openrouter.ai/settings/keys'],
  ['Google AI Studio', 'https://aistudio.google.com/apikey'],
] as const;

/** Asks for the key of a provider. */
export function ProviderStep({ presets, variable, onVariable, providerKey }: ProviderStepProps) {
  const words = useOwnTexts(texts);
  const { answer } = providerKey;
  return (
    <Step title={words.providerKey}>
      <p>
        {words.freeTiers}{' '}
        {FREE_TIERS.map(([name, address], index) => (
          <Fragment key={name}>
            {index > 0 && ', '}
            <a href={address} target="_blank" rel="noreferrer">
              {name}
            </a>
          </Fragment>
        ))}
      </p>
      <Choice
        label={words.providerName}
        value={variable}
        options={presets.map((preset) => [preset.variable, preset.display_name] as const)}
        onChange={onVariable}
      />
      <CheckedField
        key={variable}
        label={words.keyField}
        hint={words.keyHint(variable)}
        type="password"
        onCheck={providerKey.run}
        onChange={providerKey.forget}
      >
        {answer && (
          <Verdict kind={answer.ok ? 'good' : 'bad'}>
            {answer.ok ? words.keyWorks(answer.models) : words.keyFails(answer.message ?? '')}
          </Verdict>
        )}
      </CheckedField>
    </Step>
  );
}

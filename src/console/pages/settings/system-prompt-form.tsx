import { useEffect, useState } from 'preact/hooks';
import type { Settings } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';
import type { ChangeSettings } from './use-settings.ts';

const MAX_CHARACTERS = 4000;

interface SystemPromptFormProps {
  readonly settings: Settings;
  readonly onChange: ChangeSettings;
}

/** The user's system prompt, which is saved by a button. */
export function SystemPromptForm({ settings, onChange }: SystemPromptFormProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const saved = settings.system_prompt ?? '';
  const [text, setText] = useState(saved);
  useEffect(() => setText(saved), [saved]);
  const save = (prompt: string) => onChange({ system_prompt: prompt.trim() || null });
  return (
    <Form onSubmit={() => save(text)}>
      <Field
        label={words.systemPrompt}
        hint={settings.has_persona ? words.persona : words.systemPromptHint}
        rows={5}
        maxLength={MAX_CHARACTERS}
        value={text}
        onChange={setText}
      />
      <div class="buttons">
        <Button kind="primary" isSubmit isDisabled={text.trim() === saved}>
          {shared.save}
        </Button>
        {(saved !== '' || settings.has_persona) && <Button onPress={() => save('')}>{words.remove}</Button>}
      </div>
    </Form>
  );
}

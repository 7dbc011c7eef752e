import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ModelOption, Settings, SettingsAnswer } from '../../../api/types.ts';
import type { Page } from '../../../page.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field, OptionalChoice, Switch } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { useSharedTexts, useTexts } from '../../../view-context.ts';
import { GeneralSettings } from './general-settings.tsx';
import { texts } from './texts.ts';
import { type ChangeSettings, useSettings } from './use-settings.ts';

/** Settings of the user for all chats. */
export const settingsPage: Page = {
  name: 'settings',
  title: { en: 'Settings', ru: 'Настройки' },
  icon: 'settings',
  isForAdmins: false,
  View: SettingsView,
};

function SettingsView() {
  const words = useTexts(texts);
  const { query, change } = useSettings();
  return (
    <>
      <p class="dim">{words.about}</p>
      <Loaded query={query}>
        {(answer) => (
          <>
            <GeneralSettings settings={answer.settings} guessedTimeZone={answer.guessed_time_zone} onChange={change} />
            <AnswerSettings answer={answer} onChange={change} />
            <ChatSettings answer={answer} onChange={change} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface PartProps {
  readonly answer: SettingsAnswer;
  readonly onChange: ChangeSettings;
}

/** Settings of answers: models, creativity, reasoning, tools. */
function AnswerSettings({ answer, onChange }: PartProps) {
  const words = useTexts(texts);
  const { settings } = answer;
  return (
    <Card title={words.answers}>
      <div class="fields">
        <ModelChoice
          label={words.model}
          models={answer.models}
          defaultModel={answer.default_model}
          value={settings.model}
          onChange={(model) => onChange({ model })}
        />
        {answer.image_models.length > 0 && (
          <ModelChoice
            label={words.imageModel}
            models={answer.image_models}
            defaultModel={answer.default_image_model}
            value={settings.image_model}
            onChange={(model) => onChange({ image_model: model })}
          />
        )}
        <OptionalChoice
          label={words.creativity}
          unset={words.asModel}
          options={words.creativities}
          value={settings.creativity}
          onChange={(creativity) => onChange({ creativity })}
        />
        <OptionalChoice
          label={words.answerLength}
          unset={words.normalLength}
          options={words.answerLengths}
          value={settings.answer_length}
          onChange={(answerLength) => onChange({ answer_length: answerLength })}
        />
      </div>
      <SystemPromptForm settings={settings} onChange={onChange} />
      <Switch
        label={words.tools}
        hint={words.toolsHint}
        isOn={settings.tools}
        onChange={(tools) => onChange({ tools })}
      />
      <Switch
        label={words.memory}
        hint={words.memoryHint}
        isOn={settings.memory}
        onChange={(memory) => onChange({ memory })}
      />
    </Card>
  );
}

/** How answers show in the chat. */
function ChatSettings({ answer: { settings, has_voice: hasVoice }, onChange }: PartProps) {
  const words = useTexts(texts);
  return (
    <Card title={words.inChat}>
      <div class="fields">
        <OptionalChoice
          label={words.streaming}
          hint={words.streamingHint}
          options={words.streamings}
          value={settings.streaming}
          onChange={(streaming) => streaming && onChange({ streaming })}
        />
        {hasVoice && (
          <OptionalChoice
            label={words.voice}
            hint={words.voiceHint}
            unset={words.noVoice}
            options={words.voices}
            value={settings.voice_replies}
            onChange={(voiceReplies) => onChange({ voice_replies: voiceReplies })}
          />
        )}
      </div>
      <Switch
        label={words.reasoning}
        isOn={settings.shows_reasoning}
        onChange={(isShown) => onChange({ shows_reasoning: isShown })}
      />
      <Switch
        label={words.rich}
        hint={words.richHint}
        isOn={settings.rich_messages}
        onChange={(isRich) => onChange({ rich_messages: isRich })}
      />
      <Switch
        label={words.feedback}
        isOn={settings.feedback_buttons}
        onChange={(hasButtons) => onChange({ feedback_buttons: hasButtons })}
      />
    </Card>
  );
}

interface ModelChoiceProps {
  readonly label: string;
  readonly models: readonly ModelOption[];
  readonly defaultModel: string | null;
  readonly value: string | null;
  readonly onChange: (model: string | null) => void;
}

/** A choice of a model. A chosen one that no longer exists stays in the list and says so. */
function ModelChoice({ label, models, defaultModel, value, onChange }: ModelChoiceProps) {
  const words = useTexts(texts);
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

const MAX_CHARACTERS = 4000;

/** The user's system prompt, which is saved by a button. */
function SystemPromptForm({ settings, onChange }: { readonly settings: Settings; readonly onChange: ChangeSettings }) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
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

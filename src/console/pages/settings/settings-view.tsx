import type { SettingsAnswer } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { GeneralSettings } from './general-settings.tsx';
import { ModelChoice } from './model-choice.tsx';
import { OptionalChoice } from './optional-choice.tsx';
import { SystemPromptForm } from './system-prompt-form.tsx';
import { texts } from './texts.ts';
import { type ChangeSettings, useSettings } from './use-settings.ts';

export function SettingsView() {
  const words = useOwnTexts(texts);
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
  const words = useOwnTexts(texts);
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
  const words = useOwnTexts(texts);
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

import { Fragment } from 'preact';
import type { ChannelAnswer, ProviderAnswer, SetupState, TokenAnswer } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/field.tsx';
import { useTexts } from '../../view-context.ts';
import { ConnectionStatus, useConnection } from './connection.tsx';
import { OwnHost } from './own-host.tsx';
import { type Check, CheckedField, Step, Verdict } from './step.tsx';
import { texts } from './texts.ts';

/** Asks for the token of the bot. */
export function TokenStep({ token, onChange }: { readonly token: Check<TokenAnswer>; readonly onChange: () => void }) {
  const words = useTexts(texts);
  const { answer } = token;
  return (
    <Step title={words.token}>
      <p>
        {words.newBot}{' '}
        <a href="https://t.me/BotFather" target="_blank" rel="noreferrer">
          @BotFather
        </a>
      </p>
      <CheckedField
        label={words.tokenLabel}
        hint={words.tokenHint}
        type="password"
        onCheck={token.run}
        onChange={onChange}
      >
        {answer && <Verdict kind={answer.ok ? 'good' : 'bad'}>{describe(words, answer)}</Verdict>}
      </CheckedField>
    </Step>
  );
}

function describe(words: (typeof texts)['en'], answer: TokenAnswer): string {
  if (answer.ok) return words.tokenWorks(answer.username);
  return answer.reason === 'refused' ? words.tokenRefused : words.telegramDown(answer.message);
}

/** Says whether the bot sees messages of groups. */
export function PrivacyStep({ answer }: { readonly answer: TokenAnswer | undefined }) {
  const words = useTexts(texts);
  return (
    <Step title={words.privacy}>
      <div role="status">
        {answer?.ok ? (
          <Verdict kind={answer.reads_groups ? 'good' : 'note'}>
            {answer.reads_groups ? words.privacyOff : words.privacyOn}
          </Verdict>
        ) : (
          <p class="dim">{words.tokenFirst}</p>
        )}
      </div>
    </Step>
  );
}

interface StorageStepProps {
  readonly channel: Check<ChannelAnswer>;
  /** Name of the bot; undefined without a token that works. */
  readonly username: string | undefined;
}

/** Asks for the channel of the files. */
export function StorageStep({ channel, username }: StorageStepProps) {
  const words = useTexts(texts);
  const { answer } = channel;
  return (
    <Step title={words.storage}>
      <p>{words.storageBody}</p>
      <CheckedField
        label={words.channelLabel}
        hint={username === undefined ? words.tokenFirst : words.channelHint}
        isDisabled={username === undefined}
        onCheck={channel.run}
        onChange={channel.forget}
      >
        {answer && username !== undefined && (
          <Verdict kind={answer.ok ? 'good' : 'bad'}>
            {answer.ok
              ? words.channelWorks(answer.title)
              : `${words.channelProblems[answer.reason](username)} ${words.telegramSays(answer.message)}`}
          </Verdict>
        )}
      </CheckedField>
    </Step>
  );
}

interface ProviderStepProps {
  readonly presets: SetupState['presets'];
  /** Setting for the key of the chosen provider; empty for another host. */
  readonly variable: string;
  readonly onVariable: (variable: string) => void;
  readonly providerKey: Check<ProviderAnswer>;
  readonly onConnected: () => void;
}

/** Providers whose keys have a free tier, with the pages that give keys. */
const FREE_TIERS = [
  ['Groq', 'https://console.groq.com/keys'],
  ['OpenRouter', 'https://openrouter.ai/settings/keys'],
  ['Google AI Studio', 'https://aistudio.google.com/apikey'],
] as const;

/** Asks for the key of a provider. */
export function ProviderStep({ presets, variable, onVariable, providerKey, onConnected }: ProviderStepProps) {
  const words = useTexts(texts);
  const { answer } = providerKey;
  const preset = presets.find((each) => each.variable === variable);
  const { connected, ...connection } = useConnection(() => {
    const name = preset?.name ?? '';
    return { name, body: { value: { preset: name, api_keys: [providerKey.passed] }, untested: true } };
  }, onConnected);
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
        options={[...presets.map((each) => [each.variable, each.display_name] as const), ['', words.otherHost]]}
        onChange={onVariable}
      />
      {preset === undefined ? (
        <OwnHost onConnected={onConnected} />
      ) : (
        <>
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
          {answer?.ok && connected !== preset.name && (
            <div class="buttons">
              <Button kind="primary" isBusy={connection.isRunning} onPress={() => connection.run()}>
                {words.connectNow}
              </Button>
            </div>
          )}
          <ConnectionStatus
            connected={connected === preset.name ? connected : undefined}
            problem={connection.problem}
          />
        </>
      )}
    </Step>
  );
}

import { useRef, useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import type { ChannelAnswer, ProviderAnswer, SetupState, TokenAnswer } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/field.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { CheckedField } from './checked-field.tsx';
import { DeliveryStep } from './delivery-step.tsx';
import { Snippet } from './snippet.tsx';
import { Step, Verdict } from './step.tsx';
import { texts } from './texts/index.ts';
import { type Answers, toSettings } from './to-settings.ts';

/** Steps to a bot of one's own. The answers stay in this page; the service changes and stores nothing. */
export function BotSetup({ state }: { readonly state: SetupState }) {
  const words = useOwnTexts(texts);
  const [answers, setAnswers] = useState<Answers>(() => toFirstAnswers(state));
  const [bot, setBot] = useState<TokenAnswer>();
  const [channel, setChannel] = useState<ChannelAnswer>();
  const [provider, setProvider] = useState<ProviderAnswer>();
  const change = (part: Partial<Answers>) => setAnswers((before) => ({ ...before, ...part }));
  const latest = useRef(0);
  /** Sends a check; its answer is dropped if an input has changed meanwhile. */
  const ask = async <Answer extends object>(path: string, body: object, onAnswer: (answer: Answer) => void) => {
    const id = latest.current;
    const answer = await request<Answer>('POST', `api/setup/${path}`, { body });
    if (id === latest.current) onAnswer(answer);
  };
  const forget = () => {
    latest.current += 1;
  };
  const works = bot?.ok === true;
  const settings = toSettings(answers);
  return (
    <Card title={words.ownBot}>
      <p>{words.ownBotBody}</p>
      <ol class="steps">
        <Step title={words.token}>
          <CheckedField
            label={words.tokenLabel}
            hint={words.tokenHint}
            type="password"
            check={(token) =>
              ask<TokenAnswer>('check-token', { token }, (answer) => {
                setBot(answer);
                change({ token: answer.ok ? token : '', channelId: '' });
                setChannel(undefined);
              })
            }
            onChange={() => {
              forget();
              setBot(undefined);
              setChannel(undefined);
              change({ token: '', channelId: '' });
            }}
          />
          {bot?.ok === true && <Verdict kind="good">{words.tokenWorks(bot.username)}</Verdict>}
          {bot?.ok === false && (
            <Verdict kind="bad">{bot.reason === 'refused' ? words.tokenRefused : words.noAnswer(bot.message)}</Verdict>
          )}
        </Step>
        <DeliveryStep answers={answers} bot={bot} onChange={change} />
        <Step title={words.privacy}>
          {bot?.ok === true ? (
            <Verdict kind={bot.reads_groups ? 'good' : 'note'}>
              {bot.reads_groups ? words.privacyOff : words.privacyOn}
            </Verdict>
          ) : (
            <p class="dim">{words.tokenFirst}</p>
          )}
        </Step>
        <Step title={words.storage}>
          <p>{words.storageBody}</p>
          <CheckedField
            label={words.channelLabel}
            hint={works ? words.channelHint : words.tokenFirst}
            isDisabled={!works}
            check={(id) =>
              ask<ChannelAnswer>('check-channel', { token: answers.token, chat_id: id }, (answer) => {
                setChannel(answer);
                change({ channelId: answer.ok ? id : '' });
              })
            }
            onChange={() => {
              forget();
              setChannel(undefined);
              change({ channelId: '' });
            }}
          />
          {channel && <Verdict kind={channel.ok ? 'good' : 'bad'}>{channel.message}</Verdict>}
        </Step>
        <Step title={words.providerKey}>
          <Choice
            label={words.providerName}
            value={answers.variable}
            options={state.presets.map(({ variable, display_name: name }) => [variable, name] as const)}
            onChange={(variable) => {
              forget();
              setProvider(undefined);
              change({ variable, providerKey: '' });
            }}
          />
          <CheckedField
            key={answers.variable}
            label={words.keyField}
            hint={words.keyHint(answers.variable)}
            type="password"
            check={(key) =>
              ask<ProviderAnswer>('check-provider', { variable: answers.variable, key }, (answer) => {
                setProvider(answer);
                change({ providerKey: answer.ok ? key : '' });
              })
            }
            onChange={() => {
              forget();
              setProvider(undefined);
              change({ providerKey: '' });
            }}
          />
          {provider && (
            <Verdict kind={provider.ok ? 'good' : 'bad'}>
              {provider.ok ? words.keyWorks(provider.models) : words.noAnswer(provider.message ?? '')}
            </Verdict>
          )}
        </Step>
        <Step title={words.settings}>
          <p>{settings === '' ? words.settingsEmpty : words.settingsBody}</p>
          {settings !== '' && <Snippet label={words.settings} text={settings} />}
        </Step>
      </ol>
    </Card>
  );
}

const SECRET_BYTES = 32;

function toFirstAnswers({ public_url: publicUrl, presets }: SetupState): Answers {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return {
    token: '',
    delivery: 'polling',
    publicUrl: publicUrl ?? '',
    webhookSecret: [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    channelId: '',
    variable: presets[0]?.variable ?? '',
    providerKey: '',
  };
}

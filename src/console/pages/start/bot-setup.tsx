import { useState } from 'preact/hooks';
import type { ChannelAnswer, ProviderAnswer, SetupState, TokenAnswer } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { Snippet } from '../../ui/copy-button.tsx';
import { Choice, Field } from '../../ui/field.tsx';
import { useTexts } from '../../view-context.ts';
import { AccessStep, listIds, PRIVATE } from './access-step.tsx';
import { BotStartStep } from './bot-start-step.tsx';
import { PrivacyStep, ProviderStep, StorageStep, TokenStep } from './checked-steps.tsx';
import { Step, useCheck, Verdict } from './step.tsx';
import { texts } from './texts.ts';
import { canReceiveUpdates, toSettings } from './to-settings.ts';

interface BotSetupProps {
  readonly state: SetupState;
  /** Called when a provider has been connected. */
  readonly onConnected: () => void;
  /** Called when the bot runs in place of the playground. */
  readonly onStarted: (username: string) => void;
}

/**
 * Steps to a bot of one's own. A provider is connected by its step, the bot by the last one; until then the answers stay
 * in this page.
 */
export function BotSetup({ state, onConnected, onStarted }: BotSetupProps) {
  const words = useTexts(texts);
  const [webhookSecret] = useState(createSecret);
  const [delivery, setDelivery] = useState<Delivery>({ kind: 'polling', publicUrl: state.public_url ?? '' });
  const [variable, setVariable] = useState(state.presets[0]?.variable ?? '');
  const [access, setAccess] = useState(PRIVATE);
  const token = useCheck<TokenAnswer>('check-token', (value) => ({ token: value }));
  const channel = useCheck<ChannelAnswer>('check-channel', (id) => ({ token: token.passed, chat_id: id }));
  const providerKey = useCheck<ProviderAnswer>('check-provider', (key) => ({ variable, key }));
  const bot = token.answer?.ok ? token.answer : undefined;
  const settings = toSettings({
    token: token.passed,
    publicUrl: delivery.kind === 'webhook' ? delivery.publicUrl : '',
    webhookSecret,
    channelId: channel.passed,
    adminIds: listIds(access, 'admin'),
    userIds: listIds(access, 'user'),
    isOpen: access.isOpen,
    variable,
    providerKey: providerKey.passed,
  });
  return (
    <Card title={words.ownBot}>
      <p>{words.ownBotBody}</p>
      <ol class="steps">
        <TokenStep
          token={token}
          onChange={() => {
            token.forget();
            // Another bot may not be in the channel.
            channel.forget();
          }}
        />
        <AccessStep token={token.passed} username={bot?.username} access={access} onChange={setAccess} />
        <DeliveryStep delivery={delivery} webhookHost={bot?.webhook_host ?? undefined} onChange={setDelivery} />
        <PrivacyStep answer={token.answer} />
        <StorageStep channel={channel} username={bot?.username} />
        <ProviderStep
          presets={state.presets}
          variable={variable}
          onVariable={(next) => {
            providerKey.forget();
            setVariable(next);
          }}
          providerKey={providerKey}
          onConnected={onConnected}
        />
        <BotStartStep
          token={token.passed}
          username={bot?.username}
          access={access}
          channelId={channel.passed}
          hasWebhook={delivery.kind === 'webhook'}
          onStarted={onStarted}
        />
        <Step title={words.settings}>
          <p>{settings === '' ? words.settingsEmpty : words.settingsBody}</p>
          {settings.includes('BOT_TOKEN=') && !settings.includes('ALLOWED_IDS=') && <p>{words.settingsOpen}</p>}
          {settings !== '' && <Snippet label={words.settings} text={settings} />}
        </Step>
      </ol>
    </Card>
  );
}

const SECRET_BYTES = 32;

function createSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** How messages reach the bot. */
interface Delivery {
  readonly kind: 'polling' | 'webhook';
  /** Used by webhooks. */
  readonly publicUrl: string;
}

interface DeliveryStepProps {
  readonly delivery: Delivery;
  /** Host to which Telegram sends the bot's updates now. */
  readonly webhookHost: string | undefined;
  readonly onChange: (delivery: Delivery) => void;
}

/** Choice between polling and a webhook. */
function DeliveryStep({ delivery, webhookHost, onChange }: DeliveryStepProps) {
  const words = useTexts(texts);
  const isUsable = canReceiveUpdates(delivery.publicUrl);
  return (
    <Step title={words.delivery}>
      <Choice
        label={words.deliveryLabel}
        value={delivery.kind}
        options={[
          ['polling', words.polling],
          ['webhook', words.webhook],
        ]}
        onChange={(kind) => onChange({ ...delivery, kind })}
      />
      {delivery.kind === 'webhook' && (
        <Field
          label={words.publicUrl}
          hint={words.publicUrlHint}
          value={delivery.publicUrl}
          onChange={(publicUrl) => onChange({ ...delivery, publicUrl })}
        />
      )}
      <div role="status">
        {delivery.kind === 'polling' ? (
          <Verdict kind="good">{words.pollingWorks}</Verdict>
        ) : (
          <Verdict kind={isUsable ? 'good' : 'bad'}>{isUsable ? words.webhookWorks : words.needsHttps}</Verdict>
        )}
        {webhookHost !== undefined && <Verdict kind="note">{words.otherWebhook(webhookHost)}</Verdict>}
      </div>
    </Step>
  );
}

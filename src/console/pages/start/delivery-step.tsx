import { Choice, Field } from '../../ui/field.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { Step, Verdict } from './step.tsx';
import { texts } from './texts.ts';
import { canReceiveUpdates } from './to-settings.ts';

/** How messages reach the bot. */
export interface Delivery {
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
export function DeliveryStep({ delivery, webhookHost, onChange }: DeliveryStepProps) {
  const words = useOwnTexts(texts);
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

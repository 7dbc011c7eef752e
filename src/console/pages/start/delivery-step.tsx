import type { TokenAnswer } from '../../api/types.ts';
import { Choice, Field } from '../../ui/field.tsx';
import { useOwnTexts } from '../../view-context.ts';
import { Step, Verdict } from './step.tsx';
import { texts } from './texts/index.ts';
import { type Answers, canReceiveUpdates } from './to-settings.ts';

interface DeliveryStepProps {
  readonly answers: Answers;
  readonly bot: TokenAnswer | undefined;
  readonly onChange: (part: Partial<Answers>) => void;
}

/** Choice between polling and a webhook. */
export function DeliveryStep({ answers: { delivery, publicUrl }, bot, onChange }: DeliveryStepProps) {
  const words = useOwnTexts(texts);
  const host = bot?.ok ? bot.webhook_host : null;
  return (
    <Step title={words.delivery}>
      <Choice
        label={words.deliveryLabel}
        value={delivery}
        options={[
          ['polling', words.polling],
          ['webhook', words.webhook],
        ]}
        onChange={(next) => onChange({ delivery: next })}
      />
      {delivery === 'polling' ? (
        <Verdict kind="good">{words.pollingWorks}</Verdict>
      ) : (
        <>
          <Field
            label={words.publicUrl}
            hint={words.publicUrlHint}
            value={publicUrl}
            onChange={(next) => onChange({ publicUrl: next })}
          />
          <Verdict kind={canReceiveUpdates(publicUrl) ? 'good' : 'bad'}>
            {canReceiveUpdates(publicUrl) ? words.webhookWorks : words.needsHttps}
          </Verdict>
        </>
      )}
      {host !== null && <Verdict kind="note">{words.otherWebhook(host)}</Verdict>}
    </Step>
  );
}

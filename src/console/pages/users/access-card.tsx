import { useState } from 'preact/hooks';
import type { Access, System } from '../../api/types.ts';
import { useQuery } from '../../api/use-query.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

interface AccessCardProps {
  readonly telegramId: number;
  /** Admins can't be banned. */
  readonly isAdmin: boolean;
  /** Called after each change. */
  readonly onChange: () => void;
}

/** Bans a user, lifts the ban, and admits users to a private service. */
export function AccessCard({ telegramId, isAdmin, onChange }: AccessCardProps) {
  const words = useOwnTexts(texts);
  const access = useResource<Access>(`api/access/${telegramId}`);
  const system = useQuery<System>('api/system');
  const [isBanning, setIsBanning] = useState(false);
  const change = useAction(async (body: object) => {
    await access.change('PATCH', { body });
    setIsBanning(false);
    onChange();
  });
  return (
    <Card title={words.access}>
      <Loaded query={access}>
        {({ banned, ban_reason: reason, allowed, fixed }) => (
          <>
            <p>{banned ? words.isBanned(reason ?? '') : fixed ? words.isFixed : words.isNotBanned}</p>
            {system.data?.private && !fixed && <p>{allowed ? words.isAllowed : words.isNotAllowed}</p>}
            <div class="buttons">
              {banned ? (
                <Button isBusy={change.isRunning} onPress={() => change.run({ banned: false })}>
                  {words.unban}
                </Button>
              ) : (
                !isAdmin && (
                  <Button kind="danger" onPress={() => setIsBanning(true)}>
                    {words.ban}
                  </Button>
                )
              )}
              {system.data?.private && !fixed && (
                <Button isBusy={change.isRunning} onPress={() => change.run({ allowed: !allowed })}>
                  {allowed ? words.disallow : words.allow}
                </Button>
              )}
            </div>
          </>
        )}
      </Loaded>
      {isBanning && (
        <BanForm
          isRunning={change.isRunning}
          onBan={(reason) => change.run({ banned: true, reason })}
          onClose={() => setIsBanning(false)}
        />
      )}
    </Card>
  );
}

interface BanFormProps {
  readonly isRunning: boolean;
  readonly onBan: (reason: string) => void;
  readonly onClose: () => void;
}

const MAX_REASON_LENGTH = 500;

function BanForm({ isRunning, onBan, onClose }: BanFormProps) {
  const words = useOwnTexts(texts);
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title={words.ban}
      action={words.ban}
      isDangerous
      isRunning={isRunning}
      onSubmit={() => onBan(reason)}
      onClose={onClose}
    >
      <p>{words.banBody}</p>
      <Field
        label={words.reason}
        hint={words.reasonHint}
        maxLength={MAX_REASON_LENGTH}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  );
}

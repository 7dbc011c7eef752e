import { useState } from 'preact/hooks';
import { request, requestDeletion } from '../../../api/request.ts';
import type { Invitation, InvitationWithLink } from '../../../api/types.ts';
import { type List, useQuery } from '../../../api/use-query.ts';
import { useTimeFormat } from '../../../formats.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopiedCode } from '../../../ui/copy-button.tsx';
import { Confirm, Dialog } from '../../../ui/dialog.tsx';
import { Choice, Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { LoadedList } from '../../../ui/loaded.tsx';
import { useAction, useSubmission } from '../../../ui/use-action.ts';
import { useSharedTexts, useTexts } from '../../../view-context.ts';
import { printUser } from '../../shared/to-name.ts';
import { texts } from './texts.ts';

interface InvitationsProps {
  /** Whether new links are of use. */
  readonly canInvite: boolean;
  /** Plans that a link may give, after the usual one. */
  readonly plans: readonly string[];
}

/** Links that let accounts in. */
export function Invitations({ canInvite, plans }: InvitationsProps) {
  const words = useTexts(texts);
  const invitations = useQuery<List<Invitation>>('api/invitations');
  const [isMaking, setIsMaking] = useState(false);
  const [made, setMade] = useState<InvitationWithLink>();
  const add = canInvite ? <Button onPress={() => setIsMaking(true)}>{words.newLink}</Button> : undefined;
  return (
    <Card title={words.invitations} actions={add}>
      <LoadedList query={invitations} empty={words.noInvitations}>
        {(items) => (
          <ul class="settings-list">
            {items.map((each) => (
              <InvitationItem key={each.id} invitation={each} onRevoked={invitations.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
      {isMaking && (
        <NewLink
          plans={plans}
          onMade={(invitation) => {
            setIsMaking(false);
            setMade(invitation);
            invitations.reload();
          }}
          onClose={() => setIsMaking(false)}
        />
      )}
      {made && <LinkDialog link={made.link} onClose={() => setMade(undefined)} />}
    </Card>
  );
}

interface InvitationItemProps {
  readonly invitation: Invitation;
  readonly onRevoked: () => void;
}

function InvitationItem({ invitation, onRevoked }: InvitationItemProps) {
  const words = useTexts(texts);
  const { revoke: revokeWord } = useSharedTexts();
  const formatTime = useTimeFormat();
  const [isRevoking, setIsRevoking] = useState(false);
  const { id, plan, use_count: used, max_uses: uses, expires_at: end, works } = invitation;
  const { created_by: admin, created_by_name: name } = invitation;
  const revoke = useAction(async () => {
    await requestDeletion(`api/invitations/${id}`);
    setIsRevoking(false);
    onRevoked();
  });
  return (
    <li>
      <div>
        <strong>№ {id}</strong> <Badge kind={works ? 'good' : 'neutral'}>{works ? words.works : words.worksNot}</Badge>
        <div>{words.used(used, uses, plan)}</div>
        <div class="dim">{words.until(formatTime(end), printUser(admin, name))}</div>
      </div>
      <div class="buttons">
        <Button kind="danger" label={`${revokeWord}: № ${id}`} onPress={() => setIsRevoking(true)}>
          {revokeWord}
        </Button>
      </div>
      {isRevoking && (
        <Confirm
          title={words.revokeTitle(id)}
          action={revokeWord}
          isRunning={revoke.isRunning}
          onConfirm={() => revoke.run()}
          onClose={() => setIsRevoking(false)}
        >
          {words.revokeBody}
        </Confirm>
      )}
    </li>
  );
}

interface NewLinkProps extends Pick<InvitationsProps, 'plans'> {
  readonly onMade: (invitation: InvitationWithLink) => void;
  readonly onClose: () => void;
}

function NewLink({ plans, onMade, onClose }: NewLinkProps) {
  const words = useTexts(texts);
  const [uses, setUses] = useState('1');
  const [days, setDays] = useState('7');
  const [plan, setPlan] = useState('');
  const { run, isRunning, problem } = useSubmission(async () => {
    const body = { max_uses: Number(uses), days: Number(days), ...(plan !== '' && { plan }) };
    onMade(await request<InvitationWithLink>('POST', 'api/invitations', { body }));
  });
  return (
    <FormDialog
      title={words.newLink}
      action={words.make}
      isRunning={isRunning}
      problem={problem}
      onSubmit={run}
      onClose={onClose}
    >
      <Field label={words.uses} hint={words.usesHint} type="number" isRequired value={uses} onChange={setUses} />
      <Field label={words.days} hint={words.daysHint} type="number" isRequired value={days} onChange={setDays} />
      {plans.length > 1 && (
        <Choice
          label={words.plan}
          value={plan}
          options={[['', words.usualPlan], ...plans.slice(1).map((name) => [name, name] as const)]}
          onChange={setPlan}
        />
      )}
    </FormDialog>
  );
}

/** Shows a link, which can't be read again. */
function LinkDialog({ link, onClose }: { readonly link: string; readonly onClose: () => void }) {
  const words = useTexts(texts);
  const { close } = useSharedTexts();
  return (
    <Dialog title={words.newLink} onClose={onClose}>
      <p>{words.shownOnce}</p>
      <CopiedCode text={new URL(link, location.href).href} />
      <div class="buttons">
        <Button onPress={onClose}>{close}</Button>
      </div>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import type { Access, ManagedUser, Plan, System, UsageGroup } from '../../../api/types.ts';
import { useAll } from '../../../api/use-pages.ts';
import { type List, useQuery } from '../../../api/use-query.ts';
import { type Resource, useResource } from '../../../api/use-resource.ts';
import { useTimeFormat } from '../../../formats.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, Facts } from '../../../ui/card.tsx';
import { Choice, Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { Detail, Loaded } from '../../../ui/loaded.tsx';
import { showToast } from '../../../ui/toasts.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useSharedTexts, useTexts } from '../../../view-context.ts';
import { BudgetCard, toUserScope } from '../../shared/budget-card.tsx';
import { ManagedKeys } from '../../shared/managed-keys.tsx';
import { toName } from '../../shared/to-name.ts';
import { ModelUsage, useDays } from '../../shared/usage.tsx';
import { texts } from './texts.ts';

/** One user. */
export function UserView({ id }: { readonly id: string }) {
  const words = useTexts(texts);
  const user = useResource<ManagedUser>(`api/users/${encodeURIComponent(id)}`);
  return (
    <Detail page="users" back={words.back} gone={words.gone} query={user}>
      {(data) => (
        <>
          <Card title={toName(data) ?? (data.universal_key ? words.universalKey : words.user(data.id))}>
            <UserFacts user={data} />
            <PlanChoice user={data} change={user.change} />
            {!data.universal_key && <NoteForm user={data} change={user.change} />}
          </Card>
          {data.telegram_id !== null && (
            <AccessCard telegramId={data.telegram_id} isAdmin={data.role === 'admin'} onChange={user.reload} />
          )}
          <BudgetCard title={words.budget} scope={toUserScope(data.id)} />
          <Card title={words.keys}>
            <ManagedKeys path={`api/keys?user=${data.id}&limit=100`} empty={words.noKeys} />
          </Card>
          <UserUsage userId={data.id} />
        </>
      )}
    </Detail>
  );
}

function UserFacts({ user }: { readonly user: ManagedUser }) {
  const words = useTexts(texts);
  const { yes, no } = useSharedTexts();
  const formatTime = useTimeFormat();
  return (
    <Facts
      facts={[
        [words.id, user.id],
        ...(user.name === null ? [] : [[words.nameInTelegram, user.name] as const]),
        [words.telegramId, user.telegram_id ?? words.onlyApi],
        [words.role, words.roles[user.role]],
        [words.admitted, user.admitted ? yes : no],
        [words.reachable, user.reachable ? yes : no],
        [words.since, formatTime(user.created_at)],
      ]}
    />
  );
}

interface PlanChoiceProps {
  readonly user: ManagedUser;
  readonly change: Resource<ManagedUser>['change'];
}

/** Puts a user on a plan as soon as it is chosen. */
function PlanChoice({ user, change }: PlanChoiceProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const plans = useQuery<List<Plan>>('api/plans');
  const save = useAction(async (name: string) => {
    await change('PATCH', { body: { plan: name === '' ? null : name } });
    showToast(shared.saved);
  });
  const assigned = user.assigned_plan ?? '';
  const names = new Set([...(plans.data?.data.map(({ name }) => name) ?? []), ...(assigned === '' ? [] : [assigned])]);
  const byDefault = user.assigned_plan === null ? words.defaultPlanNow(user.plan) : words.defaultPlan;
  return (
    <Choice
      label={words.plan}
      value={assigned}
      options={[['', byDefault], ...[...names].map((name) => [name, name] as const)]}
      onChange={save.run}
    />
  );
}

const MAX_NOTE_LENGTH = 100;

/** Writes who a user is. */
function NoteForm({ user, change }: PlanChoiceProps) {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const [note, setNote] = useState(user.note ?? '');
  const save = useAction(async () => {
    await change('PATCH', { body: { note: note.trim() || null } });
    showToast(shared.saved);
  });
  return (
    <>
      <Field label={words.note} hint={words.noteHint} maxLength={MAX_NOTE_LENGTH} value={note} onChange={setNote} />
      <Button isBusy={save.isRunning} onPress={() => save.run()}>
        {words.save}
      </Button>
    </>
  );
}

interface AccessCardProps {
  readonly telegramId: number;
  /** Admins can't be banned. */
  readonly isAdmin: boolean;
  /** Called after each change. */
  readonly onChange: () => void;
}

/** Bans a user, lifts the ban, and admits users to a private service. */
function AccessCard({ telegramId, isAdmin, onChange }: AccessCardProps) {
  const words = useTexts(texts);
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
  const words = useTexts(texts);
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

const SHOWN_DAYS = 30;

/** Usage of a user in the last days. */
function UserUsage({ userId }: { readonly userId: number }) {
  const words = useTexts(texts);
  const { days, filter } = useDays(SHOWN_DAYS);
  const usage = useAll<UsageGroup>(`api/usage/summary?group_by=day,model&limit=100&user=${userId}&${filter}`);
  return (
    <>
      <h2>{words.usage}</h2>
      <Loaded query={usage}>{(groups) => <ModelUsage days={days} groups={groups} />}</Loaded>
    </>
  );
}

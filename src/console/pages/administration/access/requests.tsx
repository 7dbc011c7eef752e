import { useState } from 'preact/hooks';
import { ApiError, request } from '../../../api/request.ts';
import type { AccessRequest, AccessRequests as Answer } from '../../../api/types.ts';
import type { Query } from '../../../api/use-query.ts';
import { useTimeFormat } from '../../../formats.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Choice } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { showToast } from '../../../ui/toasts.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { useTexts } from '../../../view-context.ts';
import { printUser } from '../../shared/to-name.ts';
import { texts } from './texts.ts';

const BADGES = { open: 'neutral', allowed: 'good', ignored: 'neutral', blocked: 'bad' } as const;

/** Requests for access, with what was decided about the last ones. */
export function AccessRequests({ requests }: { readonly requests: Query<Answer> }) {
  const words = useTexts(texts);
  return (
    <Card title={words.requests}>
      <Loaded query={requests}>
        {({ data, plans }) =>
          data.length === 0 ? (
            <p class="dim">{words.noRequests}</p>
          ) : (
            <ul class="settings-list">
              {data.map((each) => (
                <RequestItem key={each.telegram_id} asked={each} plans={plans} onDecided={requests.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

interface RequestItemProps {
  readonly asked: AccessRequest;
  readonly plans: readonly string[];
  readonly onDecided: () => void;
}

function RequestItem({ asked, plans, onDecided }: RequestItemProps) {
  const words = useTexts(texts);
  const formatTime = useTimeFormat();
  const [open, setOpen] = useState<'plan' | 'block'>();
  const { telegram_id: id, name, state, asked_at: askedAt, decided_at: decidedAt } = asked;
  const decide = useAction(async (body: object) => {
    try {
      await request<AccessRequest>('POST', `api/access-requests/${id}/decide`, { body });
      showToast(words.decided);
    } catch (error) {
      if (!isDecided(error)) throw error;
      const { data } = await request<Answer>('GET', 'api/access-requests');
      const now = data.find((each) => each.telegram_id === id);
      showToast(now ? words.before(words.states[now.state], toAdmin(now)) : words.lapsed, 'error');
    }
    setOpen(undefined);
    onDecided();
  });
  return (
    <li>
      <div>
        <strong>{name}</strong> <Badge kind={BADGES[state]}>{words.states[state]}</Badge>
        <div class="dim">
          {decidedAt === null
            ? words.asked(formatTime(askedAt), id)
            : words.decidedBy(toAdmin(asked), formatTime(decidedAt), id)}
        </div>
      </div>
      {state === 'open' && (
        <div class="buttons">
          <Button
            kind="primary"
            label={`${words.allow}: ${name}`}
            isBusy={decide.isRunning}
            onPress={() => decide.run({ decision: 'allow' })}
          >
            {words.allow}
          </Button>
          {plans.length > 1 && (
            <Button label={`${words.allowWithPlan}: ${name}`} onPress={() => setOpen('plan')}>
              {words.allowWithPlan}
            </Button>
          )}
          <Button
            label={`${words.ignore}: ${name}`}
            isBusy={decide.isRunning}
            onPress={() => decide.run({ decision: 'ignore' })}
          >
            {words.ignore}
          </Button>
          <Button kind="danger" label={`${words.block}: ${name}`} onPress={() => setOpen('block')}>
            {words.block}
          </Button>
        </div>
      )}
      {open === 'plan' && (
        <PlanDialog
          plans={plans}
          isRunning={decide.isRunning}
          onChosen={(plan) => decide.run({ decision: 'allow', plan })}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'block' && (
        <Confirm
          title={words.blockTitle(name)}
          action={words.block}
          isRunning={decide.isRunning}
          onConfirm={() => decide.run({ decision: 'block' })}
          onClose={() => setOpen(undefined)}
        >
          {words.blockBody}
        </Confirm>
      )}
    </li>
  );
}

/** Returns whether another admin was faster. */
function isDecided(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'conflict' && error.param === 'decision';
}

function toAdmin({ decided_by: id, decided_by_name: name }: AccessRequest): string {
  return printUser(id ?? '?', name);
}

interface PlanDialogProps {
  readonly plans: readonly string[];
  readonly isRunning: boolean;
  readonly onChosen: (plan: string) => void;
  readonly onClose: () => void;
}

function PlanDialog({ plans, isRunning, onChosen, onClose }: PlanDialogProps) {
  const words = useTexts(texts);
  const [plan, setPlan] = useState(plans[0] ?? '');
  return (
    <FormDialog
      title={words.allowWithPlan}
      action={words.allow}
      isRunning={isRunning}
      onSubmit={() => onChosen(plan)}
      onClose={onClose}
    >
      <Choice label={words.plan} value={plan} options={plans.map((name) => [name, name])} onChange={setPlan} />
    </FormDialog>
  );
}

import type { ManagedUser, Plan } from '../../api/types.ts';
import { type List, useQuery } from '../../api/use-query.ts';
import type { Resource } from '../../api/use-resource.ts';
import { Choice } from '../../ui/field.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { texts } from './texts.ts';

interface PlanChoiceProps {
  readonly user: ManagedUser;
  readonly change: Resource<ManagedUser>['change'];
}

/** Puts a user on a plan as soon as it is chosen. */
export function PlanChoice({ user, change }: PlanChoiceProps) {
  const words = useOwnTexts(texts);
  const shared = useTexts();
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

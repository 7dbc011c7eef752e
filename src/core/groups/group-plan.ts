import { GROUP_PLAN } from '../limits/index.ts';

interface PlannedGroup {
  /** Name of the plan set by an operator. */
  readonly plan?: string | null | undefined;
}

/** Returns the plan of a group; undefined if there is no such plan, in which case the group can't pay. */
export function findGroupPlan({ plan }: PlannedGroup, planNames: readonly string[]): string | undefined {
  const name = plan ?? GROUP_PLAN;
  return planNames.includes(name) ? name : undefined;
}

/** Returns the plan whose limits apply to all requests in a group; undefined if those of its users apply. */
export function findPayingPlan(
  group: PlannedGroup & { readonly settings: { readonly payer?: unknown } },
  planNames: readonly string[],
): string | undefined {
  return group.settings.payer === 'group' ? findGroupPlan(group, planNames) : undefined;
}

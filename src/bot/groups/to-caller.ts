import type { Place } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { Limits } from '../../core/limits/index.ts';

/** The plan of all groups that pay for themselves and have no other one: groups can pay where the settings have it. */
export const GROUP_PLAN = 'group';

/** On whose account something goes that a person asks for in a chat. */
export interface ChatCaller {
  readonly userId: number;
  readonly keyId: undefined;
  readonly chatId: number;
  readonly plan?: string;
  readonly isPaidByChat?: boolean;
}

/**
 * The person's account, or that of the group where it pays for everybody.
 * @param group undefined outside groups.
 */
export function toCaller(
  { limits }: { readonly limits: Pick<Limits, 'planNames'> },
  { userId, place: { chatId } }: { readonly userId: number; readonly place: Place },
  group: Group | undefined,
): ChatCaller {
  const caller = { userId, keyId: undefined, chatId };
  const plan = group?.settings.payer === 'group' ? findGroupPlan({ limits }, group) : undefined;
  return plan === undefined ? caller : { ...caller, plan, isPaidByChat: true };
}

/** Undefined where the operator has no plan for groups: then nobody but the askers can pay. */
export function findGroupPlan(
  { limits }: { readonly limits: Pick<Limits, 'planNames'> },
  { plan = GROUP_PLAN }: Group,
): string | undefined {
  return limits.planNames.includes(plan) ? plan : undefined;
}

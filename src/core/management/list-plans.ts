import type { Plan, Plans } from '../limits/index.ts';

/** A plan and its name. */
export interface NamedPlan extends Plan {
  readonly name: string;
}

/** Plans that exist without being configured; they have no limits. */
const BUILT_IN: readonly string[] = ['admin', 'free'];

/** Lists all plans by name. */
export function listPlans(plans: Plans): readonly NamedPlan[] {
  const names = [...new Set([...Object.keys(plans), ...BUILT_IN])].sort();
  return names.map((name) => ({ ...plans[name], name }));
}

import { listUserPlans } from '../../../core/administration/index.ts';
import { invalidRequest } from '../../../protocols/http-error.ts';
import { textSchema } from '../../resources/query.ts';
import type { HttpServices } from '../../services.ts';

const MAX_PLAN_LENGTH = 32;

/** Plan of a new user in a body. */
export const planSchema = textSchema(MAX_PLAN_LENGTH);

/** Returns the plan of a body. @throws HttpError 400 if there is no such plan for users */
export function readPlan({ planNames }: HttpServices['limits'], plan: string | undefined): string | undefined {
  const names = listUserPlans(planNames);
  if (plan !== undefined && !names.includes(plan))
    throw invalidRequest(`'plan' must be one of ${names.join(', ')}.`, 'plan');
  return plan;
}

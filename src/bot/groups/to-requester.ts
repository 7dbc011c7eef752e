import type { ChatTopic } from '../../core/conversations/index.ts';
import { findPayingPlan, type Group } from '../../core/groups/index.ts';
import type { BotServices } from '../kit/services.ts';

/** Account that a request of a user in a chat is metered to. */
export interface ChatRequester {
  readonly userId: number;
  readonly keyId: undefined;
  readonly chatId: number;
  readonly plan?: string;
  readonly isPaidByChat?: boolean;
}

/**
 * Returns the user's account, or the group's if the group pays.
 * @param group undefined outside groups.
 */
export function toRequester(
  { limits }: BotServices,
  { userId, chatTopic: { chatId } }: { readonly userId: number; readonly chatTopic: ChatTopic },
  group: Group | undefined,
): ChatRequester {
  const requester = { userId, keyId: undefined, chatId };
  const plan = group && findPayingPlan(group, limits.planNames);
  return plan === undefined ? requester : { ...requester, plan, isPaidByChat: true };
}

import type { ChatMember } from 'grammy/types';
import type { User } from '../../../core/accounts/index.ts';
import { findPayingPlan, type Group } from '../../../core/groups/index.ts';
import type { DueRun, TaskRunReason } from '../../../core/tasks/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { asInGroup, findGroup } from '../../groups/groups.ts';
import type { AnswerContext } from '../../kit/feature.ts';
import { toFullName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { findAnsweringModel, NO_MODEL } from '../../models/model-choice.ts';
import { findLocale, locales } from '../../texts/locales.ts';

/**
 * Returns the context of a run: its user as in a question asked now. Rights may have changed since the task was made.
 * @returns why the run can't take place.
 * @throws errors of Telegram after which a later attempt may succeed.
 */
export async function findTaskContext(
  services: BotServices,
  { task, chatId }: DueRun,
): Promise<AnswerContext | Exclude<TaskRunReason, 'stopped'>> {
  const account = await services.accounts.findUser(task.owner.userId);
  const telegramId = account?.telegramId;
  if (!account || telegramId === undefined) return 'not-allowed';
  if ((await services.administration.admit(telegramId)) !== 'welcome') return 'not-allowed';
  const chatTopic = { chatId, topicId: task.topicId };
  const isGroup = task.owner.groupId !== undefined;
  if (!isGroup && !account.isReachable) return 'unreachable';
  const group = await findGroup(services, chatTopic);
  if (group?.settings.hasTasks === false) return 'not-allowed';
  const member = isGroup ? await findMember(services, chatId, telegramId) : undefined;
  if (member === 'unreachable' || member === 'not-allowed') return member;
  const user = asInGroup(account, group);
  if (task.kind === 'question' && !(await hasQuota(services, user, group))) return 'quota';
  const model =
    findAnsweringModel(services.catalogue, user)?.entry ?? (task.kind === 'reminder' ? NO_MODEL : undefined);
  if (!model) return 'no-model';
  return {
    user,
    texts: locales[findLocale(user.settings.language ?? task.language)],
    language: task.language,
    chatTopic,
    isGroup,
    group,
    userName: member && toFullName(member.user),
    typingTopicId: task.topicId,
    model,
  };
}

async function findMember(
  { client }: BotServices,
  chatId: number,
  telegramId: number,
): Promise<ChatMember | 'unreachable' | 'not-allowed'> {
  try {
    const member = await client.api.getChatMember(chatId, telegramId);
    const isGone = member.status === 'left' || member.status === 'kicked';
    return isGone || (member.status === 'restricted' && !member.is_member) ? 'not-allowed' : member;
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'blocked') return 'unreachable';
    if (kind === 'rejected') return 'not-allowed';
    throw error;
  }
}

/** Returns whether something is left of the user's limits and budgets; unknown limits of a paying group count as left. */
async function hasQuota({ limits }: BotServices, user: User, group: Group | undefined): Promise<boolean> {
  if (group && findPayingPlan(group, limits.planNames) !== undefined) return true;
  const quotas = await limits.readQuotas({ userId: user.id, plan: user.plan });
  return [quotas?.tokens, quotas?.dollars].every((quota) => quota === undefined || quota.remaining > 0);
}

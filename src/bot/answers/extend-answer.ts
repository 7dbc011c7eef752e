import type { Tool } from '../../core/tools/index.ts';
import type { AnswerExtension, PromptAddition } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import type { Answer } from './answer.ts';

/** Tools of an answer: those of the operator and those of features. Empty if the user has switched tools off. */
export function listAnswerTools(
  { toolbox }: BotServices,
  extensions: readonly AnswerExtension[],
  answer: Answer,
): readonly Tool[] {
  if (answer.context.user.settings.hasTools === false) return [];
  const added = extensions.flatMap(({ tools }) => tools?.(answer) ?? []);
  const tools = [
    ...toolbox.list(),
    ...added.filter(({ name }) => toolbox.hasBuiltIn(name)).map((tool) => toolbox.withPermission(tool)),
  ];
  // Each effect of compared answers would happen several times.
  return answer.batch === undefined ? tools : tools.filter(({ isReadOnly }) => isReadOnly);
}

/** Returns what features add to the system prompt of an answer, in their order. An answer starts without those that fail. */
export async function findPromptAdditions(
  { logger }: BotServices,
  extensions: readonly AnswerExtension[],
  answer: Answer,
): Promise<readonly PromptAddition[]> {
  const found = await Promise.allSettled(extensions.map(({ instructions }) => instructions?.(answer)));
  return found.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value ?? [];
    logger.error({ err: outcome.reason, answerId: answer.id }, 'an addition to a system prompt is missing');
    return [];
  });
}

import type { Tool } from '../../core/tools/index.ts';
import type { AnswerExtension, ExtendedAnswer, PromptAddition } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';

/** Tools of an answer: those of the operator and those of features. Empty if the user has switched tools off. */
export function listAnswerTools(
  { toolbox }: BotServices,
  extensions: readonly AnswerExtension[],
  answer: ExtendedAnswer,
): readonly Tool[] {
  if (answer.context.user.settings.hasTools === false) return [];
  const added = extensions.flatMap(({ tools }) => tools?.(answer) ?? []);
  return [
    ...toolbox.list(),
    ...added.filter(({ name }) => toolbox.hasBuiltIn(name)).map((tool) => toolbox.withPermission(tool)),
  ];
}

/** Returns what features add to the system prompt of an answer, in their order. An answer starts without those that fail. */
export async function findPromptAdditions(
  { logger }: BotServices,
  extensions: readonly AnswerExtension[],
  answer: ExtendedAnswer,
): Promise<readonly PromptAddition[]> {
  const found = await Promise.allSettled(extensions.map(({ instructions }) => instructions?.(answer)));
  return found.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value ?? [];
    logger.error({ err: outcome.reason, answerId: answer.answerId }, 'an addition to a system prompt is missing');
    return [];
  });
}

import type { MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import type { Tool } from '../../core/tools/index.ts';
import type { AnswerExtension, AnsweredQuestion, PromptAddition } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import type { Answer } from './answer.ts';

/** Tools of an answer: those of the operator and those of features. Empty if the user has switched tools off. */
export function listAnswerTools({ toolbox, listAnswerExtensions }: BotServices, answer: Answer): readonly Tool[] {
  if (answer.context.user.settings.hasTools === false) return [];
  const added = listAnswerExtensions().flatMap(({ tools }) => tools?.(answer) ?? []);
  const tools = [
    ...toolbox.list(),
    ...added.filter(({ name }) => toolbox.hasBuiltIn(name)).map((tool) => toolbox.withPermission(tool)),
  ];
  // Each effect of compared answers would happen several times.
  return answer.batch === undefined ? tools : tools.filter(({ isReadOnly }) => isReadOnly);
}

/** Returns what features add to the system prompt of an answer, in their order. An answer starts without those that fail. */
export async function findPromptAdditions(
  { logger, listAnswerExtensions }: BotServices,
  answer: Answer,
): Promise<readonly PromptAddition[]> {
  const found = await Promise.allSettled(listAnswerExtensions().map(({ instructions }) => instructions?.(answer)));
  return found.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value ?? [];
    logger.error({ err: outcome.reason, answerId: answer.id }, 'an addition to a system prompt is missing');
    return [];
  });
}

/** Returns whether nothing of the answer shows before it is complete. */
export function isQuiet({ listAnswerExtensions }: BotServices, question: StoredMessage): boolean {
  return listAnswerExtensions().some((extension) => extension.isQuiet?.(question));
}

/** Returns the line above an answer and above messages about it. */
export function findHeading({ listAnswerExtensions }: BotServices, answered: AnsweredQuestion): string | undefined {
  return findFirst(listAnswerExtensions(), ({ heading }) => heading?.(answered));
}

/** Returns the title above the text of an answer. */
export function findTitle({ listAnswerExtensions }: BotServices, extras: MessageExtras): string | undefined {
  return findFirst(listAnswerExtensions(), ({ title }) => title?.(extras));
}

/** Returns the result of the first extension that has one. */
export function findFirst<Result>(
  extensions: readonly AnswerExtension[],
  find: (extension: AnswerExtension) => Result | undefined,
): Result | undefined {
  for (const extension of extensions) {
    const found = find(extension);
    if (found !== undefined) return found;
  }
  return undefined;
}

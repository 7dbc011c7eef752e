import type { StoredMessage } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { ChatRequest, ModelEntry } from '../../core/models/index.ts';
import { asInGroup } from '../groups/as-in-group.ts';
import type { BotServices } from '../kit/services.ts';
import { findEffectivePrompt } from '../personas/effective-prompt.ts';
import { DEFAULT_LOCALE } from '../texts/locale.ts';
import { LENGTH_INSTRUCTIONS, TEMPERATURES, takesTemperature } from './answer-style.ts';

/** System prompt and settings of a generation, from the choices of the conversation, the user and the group. */
export interface AnswerInstructions {
  readonly systemPrompt: string | undefined;
  /** Another user has written a part of the system prompt. */
  readonly hasForeignText: boolean;
  readonly settings: Pick<ChatRequest, 'sampling' | 'optional'>;
}

/** Looked up when the answer starts, so that later changes of settings apply to queued questions. */
export async function findAnswerInstructions(
  services: BotServices,
  {
    userId,
    group,
    question,
    model,
    hint,
  }: {
    readonly userId: number;
    readonly group: Group | undefined;
    readonly question: Pick<StoredMessage, 'conversationId'>;
    readonly model: Pick<ModelEntry, 'id'>;
    readonly hint?: string | undefined;
  },
): Promise<AnswerInstructions> {
  const storedUser = await services.accounts.findUser(userId);
  const user = storedUser && asInGroup(storedUser, group);
  const conversation = await services.conversations.findConversation(question.conversationId);
  const promptSource = await findEffectivePrompt(services, DEFAULT_LOCALE, { user, conversation });
  const { creativity, answerLength } = user?.settings ?? {};
  const instructions = [promptSource?.instructions, answerLength && LENGTH_INSTRUCTIONS[answerLength], hint].filter(
    Boolean,
  );
  const hasTemperature = creativity !== undefined && takesTemperature(model.id);
  // The group's system prompt was written by its admins.
  const isOfGroup =
    group?.settings.systemPrompt !== undefined && promptSource?.instructions === group.settings.systemPrompt;
  return {
    hasForeignText: promptSource?.isForeign === true || isOfGroup,
    systemPrompt: instructions.join('\n\n') || undefined,
    settings: hasTemperature ? { sampling: { temperature: TEMPERATURES[creativity] }, optional: ['temperature'] } : {},
  };
}

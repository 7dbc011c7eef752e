import type { User } from '../../core/accounts/index.ts';
import type { StoredMessage } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { ChatRequest, ModelEntry } from '../../core/models/index.ts';
import { DEFAULT_LOCALE } from '../../texts/locale.ts';
import { asInGroup } from '../choices/groups.ts';
import { findEffectivePrompt } from '../choices/personas.ts';
import type { BotServices } from '../kit/services.ts';

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

/** A user's choices about the style of answers. */
export type Creativity = NonNullable<User['settings']['creativity']>;
type AnswerLength = NonNullable<User['settings']['answerLength']>;

/** Temperatures that every provider accepts: the maximum of some is 1. */
export const TEMPERATURES: Readonly<Record<Creativity, number>> = { precise: 0.2, balanced: 0.6, creative: 1 };

/** Instructions about the length of answers. */
const LENGTH_INSTRUCTIONS: Readonly<Record<AnswerLength, string>> = {
  short: 'Keep your answers short: a few sentences, without introduction and summary, unless the user asks for more.',
  detailed: 'Answer in detail: give reasons, examples and what follows from it, in sections where that helps reading.',
};

/** OpenAI's reasoning models accept only their default temperature. */
const WITHOUT_TEMPERATURE = /(?:^|\/)(?:o\d|gpt-5)(?!.{0,100}chat)/;

/** Returns false for models known to refuse a temperature. For others, a refused request is repeated without it. */
export function takesTemperature(modelName: string): boolean {
  return !WITHOUT_TEMPERATURE.test(modelName.toLowerCase());
}

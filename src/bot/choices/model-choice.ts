import type { User } from '../../core/accounts/index.ts';
import type { Catalogue, ModelEntry } from '../../core/models/index.ts';
import type { CallbackAction } from '../kit/actions.ts';
import { isGroup, toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { ActionButton } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';

/** Model that answers a user. */
interface AnsweringModel {
  readonly entry: ModelEntry;
  /** The user's choice if it no longer exists and the default model answers instead. */
  readonly gone: string | undefined;
}

/**
 * Returns the user's model, or the default one if it is unset or no longer exists; undefined if there is no chat model.
 */
export function findAnsweringModel(catalogue: Catalogue, user: User): AnsweringModel | undefined {
  const chosen = user.settings.model;
  const entry = chosen === undefined ? undefined : catalogue.find(chosen);
  if (entry?.type === 'chat') return { entry, gone: undefined };
  const fallback = catalogue.defaultChatModel();
  return fallback && { entry: fallback, gone: chosen };
}

/** Stands for the model of an answer whose text needs none, such as a reminder, while no chat model is connected. */
export const NO_MODEL: ModelEntry = {
  id: '',
  type: 'chat',
  ownedBy: '',
  displayName: undefined,
  created: 0,
  contextLength: undefined,
  price: undefined,
  acceptsImages: undefined,
  targets: [],
};

/** Returns the chat models whose id or display name contains every word of the search, in the catalogue's order. */
export function listChatModels(catalogue: Catalogue, search = ''): readonly ModelEntry[] {
  return listModels(catalogue, 'chat', search);
}

/** Returns the image models that match the search in the same way. */
export function listImageModels(catalogue: Catalogue, search = ''): readonly ModelEntry[] {
  return listModels(catalogue, 'image', search);
}

function listModels(catalogue: Catalogue, type: ModelEntry['type'], search: string): readonly ModelEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return catalogue.list().filter((entry) => {
    const name = `${entry.id} ${entry.displayName ?? ''}`.toLowerCase();
    return entry.type === type && words.every((word) => name.includes(word));
  });
}

/** Returns the chat model with exactly this id, ignoring case. */
export function findChatModelByName(catalogue: Catalogue, name: string): ModelEntry | undefined {
  const lowerCaseName = name.toLowerCase();
  return listChatModels(catalogue).find((entry) => entry.id.toLowerCase() === lowerCaseName);
}

/** Returns the id of another chat model that accepts images. */
export function findSeeingModel(catalogue: Catalogue, besides: string): string | undefined {
  return listChatModels(catalogue).find(({ id, acceptsImages }) => acceptsImages && id !== besides)?.id;
}

/**
 * Cuts a name in its middle to at most `maxLength` characters: both the vendor at the start and the size at the end
 * distinguish models.
 */
export function shortenMiddle(name: string, maxLength: number): string {
  const characters = [...name];
  if (characters.length <= maxLength) return name;
  const tail = Math.floor((maxLength - 1) / 2);
  const head = maxLength - 1 - tail;
  return `${characters.slice(0, head).join('')}…${characters.slice(-tail).join('')}`;
}

/**
 * Returns the chat model chosen for one conversation if it is still in the catalogue. In groups conversations have
 * none.
 * @param conversationId default the current conversation of the topic.
 */
export async function findConversationModel(
  { catalogue, conversations }: BotServices,
  { msg }: BotContext,
  conversationId?: number,
): Promise<ModelEntry | undefined> {
  if (!msg || isGroup(msg.chat)) return undefined;
  const conversation =
    conversationId === undefined
      ? await conversations.findCurrentConversation(toChatTopic(msg))
      : await conversations.findConversation(conversationId);
  const entry = conversation?.model === undefined ? undefined : catalogue.find(conversation.model);
  return entry?.type === 'chat' ? entry : undefined;
}

/** Returns the notice that admins chose the model of the group; undefined where each user chooses. */
export function findGroupModelNotice({ group, texts }: BotContext) {
  const model = group?.settings.model;
  return model === undefined ? undefined : { hint: texts.models.isSet(model), isAlert: true };
}

/** Number of models that fit on a phone without scrolling. */
export const MODELS_PER_PAGE = 8;
/** Number of characters of a name that fit on a button of a phone's full width. */
const MAX_LABEL_CHARACTERS = 36;

/** Returns a button for one model, with the current one marked. */
export function toModelButton(entry: ModelEntry, current: string | undefined, action: CallbackAction): ActionButton {
  const mark = entry.id === current ? '✓ ' : '';
  return { text: mark + shortenMiddle(entry.id, MAX_LABEL_CHARACTERS), action };
}

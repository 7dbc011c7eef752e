import { badRequest } from '../../api-error.ts';
import { isJsonObject } from '../../json.ts';
import { publishChange } from '../../world/messages.ts';
import { REACTION_EMOJI } from '../../world/reaction-emoji.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readArray } from '../params.ts';
import { checkAccess, isCreationMessage, readChat, readMessage } from '../targets.ts';

/** Bots can't have Premium, so they may set only one reaction. */
const MAX_REACTIONS = 1;

function setMessageReaction(call: Call): true {
  const chat = readChat(call);
  checkAccess(call, chat);
  const stored = readMessage(call, chat, 'react');
  if (isCreationMessage(stored)) throw badRequest("the reaction isn't available for the message");
  const emoji = (readArray(call.params, 'reaction') ?? []).map(readEmoji);
  if (emoji.length > MAX_REACTIONS) throw badRequest('REACTIONS_TOO_MANY');
  if (emoji.length === 0) stored.reactions.delete(call.bot.id);
  else stored.reactions.set(call.bot.id, emoji);
  publishChange(call.world, stored);
  return true;
}

function readEmoji(reaction: unknown): string {
  if (!isJsonObject(reaction)) throw badRequest("can't parse ReactionType: expected an Object");
  if (reaction.type !== 'emoji' || typeof reaction.emoji !== 'string') throw badRequest('REACTION_INVALID');
  if (!REACTION_EMOJI.has(reaction.emoji)) throw badRequest('REACTION_INVALID');
  return reaction.emoji;
}

/** Methods that set the bot's own reactions. */
export const reactionMethods: { readonly [method: string]: MethodHandler } = { setMessageReaction };

import type { MethodHandler } from '../call.ts';
import { botItselfMethods } from './bot-itself.ts';
import { chatMethods } from './chats.ts';
import { contentMethods } from './content.ts';
import { editMethods } from './edits.ts';
import { fileMethods } from './files.ts';
import { inviteLinkMethods } from './invite-links.ts';
import { mediaMethods } from './media.ts';
import { messageMethods } from './messages.ts';
import { presenceMethods } from './presence.ts';
import { profileMethods } from './profile.ts';
import { queryMethods } from './queries.ts';
import { reactionMethods } from './reactions.ts';
import { richMethods } from './rich.ts';
import { textMethods } from './text.ts';
import { topicMethods } from './topics.ts';
import { updateMethods } from './updates.ts';

/** Implemented methods by documented name. `coverage.ts` lists how complete each one is. */
export const METHODS: ReadonlyMap<string, MethodHandler> = new Map(
  Object.entries({
    ...botItselfMethods,
    ...updateMethods,
    ...textMethods,
    ...richMethods,
    ...mediaMethods,
    ...contentMethods,
    ...fileMethods,
    ...editMethods,
    ...messageMethods,
    ...presenceMethods,
    ...queryMethods,
    ...reactionMethods,
    ...profileMethods,
    ...chatMethods,
    ...topicMethods,
    ...inviteLinkMethods,
  }),
);

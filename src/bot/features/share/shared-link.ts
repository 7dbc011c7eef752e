import { Composer } from 'grammy';
import type { SharedConversation } from '../../../core/shared-conversations/index.ts';
import { readStartPayload } from '../../../lib/start-link.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { isGroup, toPlace } from '../../framework/place.ts';
import { showView } from '../../framework/view.ts';
import { isOutsideTopics } from '../../topics/open-topic.ts';
import { toTitle } from '../../topics/thread-title.ts';
import { continueInTopic } from '../threads/thread-changes.ts';
import { toReminder } from '../threads/thread-view.ts';

const PAGE_ID = /^[\w-]{22}$/;
const READ_TIMEOUT_MS = 30_000;
/** More than models remember of a conversation. */
const MAX_MESSAGES = 100;

/** `/start c_<id>`: whoever comes from the page of a shared conversation goes on with a copy of it. */
export function createSharedLinkFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx, next) => {
    const id = readStartPayload(ctx.match, 'page');
    if (id === undefined || isGroup(ctx.chat)) return next();
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
    const page = PAGE_ID.test(id) ? await deps.sharedConversations.find(id, signal) : undefined;
    if (!page) return void (await ctx.reply(ctx.texts.share.unknown));
    const title = toTitle(page.title) ?? ctx.texts.threads.untitled;
    const place = toPlace(ctx.msg);
    const messages = toCopied(ctx, page.conversation);
    const threadId = await deps.conversations.startCopiedThread(place, ctx.person.id, { title, messages });
    const thread = await deps.conversations.findListedThread(threadId);
    if (!thread) return void (await ctx.reply(ctx.texts.share.unknown));
    if (isOutsideTopics(ctx, place)) return continueInTopic(deps, ctx, thread);
    await showView(ctx, await toReminder(deps, ctx, thread, ctx.texts.share.taken(title)));
  });
  return composer;
}

/** What models can be told of it; where a picture stood is said in words. */
function toCopied({ texts }: BotContext, { messages }: SharedConversation) {
  return messages
    .slice(-MAX_MESSAGES)
    .map(({ role, model, content }) => ({ role, model, content: content || texts.threads.photo }));
}

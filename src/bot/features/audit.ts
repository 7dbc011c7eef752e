import { Composer } from 'grammy';
import type { AdminAction } from '../../core/administration/index.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { toShownName } from '../files/shown-name.ts';
import { showView } from '../keyboards/view.ts';
import { isGroup } from '../place.ts';
import type { Texts } from '../texts/locales.ts';

/** As many as fit into one message with the longest reasons that are shown. */
const SHOWN_ACTIONS = 20;

/** `/audit`, for those who run the service: what its admins have done last. Nobody else learns that there is such a command. */
export function createAuditFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('audit', async (ctx, next) => {
    if (ctx.person.role !== 'admin' || isGroup(ctx.chat)) return next();
    const actions = await deps.administration.listActions(SHOWN_ACTIONS);
    const { audit } = ctx.texts.administration;
    const lines = actions.map((action) => toLine(ctx.texts, action));
    return showView(ctx, { text: lines.length === 0 ? audit.none : [audit.heading, '', ...lines].join('\n') });
  });
  return composer;
}

function toLine({ administration: { audit } }: Texts, done: AdminAction): string {
  const line = audit.line(done.createdAt, `${done.adminTelegramId}`, `${done.action} ${toShownName(done.subject)}`);
  return done.reason === '' ? line : `${line}${audit.because(toShownName(done.reason.replace(/\s+/g, ' ')))}`;
}

import { Composer } from 'grammy';
import type { AdminAction } from '../../../core/administration/index.ts';
import { shorten } from '../../../lib/shorten.ts';
import type { BotContext } from '../../kit/context.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import type { Locale } from '../../texts/locale.ts';
import { texts } from './texts.ts';

const MAX_ACTIONS = 20;
const MAX_NAME_CHARACTERS = 32;
/** Telegram's limit for a message, in UTF-16 units. */
const MAX_UNITS = 4096;
/** Actions whose subject is a user. */
const USER_ACTIONS: ReadonlySet<AdminAction['action']> = new Set(['ban', 'unban', 'allow', 'disallow', 'plan']);

/** `/audit`: the latest actions of admins. */
export function createAudit(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('audit', async (ctx) => {
    const { audit } = texts[ctx.locale];
    const actions = await services.administration.listActions(MAX_ACTIONS);
    if (actions.length === 0) return showView(ctx, { text: audit.none });
    const names = await findNames(ctx, new Set(actions.flatMap(listUsers)));
    let text = `${audit.heading}\n`;
    for (const action of actions) {
      const line = `\n${toLine(ctx.locale, action, names)}`;
      if (text.length + line.length > MAX_UNITS) break;
      text += line;
    }
    return showView(ctx, { text });
  });
  return composer;
}

/** Returns the Telegram ids of the users that an action names. */
function listUsers({ action, adminTelegramId, subject }: AdminAction): readonly string[] {
  return [`${adminTelegramId}`, ...(USER_ACTIONS.has(action) ? [subject] : [])];
}

/** Gets the names of users from Telegram, as the service stores none. Ids unknown to Telegram are left out. */
async function findNames({ api }: BotContext, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    Array.from(ids, async (id) => {
      const chat = await api.getChat(Number(id)).catch(() => undefined);
      return [id, [chat?.first_name, chat?.last_name].filter(Boolean).join(' ')] as const;
    }),
  );
  return new Map(found.filter(([, name]) => name !== ''));
}

function toLine(locale: Locale, adminAction: AdminAction, names: ReadonlyMap<string, string>): string {
  const { audit } = texts[locale];
  const toUser = (id: string) => {
    const name = names.get(id);
    return name === undefined ? id : `${shorten(toShownName(name), MAX_NAME_CHARACTERS)} (${id})`;
  };
  const subject = USER_ACTIONS.has(adminAction.action) ? toUser(adminAction.subject) : toShownName(adminAction.subject);
  const line = audit.line(
    adminAction.createdAt,
    toUser(`${adminAction.adminTelegramId}`),
    audit.actionTexts[adminAction.action](subject),
  );
  return adminAction.reason === ''
    ? line
    : `${line}${audit.because(toShownName(adminAction.reason.replace(/\s+/g, ' ')))}`;
}

import { Composer } from 'grammy';
import type { BotContext } from '../../kit/context.ts';
import type { Command, Feature } from '../../kit/feature.ts';
import { createAccess } from './access.ts';
import { actions } from './actions.ts';
import { createAudit } from './audit.ts';
import { createPlans } from './plan.ts';
import { createTakeDown } from './take-down.ts';
import { texts } from './texts.ts';

const toCommand = (name: keyof typeof texts.en.commands): Command => ({
  name,
  menus: ['admin'],
  ...((name === 'allow' || name === 'disallow') && { isForPrivateService: true }),
  describe: (locale) => texts[locale].commands[name],
});

/** Commands for admins: plans, bans, takedowns, the audit log, and the users of a private service. */
export const administration: Feature = {
  commands: (['plan', 'ban', 'unban', 'takedown', 'audit', 'allow', 'disallow'] as const).map(toCommand),
  actions,
  create(services) {
    const composer = new Composer<BotContext>();
    // Other users get the reply for an unknown command.
    const byAdmins = composer.filter(({ user }) => user.role === 'admin');
    byAdmins.use(createAccess(services));
    byAdmins.chatType('private').use(createAudit(services), createPlans(services), createTakeDown(services));
    return { middleware: composer };
  },
};

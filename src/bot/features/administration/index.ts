import { Composer } from 'grammy';
import type { BotContext } from '../../framework/context.ts';
import { type Command, defineFeature } from '../../framework/feature.ts';
import { type AccessServices, createAccess } from './access.ts';
import { actions } from './actions.ts';
import { type AuditServices, createAudit } from './audit.ts';
import { createPlans, type PlanServices } from './plan.ts';
import { createTakeDown, type TakeDownServices } from './take-down.ts';
import { texts } from './texts/index.ts';

type AdministrationServices = AccessServices & AuditServices & PlanServices & TakeDownServices;

const toCommand = (name: keyof typeof texts.en.commands): Command => ({
  name,
  menus: ['admin'],
  ...((name === 'allow' || name === 'disallow') && { isForPrivateService: true }),
  describe: (locale) => texts[locale].commands[name],
});

/** Commands for admins: plans, bans, takedowns, the audit log, and the users of a private service. */
export const administration = defineFeature({
  commands: (['plan', 'ban', 'unban', 'takedown', 'audit', 'allow', 'disallow'] as const).map(toCommand),
  actions,
  create(services: AdministrationServices) {
    const composer = new Composer<BotContext>();
    // Other users get the reply for an unknown command.
    const byAdmins = composer.filter(({ user }) => user.role === 'admin');
    byAdmins.use(createAccess(services));
    byAdmins.chatType('private').use(createAudit(services), createPlans(services), createTakeDown(services));
    return { middleware: composer };
  },
});

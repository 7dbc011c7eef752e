import type { AccessRequest } from '../../../core/administration/index.ts';
import { defineTexts } from '../../../texts/define-texts.ts';

type Decided = Exclude<AccessRequest['state'], 'open'>;

export const texts = defineTexts({
  en: {
    asks: (name: string, id: string) => `${name} asks for access to this bot.\nTelegram id: ${id}`,
    others: (count: number, names: string) => `${count} more ${count === 1 ? 'is' : 'are'} waiting: ${names}`,
    none: 'No requests for access are waiting.',
    askPlan: 'On which plan?',
    buttons: {
      allow: 'Allow',
      allowWithPlan: 'Allow with plan…',
      ignore: 'Ignore',
      block: 'Block',
      next: 'Next ›',
      ignoreAll: (count: number) => `Ignore all ${count}`,
    },
    decided: {
      allowed: (name: string, admin: string) => `✅ ${name}: allowed by ${admin}`,
      ignored: (name: string, admin: string) => `${name}: ignored by ${admin}`,
      blocked: (name: string, admin: string) => `🚫 ${name}: blocked by ${admin}`,
    } satisfies Record<Decided, unknown>,
    /** Alert for an admin who presses after another one. */
    already: {
      allowed: (admin: string) => `${admin} has already allowed this.`,
      ignored: (admin: string) => `${admin} has already ignored this.`,
      blocked: (admin: string) => `${admin} has already blocked this account.`,
    } satisfies Record<Decided, unknown>,
    lapsed: 'This request has lapsed.',
    onlyAdmins: 'Only admins of this bot decide about access.',
    isAdmin: 'This account is an admin of the bot now. Admins can’t be blocked.',
    noPlan: 'This plan no longer exists.',
    you: 'you',
    /** To the user who has asked. */
    welcome: 'You now have access. Just write to me; /help says what I can do.',
  },
  ru: {
    asks: (name, id) => `${name} просит открыть доступ к этому боту.\nId в Telegram: ${id}`,
    others: (count, names) => `Ждут ещё ${count}: ${names}`,
    none: 'Просьб о доступе нет.',
    askPlan: 'С каким тарифом?',
    buttons: {
      allow: 'Разрешить',
      allowWithPlan: 'Разрешить с тарифом…',
      ignore: 'Пропустить',
      block: 'Заблокировать',
      next: 'Следующая ›',
      ignoreAll: (count) => `Пропустить все: ${count}`,
    },
    decided: {
      allowed: (name, admin) => `✅ ${name}: доступ открыт, ${admin}`,
      ignored: (name, admin) => `${name}: без ответа, ${admin}`,
      blocked: (name, admin) => `🚫 ${name}: блокировка, ${admin}`,
    },
    already: {
      allowed: (admin) => `Доступ уже открыт: ${admin}.`,
      ignored: (admin) => `Просьба уже пропущена: ${admin}.`,
      blocked: (admin) => `Уже заблокировано: ${admin}.`,
    },
    lapsed: 'Эта просьба устарела.',
    onlyAdmins: 'О доступе решают только администраторы этого бота.',
    isAdmin: 'Теперь это администратор бота. Администраторов блокировать нельзя.',
    noPlan: 'Такого тарифа больше нет.',
    you: 'вы',
    welcome: 'Доступ открыт. Просто напишите мне; что я умею, покажет /help.',
  },
});

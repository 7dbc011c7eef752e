import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

const ENGLISH_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const RUSSIAN_DAY = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const englishUsers = (count: number) => pluralOf('en', count, { one: 'person', other: 'people' });
const englishDays = (count: number) => pluralOf('en', count, { one: 'day', other: 'days' });
const russianUsers = (count: number) =>
  pluralOf('ru', count, { one: 'человека', few: 'человек', many: 'человек', other: 'человек' });
const russianDays = (count: number) => pluralOf('ru', count, { one: 'день', few: 'дня', many: 'дней', other: 'дня' });

export const texts = defineTexts({
  en: {
    command: 'Invitation links',
    openToAll: 'The bot is open to everyone: ALLOWED_IDS is not set. No invitation is needed.',
    heading: 'Invitation links let people in without asking you.',
    none: 'There are none.',
    line: (id: number, useCount: number, maxUses: number, expiresAt: Date, plan?: string) =>
      `№ ${id}: ${useCount} of ${maxUses} used, until ${ENGLISH_DAY.format(expiresAt)} UTC${plan === undefined ? '' : `, plan ${plan}`}`,
    groups: 'Members of these groups may use me in private:',
    group: (title: string, admin: string | undefined, isInForce: boolean) =>
      `${title}${admin === undefined ? '' : `, let in by ${admin}`}${isInForce ? '' : ' (members have no access until an admin lets them in again)'}`,
    draft: (uses: number, days: number, plan: string | undefined) =>
      `A link for ${englishUsers(uses)}, for ${englishDays(days)}${plan === undefined ? '' : `, on the plan ${plan}`}.`,
    created: (id: number, maxUses: number, expiresAt: Date) =>
      `Invitation № ${id}, for ${englishUsers(maxUses)}, until ${ENGLISH_DAY.format(expiresAt)} UTC. I show the link only now:`,
    sendWithCare: 'Whoever opens it first may use me: send it only to those you mean.',
    buttons: {
      create: 'New link',
      createNow: 'Create the link',
      uses: (count: number): string => `${count} 👤`,
      days: (count: number): string => englishDays(count),
      usualPlan: 'usual plan',
      revoke: (id: number) => `Revoke № ${id}`,
      dismiss: (title: string) => `End: ${title}`,
    },
    dismissed: 'Members of this group no longer have access by it.',
    revoked: 'The link no longer works. Those who have used it keep their access.',
    gone: 'This link no longer exists.',
    noPlan: 'This plan no longer exists.',
    full: 'There are 100 links already. Revoke some of them first.',
  },
  ru: {
    command: 'Ссылки-приглашения',
    openToAll: 'Мной могут пользоваться все: ALLOWED_IDS не задан. Приглашения не нужны.',
    heading: 'По ссылке-приглашению доступ открывается без просьбы к вам.',
    none: 'Их нет.',
    line: (id, useCount, maxUses, expiresAt, plan) =>
      `№ ${id}: использовано ${useCount} из ${maxUses}, до ${RUSSIAN_DAY.format(expiresAt)} UTC${plan === undefined ? '' : `, тариф ${plan}`}`,
    groups: 'Личный чат со мной открыт участникам этих групп:',
    group: (title, admin, isInForce) =>
      `${title}${admin === undefined ? '' : `, доступ открыт: ${admin}`}${isInForce ? '' : ' (у участников нет доступа, пока администратор не откроет его снова)'}`,
    draft: (uses, days, plan) =>
      `Ссылка для ${russianUsers(uses)} на ${russianDays(days)}${plan === undefined ? '' : `, тариф ${plan}`}.`,
    created: (id, maxUses, expiresAt) =>
      `Приглашение № ${id} для ${russianUsers(maxUses)}, до ${RUSSIAN_DAY.format(expiresAt)} UTC. Ссылку я показываю только сейчас:`,
    sendWithCare: 'Мной сможет пользоваться тот, кто откроет её первым: отправляйте её только тем, кого имеете в виду.',
    buttons: {
      create: 'Новая ссылка',
      createNow: 'Создать ссылку',
      uses: (count) => `${count} 👤`,
      days: (count) => russianDays(count),
      usualPlan: 'обычный тариф',
      revoke: (id) => `Отозвать № ${id}`,
      dismiss: (title) => `Закрыть: ${title}`,
    },
    dismissed: 'Доступ через эту группу закрыт.',
    revoked: 'Ссылка больше не действует. Доступ тех, кто ею воспользовался, остаётся.',
    gone: 'Этой ссылки больше нет.',
    noPlan: 'Такого тарифа больше нет.',
    full: 'Ссылок уже 100. Сначала отзовите часть из них.',
  },
});

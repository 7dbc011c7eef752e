import type { AdminAction } from '../../../core/administration/index.ts';
import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

const ENGLISH_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const englishFiles = (count: number) => pluralOf('en', count, { one: 'file', other: 'files' });
const RUSSIAN_TIME = new Intl.DateTimeFormat('ru', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const russianFiles = (count: number) =>
  pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' });

export const texts = defineTexts({
  en: {
    commands: {
      plan: 'Change a user’s limits',
      note: 'Note who a user is',
      ban: 'Ban a user',
      unban: 'Lift a ban',
      takedown: 'Remove a file and block its content',
      audit: 'Recent admin actions',
      allow: 'Give a user access',
      disallow: 'Remove a user’s access',
    },
    whom: (command: string) =>
      `Which user? Send ${command} with a Telegram id, or in reply to one of their messages. You can add a reason.`,
    isAdmin: 'Admins can’t be banned. They are listed in ADMIN_IDS.',
    banDone: (user: string) => `${user} is banned. Their API keys stop working within a second.`,
    banUnknown: (user: string) => `${user} is banned, but no user with this id has written to me yet. Check the id.`,
    banAlready: (user: string) => `${user} is already banned.`,
    unbanDone: (user: string) => `${user} is no longer banned.`,
    unbanNone: (user: string) => `${user} is not banned.`,
    openToAll: 'The bot is open to everyone: ALLOWED_IDS is not set. Use /ban to block a user.',
    allowDone: (user: string) => `${user} now has access.`,
    allowAlready: (user: string) => `${user} already has access.`,
    disallowDone: (user: string) => `${user} no longer has access. Their API keys stop working within a second.`,
    disallowNone: (user: string) => `${user} is not on the list.`,
    disallowFixed: (user: string) => `${user} is listed in the settings (ADMIN_IDS or ALLOWED_IDS) and keeps access.`,
    takeDown: {
      which: 'Which file? Send its link or id after /takedown. You can add a reason for the audit log.',
      ask: (name: string) =>
        `Take ${name} down? This deletes it and every file with the same content, and blocks that content from being stored here again.`,
      done: (count: number, isBlocked: boolean) =>
        isBlocked
          ? `${englishFiles(count)} taken down. This content is blocked from now on.`
          : `${englishFiles(count)} taken down. Only Telegram has the content, so it could be uploaded again.`,
      button: 'Take down',
    },
    plans: {
      howTo: (plans: string) =>
        `Send /plan, a user’s Telegram id and the name of a plan. Plans: ${plans}. “default” restores the usual one.`,
      unknownUser: (id: string) => `No user with the id ${id} has written to me yet.`,
      unknownPlan: (name: string, plans: string) => `There is no plan ${name}. Plans: ${plans}.`,
      current: (holder: string, plan: string) => `${holder} is on the plan ${plan}.`,
      changed: (holder: string, plan: string) => `${holder} is now on the plan ${plan}.`,
    },
    notes: {
      howTo:
        'Send /note, a user’s Telegram id and who it is: /note 123456789 Ann, Sales. Without a text the note is removed.',
      changed: (user: string, note: string) => `${user} is now called: ${note}`,
      removed: (user: string) => `The note about ${user} is removed.`,
    },
    audit: {
      none: 'No admin actions yet.',
      heading: 'Admin actions, newest first (UTC).',
      line: (date: Date, admin: string, deed: string) => `${ENGLISH_TIME.format(date)}: ${admin} ${deed}`,
      actionTexts: {
        ban: (user: string) => `banned ${user}`,
        unban: (user: string) => `unbanned ${user}`,
        allow: (user: string) => `allowed ${user}`,
        disallow: (user: string) => `disallowed ${user}`,
        plan: (user: string) => `changed the plan of ${user}`,
        'take-down': (fileId: string) => `took down file ${fileId}`,
        broadcast: (number: string) => `sent announcement ${number}`,
        'pause-broadcast': (number: string) => `paused announcement ${number}`,
        'resume-broadcast': (number: string) => `resumed announcement ${number}`,
        'cancel-broadcast': (number: string) => `cancelled announcement ${number}`,
        'create-key': (key: string) => `created the API key ${key}`,
        'change-key': (key: string) => `changed the API key ${key}`,
        'rotate-key': (key: string) => `rotated the API key ${key}`,
        'revoke-key': (key: string) => `revoked the API key ${key}`,
        'set-budget': (scope: string) => `set the budget of ${scope}`,
        'raise-budget': (scope: string) => `raised the budget of ${scope}`,
        'ignore-request': (user: string) => `ignored the request of ${user}`,
        'create-invitation': (invitation: string) => `created ${invitation}`,
        'revoke-invitation': (invitation: string) => `revoked ${invitation}`,
        'admit-group': (group: string) => `let in the members of the group ${group}`,
        'dismiss-group': (group: string) => `no longer lets in the members of the group ${group}`,
        note: (user: string) => `changed the note about ${user}`,
        'set-setting': (name: string) => `changed the setting ${name}`,
        'remove-setting': (name: string) => `removed the setting ${name}`,
        'undo-setting': (name: string) => `restored the setting ${name}`,
      } satisfies Record<AdminAction['action'], unknown>,
      because: (reason: string) => `: ${reason}`,
    },
  },
  ru: {
    commands: {
      plan: 'Изменить лимиты пользователя',
      note: 'Записать, кто пользователь',
      ban: 'Заблокировать пользователя',
      unban: 'Снять блокировку',
      takedown: 'Удалить файл и запретить его содержимое',
      audit: 'Действия администраторов',
      allow: 'Открыть доступ пользователю',
      disallow: 'Закрыть доступ пользователю',
    },
    whom: (command) =>
      `Какой пользователь? Напишите ${command} и id в Telegram или ответьте этой командой на его сообщение. Можно добавить причину.`,
    isAdmin: 'Администраторов заблокировать нельзя. Они перечислены в ADMIN_IDS.',
    banDone: (user) => `${user} заблокирован. Ключи API перестанут работать в течение секунды.`,
    banUnknown: (user) => `${user} заблокирован, но пользователь с таким id мне ещё не писал. Проверьте id.`,
    banAlready: (user) => `${user} уже заблокирован.`,
    unbanDone: (user) => `${user} больше не заблокирован.`,
    unbanNone: (user) => `${user} не заблокирован.`,
    openToAll: 'Мной могут пользоваться все: ALLOWED_IDS не задан. Заблокировать пользователя: /ban.',
    allowDone: (user) => `${user} теперь может мной пользоваться.`,
    allowAlready: (user) => `${user} уже может мной пользоваться.`,
    disallowDone: (user) =>
      `${user} больше не может мной пользоваться. Ключи API перестанут работать в течение секунды.`,
    disallowNone: (user) => `${user} нет в списке.`,
    disallowFixed: (user) => `${user} указан в настройках, ADMIN_IDS или ALLOWED_IDS, и может мной пользоваться.`,
    takeDown: {
      which: 'Какой файл? Напишите после /takedown его ссылку или id. Можно добавить причину для журнала.',
      ask: (name) =>
        `Изъять ${name}? Он исчезнет вместе со всеми файлами с тем же содержимым, и сохранить его здесь больше никто не сможет.`,
      done: (count, isBlocked) =>
        isBlocked
          ? `Изъято: ${russianFiles(count)}. Это содержимое больше не принимается.`
          : `Изъято: ${russianFiles(count)}. Содержимое есть только у Telegram, поэтому его могут загрузить снова.`,
      button: 'Изъять',
    },
    plans: {
      howTo: (plans) =>
        `Напишите /plan, id пользователя в Telegram и название тарифа. Тарифы: ${plans}. «default» вернёт обычный.`,
      unknownUser: (id) => `Пользователь с id ${id} мне ещё не писал.`,
      unknownPlan: (name, plans) => `Тарифа ${name} нет. Тарифы: ${plans}.`,
      current: (holder, plan) => `Тариф ${holder}: ${plan}.`,
      changed: (holder, plan) => `Тариф ${holder} теперь ${plan}.`,
    },
    notes: {
      howTo:
        'Напишите /note, id пользователя в Telegram и кто это: /note 123456789 Анна, отдел продаж. Без текста заметка удаляется.',
      changed: (user, note) => `Теперь ${user}: ${note}`,
      removed: (user) => `Заметка о ${user} удалена.`,
    },
    audit: {
      none: 'Действий администраторов ещё не было.',
      heading: 'Действия администраторов, сначала новые (UTC).',
      line: (date, admin, deed) => `${RUSSIAN_TIME.format(date)}: ${admin} ${deed}`,
      actionTexts: {
        ban: (user) => `— блокировка: ${user}`,
        unban: (user) => `— снятие блокировки: ${user}`,
        allow: (user) => `— доступ открыт: ${user}`,
        disallow: (user) => `— доступ закрыт: ${user}`,
        plan: (user) => `— новый тариф: ${user}`,
        'take-down': (fileId) => `— изъят файл ${fileId}`,
        broadcast: (number) => `— объявление № ${number}`,
        'pause-broadcast': (number) => `— объявление № ${number} приостановлено`,
        'resume-broadcast': (number) => `— объявление № ${number} продолжено`,
        'cancel-broadcast': (number) => `— объявление № ${number} отменено`,
        'create-key': (key) => `— создан ключ API ${key}`,
        'change-key': (key) => `— изменён ключ API ${key}`,
        'rotate-key': (key) => `— заменён секрет ключа API ${key}`,
        'revoke-key': (key) => `— отозван ключ API ${key}`,
        'set-budget': (scope) => `— задан бюджет ${scope}`,
        'raise-budget': (scope) => `— увеличен бюджет ${scope}`,
        'ignore-request': (user) => `— просьба без ответа: ${user}`,
        'create-invitation': (invitation) => `— создано приглашение ${invitation}`,
        'revoke-invitation': (invitation) => `— отозвано приглашение ${invitation}`,
        'admit-group': (group) => `— доступ участникам группы ${group} открыт`,
        'dismiss-group': (group) => `— доступ участникам группы ${group} закрыт`,
        note: (user) => `— новая заметка: ${user}`,
        'set-setting': (name) => `— изменена настройка ${name}`,
        'remove-setting': (name) => `— удалена настройка ${name}`,
        'undo-setting': (name) => `— возвращена настройка ${name}`,
      },
      because: (reason) => `: ${reason}`,
    },
  },
});

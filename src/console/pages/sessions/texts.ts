import { defineTexts } from '../../../bot/texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    about:
      'Everyone who has one of these sessions can use this console as you. A session ends by itself after some hours.',
    device: 'Device',
    origin: 'Opened',
    origins: { 'mini-app': 'in Telegram', link: 'by a link from the bot', playground: 'in the playground' },
    lastUsed: 'Last used',
    expires: 'Ends',
    here: 'this session',
    action: 'Action',
    end: 'End',
    endOthers: 'End all other sessions',
    ended: 'Ended.',
  },
  ru: {
    about:
      'В каждой из этих сессий консолью можно пользоваться от вашего имени. Сессия сама заканчивается через несколько часов.',
    device: 'Устройство',
    origin: 'Открыта',
    origins: { 'mini-app': 'в Telegram', link: 'по ссылке от бота', playground: 'в песочнице' },
    lastUsed: 'Последний раз',
    expires: 'Закончится',
    here: 'эта сессия',
    action: 'Действие',
    end: 'Завершить',
    endOthers: 'Завершить все остальные',
    ended: 'Завершено.',
  },
});

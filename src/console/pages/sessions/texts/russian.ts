import type { english } from './english.ts';

export const russian: typeof english = {
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
};

import { pluralOf } from '../../../texts/plural.ts';
import type { english } from './english.ts';

const messages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });
const pictures = (count: number) =>
  pluralOf('ru', count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });

export const russian: typeof english = {
  command: 'Поделиться разговором',
  buttons: {
    now: 'Создать страницу',
    withImages: (count) => (count === 1 ? 'С картинкой' : `С картинками: ${count}`),
    pages: (count) => `Страницы: ${count}`,
  },
  onlyPrivate: 'Разговоры групп я не публикую: в них слова других людей. Напишите /share в личном чате со мной.',
  nothing: 'Этот разговор ещё пуст. Сначала спросите что-нибудь, потом отправьте /share.',
  ask: (title, count) =>
    `Поделиться разговором «${title}»? Все, у кого есть ссылка, увидят:\n\n• ${messages(count)} — как сейчас. Новые не добавятся.`,
  nameless: '• Без имён, аккаунтов, файлов и размышлений моделей.',
  pictures: (count, limit) =>
    count > limit
      ? `• Ваши изображения (${pictures(count)}) — только если вы нажмёте кнопку ниже, последние ${limit}.`
      : `• Ваши изображения (${pictures(count)}) — только если вы нажмёте кнопку ниже.`,
  removable: 'Вы получите ключ, которым страницу можно удалить, и сможете задать ей срок.',
  unreachable: (url) =>
    `⚠️ Ссылка будет начинаться с ${url} и откроется только на машине, где работает сервис. Владелец может указать в PUBLIC_URL адрес, доступный другим.`,
  making: 'Создаю страницу…',
  tooMany: (limit) => `У вас уже ${limit} страниц, это максимум. Сначала удалите одну.`,
  unknown: 'Такой страницы нет. Возможно, её срок вышел или её удалили.',
  taken: (title) => `«${title}» продолжается здесь, в личном чате. Последние сообщения:`,
};

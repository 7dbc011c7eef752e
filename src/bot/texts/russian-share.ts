import type { englishShare } from './english-share.ts';
import { pluralOf } from './plural.ts';

const messages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });
const pictures = (count: number) =>
  pluralOf('ru', count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });

/** The bot's own words about conversations as pages, in Russian. */
export const russianShare: typeof englishShare = {
  buttons: {
    share: 'Поделиться страницей',
    now: 'Сделать страницу',
    withPictures: (count) => (count === 1 ? 'С картинкой' : `С картинками: ${count}`),
    pages: (count) => `Страницы: ${count}`,
  },
  onlyPrivate: 'Разговоры групп я не публикую: в них слова других людей. Напишите /share в личном чате со мной.',
  nothing: 'В этом разговоре ещё ничего не сказано. Спросите что-нибудь, и /share сделает из него страницу.',
  ask: (title, count) =>
    `Поделиться разговором «${title}»? Все, у кого есть ссылка, увидят:\n\n• ${messages(count)} – как сейчас. Новые не добавятся.`,
  nameless: '• Без имён, аккаунтов, файлов и размышлений моделей.',
  pictures: (count, limit) =>
    count > limit
      ? `• Ваши изображения (${pictures(count)}) – только если вы нажмёте кнопку ниже, последние ${limit}.`
      : `• Ваши изображения (${pictures(count)}) – только если вы нажмёте кнопку ниже.`,
  removable: 'Вы получите ключ, которым страницу можно удалить, и сможете задать ей срок.',
  unreachable: (url) =>
    `⚠️ Ссылка будет начинаться с ${url} и откроется только там, где работает сервис. Это может изменить его владелец: в настройке PUBLIC_URL стоит адрес, доступный другим.`,
  making: 'Делаю страницу…',
  ownerKey: 'Ключ владельца (с ним страницу может удалить кто угодно):',
  askDeletion: 'Удалить эту страницу навсегда? Ссылка перестанет работать. Сам разговор останется в чате.',
  goOn: (link) => `Продолжить его в Telegram: ${link}`,
  tooMany: (limit) => `У вас уже ${limit} страниц, больше нельзя. Сначала удалите одну.`,
  pages: (count) =>
    count === 0 ? 'Вы ещё ничем не делились. Страницу сделает /share.' : `Разговоры, которыми вы поделились: ${count}.`,
  unknown: 'Такой страницы нет. Возможно, её срок вышел или её удалили.',
  taken: (title) => `«${title}» продолжается здесь, в личном чате. Последние сообщения:`,
};

import { defineTexts } from '../../../texts/define-texts.ts';
import { pluralOf } from '../../../texts/plural.ts';

const englishMessages = (count: number) => pluralOf('en', count, { one: 'message', other: 'messages' });
const englishPictures = (count: number) => pluralOf('en', count, { one: 'image', other: 'images' });
const russianMessages = (count: number) =>
  pluralOf('ru', count, { one: 'сообщение', few: 'сообщения', many: 'сообщений', other: 'сообщения' });
const russianPictures = (count: number) =>
  pluralOf('ru', count, { one: 'картинка', few: 'картинки', many: 'картинок', other: 'картинки' });

export const texts = defineTexts({
  en: {
    command: 'Share this conversation as a page',
    buttons: {
      now: 'Create page',
      withImages: (count: number) => (count === 1 ? 'With the image' : `With ${englishPictures(count)}`),
      pages: (count: number) => `Shared pages: ${count}`,
    },
    onlyPrivate:
      'I don’t share group conversations, because they contain messages from other users. Send me /share in our private chat.',
    nothing: 'This conversation is still empty. Ask me something first, then send /share.',
    ask: (title: string, count: number) =>
      `Share “${title}” as a page? Anyone with the link sees:\n\n• ${englishMessages(count)}, as they are now. Later messages are not added.`,
    nameless: '• No names, accounts, files or model reasoning.',
    imageNote: (count: number, limit: number) =>
      count > limit
        ? `• Your ${englishPictures(count)} only if you choose so below (the newest ${limit}).`
        : `• Your ${englishPictures(count)} only if you choose so below.`,
    removable: 'You get a key to delete the page, and you can set an expiry.',
    unreachable: (url: string) =>
      `⚠️ The link will begin with ${url} and work only on the machine that runs this service. The operator can set PUBLIC_URL to an address that others can reach.`,
    making: 'Creating the page…',
    tooMany: (limit: number) => `You have ${limit} shared pages, the maximum. Delete one first.`,
    unknown: 'There is no such page. It may have expired or been deleted.',
    taken: (title: string) => `“${title}” continues here, in private. This is where it was:`,
  },
  ru: {
    command: 'Поделиться разговором',
    buttons: {
      now: 'Создать страницу',
      withImages: (count) => (count === 1 ? 'С картинкой' : `С картинками: ${count}`),
      pages: (count) => `Страницы: ${count}`,
    },
    onlyPrivate: 'Разговоры групп я не публикую: в них слова других людей. Напишите /share в личном чате со мной.',
    nothing: 'Этот разговор ещё пуст. Сначала спросите что-нибудь, потом отправьте /share.',
    ask: (title, count) =>
      `Поделиться разговором «${title}»? Все, у кого есть ссылка, увидят:\n\n• ${russianMessages(count)} — как сейчас. Новые не добавятся.`,
    nameless: '• Без имён, аккаунтов, файлов и размышлений моделей.',
    imageNote: (count, limit) =>
      count > limit
        ? `• Ваши изображения (${russianPictures(count)}) — только если вы нажмёте кнопку ниже, последние ${limit}.`
        : `• Ваши изображения (${russianPictures(count)}) — только если вы нажмёте кнопку ниже.`,
    removable: 'Вы получите ключ, которым страницу можно удалить, и сможете задать ей срок.',
    unreachable: (url) =>
      `⚠️ Ссылка будет начинаться с ${url} и откроется только на машине, где работает сервис. Владелец может указать в PUBLIC_URL адрес, доступный другим.`,
    making: 'Создаю страницу…',
    tooMany: (limit) => `У вас уже ${limit} страниц, это максимум. Сначала удалите одну.`,
    unknown: 'Такой страницы нет. Возможно, её срок вышел или её удалили.',
    taken: (title) => `«${title}» продолжается здесь, в личном чате. Последние сообщения:`,
  },
});

import type { Texts } from './english.ts';
import { pluralOf } from './plural.ts';
import { russianSize } from './russian-units.ts';

const files = (count: number) => pluralOf('ru', count, { one: 'файл', few: 'файла', many: 'файлов', other: 'файла' });

/** The bot's own words about looking after files, in Russian. */
export const russianFileMenu: Texts['fileMenu'] = {
  buttons: {
    allFiles: 'Все файлы',
    keep: 'Оставить',
    never: 'Никогда',
    after: (hours) =>
      hours < 24
        ? pluralOf('ru', hours, { one: 'час', few: 'часа', many: 'часов', other: 'часа' })
        : pluralOf('ru', hours / 24, { one: 'день', few: 'дня', many: 'дней', other: 'дня' }),
  },
  heading: (count, sizeBytes) => `Ваши файлы: ${count} (всего ${russianSize(sizeBytes)}).`,
  found: (count, search) => `${files(count)} с «${search}» в имени.`,
  noneFound: (search) => `Нет файлов с «${search}» в имени.`,
  empty: 'Здесь пока нет ваших файлов. Пришлите мне файл, и я дам на него ссылку.',
  onlyPrivate: 'Ваши файлы – только между нами. Напишите мне это в личном чате.',
  askSearch: 'Какой файл? Пришлите часть его имени.',
  gone: 'Этого файла больше нет.',
  askName: 'Пришлите новое имя. Расширение можно не писать, тогда оно останется прежним.',
  badName: 'Такого имени у файла быть не может. Пришлите другое.',
  renamed: 'Переименовано.',
  askExpiry: 'Когда он должен исчезнуть? Срок идёт с момента нажатия.',
  expirySaved: 'Сохранено.',
  askDeletion: 'Удалить этот файл навсегда? Ссылка перестанет работать.',
  deleted: (name) => `${name} – удалён. Ссылка больше не работает.`,
  whichFile: 'Какой файл? Напишите его ссылку или id после /delete.',
  unknownFile: 'Такого файла нет. Может быть, его срок истёк или он уже удалён.',
  askOwnerKey:
    'Насколько я знаю, это не ваш файл. Пришлите ключ владельца, и я его удалю. Ваше сообщение с ключом тоже исчезнет.',
  wrongOwnerKey: 'Это не ключ владельца того файла. Ничего не удалено. Пришлите верный.',
  ownerKeyRemains: 'Не получилось убрать ваше сообщение с ключом владельца. Удалите его, пожалуйста, сами.',
  inline: {
    noFiles: 'Пришлите мне файлы, чтобы делиться ими здесь',
    noneFound: 'Нет файла с таким именем',
    link: (size) => `${size}, ссылкой`,
  },
};

import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    command: 'All of this in your browser',
    onlyPrivate: 'The console shows your data, so I open it in our private chat.',
    about: 'The console: your usage, keys, files and settings on one page.',
    aboutAdmin: 'Console: your data, and the administration of this service.',
    open: 'Open here',
    inBrowser: 'Open in a browser',
    linkRules: 'The link for the browser works once, within five minutes. Don’t pass it on: it signs in as you.',
    noMiniApp: 'Open it in a browser. (Inside Telegram it needs an https address: PUBLIC_URL.)',
  },
  ru: {
    command: 'Всё это на веб-странице',
    onlyPrivate: 'В консоли видно то, что принадлежит вам, поэтому я открываю её в личном чате.',
    about: 'Консоль: ваш расход, ключи, файлы и настройки на одной странице.',
    aboutAdmin: 'Консоль: всё ваше и управление этим сервисом.',
    open: 'Открыть здесь',
    inBrowser: 'Открыть в браузере',
    linkRules:
      'Ссылка для браузера действует один раз в течение пяти минут. Не передавайте её: по ней входят от вашего имени.',
    noMiniApp:
      'Она открывается только в браузере: Telegram показывает страницы по адресам https, а у этого сервиса такого нет (PUBLIC_URL).',
  },
});

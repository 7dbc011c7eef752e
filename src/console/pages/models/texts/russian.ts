import type { english } from './english.ts';

export const russian: typeof english = {
  models: 'Модели',
  model: 'Модель',
  search: 'Название',
  type: 'Вид',
  provider: 'Провайдер',
  anyProvider: 'любой',
  price: 'Цена',
  pricedFilter: { any: 'любая', true: 'известна', false: 'неизвестна' },
  prices: {
    input: 'за 1 млн токенов на входе',
    output: 'за 1 млн токенов на выходе',
    cached_input: 'за 1 млн токенов из кэша',
    image: 'за картинку',
    audio_minute: 'за минуту',
    characters: 'за 1 млн символов',
    request: 'за запрос',
  },
  free: 'бесплатно',
  source: 'Откуда',
  sources: {
    'providers-file': 'файл провайдеров',
    provider: 'провайдер',
    list: 'прайс-лист',
    free: 'на ваших машинах',
  },
  none: 'Таких моделей нет.',
};

import type { english } from './english.ts';

export const russian: typeof english = {
  all: () => 'Все запросы:',
  groupBy: 'По чему',
  columns: { model: 'Модель', provider: 'Провайдер', user: 'Пользователь', kind: 'Вид' },
  by: { model: 'По моделям', provider: 'По провайдерам', user: 'По пользователям', kind: 'По видам' },
  user: (id) => `Пользователь ${id}`,
};

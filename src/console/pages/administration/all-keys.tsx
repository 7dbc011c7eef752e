import { defineTexts } from '../../../texts/define-texts.ts';
import type { Page } from '../../page.ts';
import { Card } from '../../ui/card.tsx';
import { Field, useSearch } from '../../ui/field.tsx';
import { useSharedTexts, useTexts } from '../../view-context.ts';
import { ManagedKeys } from '../shared/managed-keys.tsx';

/** API keys of all users. */
export const allKeysPage: Page = {
  name: 'all-keys',
  title: { en: 'All API keys', ru: 'Все ключи API' },
  icon: 'key',
  isForAdmins: true,
  View: AllKeysView,
};

/** API keys of all users with a search. */
function AllKeysView() {
  const words = useTexts(texts);
  const shared = useSharedTexts();
  const { search, field } = useSearch();
  const filter = new URLSearchParams({ limit: '50', ...(search !== '' && { search }) });
  return (
    <>
      <div class="tools">
        <Field label={shared.search} hint={words.searchHint} {...field} />
      </div>
      <Card>
        <ManagedKeys path={`api/keys?${filter}`} empty={search === '' ? words.none : words.noneFound} showsOwner />
      </Card>
    </>
  );
}

const texts = defineTexts({
  en: {
    searchHint:
      'A part of the name of the key or its owner, or the beginning of the key. You can paste a whole key; only its beginning is used.',
    none: 'There are no keys yet.',
    noneFound: 'No key matches.',
  },
  ru: {
    searchHint: 'Часть названия, имени владельца или начало ключа. Вставленный ключ сокращается до начала.',
    none: 'Ключей пока нет.',
    noneFound: 'Таких ключей нет.',
  },
});

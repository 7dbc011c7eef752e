import { Card } from '../../ui/card.tsx';
import { Field, useSearch } from '../../ui/field.tsx';
import { useOwnTexts, useTexts } from '../../view-context.ts';
import { ManagedKeys } from '../shared/managed-keys/managed-keys.tsx';
import { texts } from './texts.ts';
import { withoutSecret } from './without-secret.ts';

/** API keys of all users with a search. */
export function AllKeysView() {
  const words = useOwnTexts(texts);
  const shared = useTexts();
  const { wanted, field } = useSearch();
  const filter = new URLSearchParams({ limit: '50', ...(wanted !== '' && { search: wanted }) });
  return (
    <>
      <div class="tools">
        <Field
          label={shared.search}
          hint={words.searchHint}
          {...field}
          onChange={(text) => field.onChange(withoutSecret(text))}
        />
      </div>
      <Card>
        <ManagedKeys path={`api/keys?${filter}`} empty={wanted === '' ? words.none : words.noneFound} showsOwner />
      </Card>
    </>
  );
}

import { useRef } from 'preact/hooks';
import { ApiError, request } from '../../../api/request.ts';
import type { Settings, SettingsAnswer } from '../../../api/types.ts';
import { type Query, useQuery } from '../../../api/use-query.ts';
import { describeError } from '../../../ui/describe-error.ts';
import { showToast } from '../../../ui/toasts.tsx';
import { useLocale, useReloadProfile, useSharedTexts } from '../../../view-context.ts';

export type ChangeSettings = (changes: Partial<Settings>) => void;

/** Settings of the user, and a function that shows a change at once and saves it. */
export function useSettings(): { readonly query: Query<SettingsAnswer>; readonly change: ChangeSettings } {
  const words = useSharedTexts();
  const locale = useLocale();
  const reloadProfile = useReloadProfile();
  const query = useQuery<SettingsAnswer>('api/me/settings');
  // Changes are saved one after the other, so that the last one wins.
  const saving = useRef(Promise.resolve());
  const save = async (changes: Partial<Settings>) => {
    try {
      await request('PATCH', 'api/me/settings', { body: changes });
      showToast(words.saved);
      if ('language' in changes || 'time_zone' in changes) reloadProfile();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showToast(describeError(locale, error), 'error');
      query.reload();
    }
  };
  const change: ChangeSettings = (changes) => {
    if (query.data) query.setData({ ...query.data, settings: { ...query.data.settings, ...changes } });
    saving.current = saving.current.then(() => save(changes));
  };
  return { query, change };
}

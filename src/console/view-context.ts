import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { TextsOf } from '../texts/define-texts.ts';
import { DEFAULT_LOCALE, type Locale } from '../texts/locale.ts';
import type { Profile } from './api/types.ts';
import { texts } from './texts.ts';

/** Facts that every view can read. */
export const ViewContext = createContext<{
  readonly locale: Locale;
  /** The user; undefined before sign-in. */
  readonly profile: Profile | undefined;
  /** Loads the profile again, such as after a change of the language. */
  readonly reloadProfile: () => void;
}>({
  locale: DEFAULT_LOCALE,
  profile: undefined,
  reloadProfile: () => {},
});

export function useLocale(): Locale {
  return useContext(ViewContext).locale;
}

/** Returns the texts that pages share. */
export function useSharedTexts() {
  return texts[useLocale()];
}

/** Returns texts in the user's language. */
export function useTexts<Words>(own: TextsOf<Words>): Words {
  return own[useLocale()];
}

/** Returns the signed-in user. */
export function useProfile(): Profile {
  const { profile } = useContext(ViewContext);
  if (!profile) throw new Error('This view is for signed-in users');
  return profile;
}

/** Returns what loads the signed-in user again. */
export function useReloadProfile(): () => void {
  return useContext(ViewContext).reloadProfile;
}

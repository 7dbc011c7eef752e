import { useEffect, useState } from 'preact/hooks';
import { findLocale } from '../texts/locale.ts';
import { MARK_URL } from '../texts/mark.ts';
import { ApiError } from './api/request.ts';
import { useToken } from './api/session.ts';
import { botUsername, isPlayground, OTHER_ACCOUNT, signInToPlayground } from './api/sign-in.ts';
import type { Profile } from './api/types.ts';
import { useQuery } from './api/use-query.ts';
import { Shell } from './shell.tsx';
import { texts } from './texts.ts';
import { Button } from './ui/button.tsx';
import { Card } from './ui/card.tsx';
import { describeError } from './ui/describe-error.ts';
import { showToast, Toasts } from './ui/toasts.tsx';
import { useLocale, useSharedTexts, ViewContext } from './view-context.ts';

/** The whole page. @param signIn attempt that has begun with the page. */
export function App({ signIn }: { readonly signIn: Promise<void> }) {
  const [attempt, setAttempt] = useState<'running' | 'over' | ApiError>('running');
  const token = useToken();
  useEffect(() => {
    signIn.then(
      () => setAttempt('over'),
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        setAttempt(error);
      },
    );
  }, [signIn]);
  const isReady = attempt !== 'running' && token !== undefined;
  const profile = useQuery<Profile>(isReady ? 'api/me' : undefined);
  const locale = findLocale(profile.data?.language ?? undefined, ...navigator.languages);
  useEffect(() => {
    document.documentElement.lang = locale;
  }, [locale]);
  useEffect(() => {
    if (!(attempt instanceof ApiError) || token === undefined) return;
    // An earlier session continues.
    showToast(describeError(locale, attempt, { [OTHER_ACCOUNT]: texts[locale].signIn.otherAccount }), 'error');
  }, [attempt, locale, token]);
  const failure = attempt instanceof ApiError ? attempt : profile.error;
  return (
    <ViewContext.Provider value={{ locale, profile: profile.data, reloadProfile: profile.reload }}>
      {isReady && profile.data ? (
        <Shell />
      ) : attempt === 'running' || (isReady && !profile.error) ? (
        <p class="splash">{texts[locale].signIn.signingIn}</p>
      ) : (
        <SignedOut failure={failure} />
      )}
      <Toasts />
    </ViewContext.Provider>
  );
}

/** The page without a session. */
function SignedOut({ failure }: { readonly failure: ApiError | undefined }) {
  const words = useSharedTexts();
  const locale = useLocale();
  const [error, setError] = useState(failure);
  const onPlayground = () => {
    signInToPlayground().then(
      () => location.reload(),
      (reason: unknown) => setError(reason instanceof ApiError ? reason : undefined),
    );
  };
  return (
    <main class="splash">
      <h1 class="brand">
        <img src={MARK_URL} alt="" width={40} height={40} />
        {words.title}
      </h1>
      <Card title={words.signIn.heading}>
        {error && (
          <p class="error" role="alert">
            {describeError(locale, error)}
          </p>
        )}
        <p>{words.signIn.body}</p>
        <div class="buttons">
          {botUsername !== undefined && (
            <a class="button primary" href={`https://t.me/${botUsername}`}>
              {words.signIn.openBot(botUsername)}
            </a>
          )}
          {isPlayground && <Button onPress={onPlayground}>{words.signIn.playground}</Button>}
        </div>
      </Card>
    </main>
  );
}

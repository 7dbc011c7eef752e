import { useEffect, useState } from 'preact/hooks';

const STORED = 'console-token';
const listeners = new Set<() => void>();

/** Token of the session, shared by the tabs of the browser; undefined: signed out. */
export function readToken(): string | undefined {
  return localStorage.getItem(STORED) ?? undefined;
}

/** Stores the token of a new session; undefined signs out in all tabs. */
export function storeToken(token: string | undefined): void {
  if (token === undefined) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, token);
  for (const listener of listeners) listener();
}

/** Returns the token, also after changes in other tabs. */
export function useToken(): string | undefined {
  const [token, setToken] = useState(readToken);
  useEffect(() => {
    const onChange = () => setToken(readToken());
    listeners.add(onChange);
    addEventListener('storage', onChange);
    return () => {
      listeners.delete(onChange);
      removeEventListener('storage', onChange);
    };
  }, []);
  return token;
}

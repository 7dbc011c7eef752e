import { ApiError, type RequestOptions, request } from './request.ts';
import { readToken, storeToken } from './session.ts';
import type { Profile, SignedIn } from './types.ts';

/** Code of the error for a link of another account. */
export const OTHER_ACCOUNT = 'other_account';

/** Whether the page belongs to a playground, which signs in by itself. */
export const isPlayground = document.documentElement.dataset['mode'] === 'playground';

/** Username of the bot that sends links, once it is known. */
export const botUsername = document.documentElement.dataset['bot'];

/**
 * Signs in by what the page was opened with: Telegram's init data, the code of a link, or, in the playground, nothing.
 * Otherwise the session of an earlier visit continues.
 * @param initData if Telegram has opened the page.
 * @throws ApiError
 */
export async function beginSession(initData: string | undefined): Promise<void> {
  const code = readCode();
  // The code must not get into the history.
  if (initData !== undefined || code !== undefined) history.replaceState(null, '', location.pathname + readPage());
  if (initData !== undefined) {
    await signIn({ init_data: initData });
  } else if (code !== undefined) await signInByLink(code);
  else if (isPlayground && readToken() === undefined) await signInToPlayground();
}

/** Signs in as "You" of the playground. @throws ApiError */
export function signInToPlayground(): Promise<void> {
  return signIn({ playground: true }, { credentials: 'same-origin' });
}

/** Ends the session, in all tabs. */
export async function signOut(): Promise<void> {
  try {
    await request('DELETE', 'api/me/sessions/current');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  storeToken(undefined);
}

/** Returns whether the address is a link from the bot. */
export function isLink(): boolean {
  return readCode() !== undefined;
}

function readCode(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
}

/** Returns the part of the address that opens the page a link leads to: `?page=keys/12`. */
function readPage(): string {
  const page = new URLSearchParams(location.search).get('page') ?? '';
  return /^[\w-]+(?:\/\d+)?$/.test(page) ? `#/${page}` : '';
}

async function signIn(body: object, options?: RequestOptions): Promise<void> {
  storeToken(await requestToken(body, options));
}

const CONFLICT = 409;

/** Signs in, unless another user has a session: a link sent by an attacker must not lead into the attacker's account. */
async function signInByLink(code: string): Promise<void> {
  const currentId = await findCurrentId();
  const token = await requestToken({ code });
  const headers = { authorization: `Bearer ${token}` };
  const { id } = await request<Profile>('GET', 'api/me', { headers });
  if (currentId === undefined || currentId === id) return storeToken(token);
  await request('DELETE', 'api/me/sessions/current', { headers });
  throw new ApiError(CONFLICT, OTHER_ACCOUNT, '');
}

/** Returns the id of the user who is signed in. */
async function findCurrentId(): Promise<number | undefined> {
  if (readToken() === undefined) return undefined;
  try {
    return (await request<Profile>('GET', 'api/me')).id;
  } catch (error) {
    // The session has ended.
    if (readToken() === undefined) return undefined;
    throw error;
  }
}

async function requestToken(body: object, options?: RequestOptions): Promise<string> {
  return (await request<SignedIn>('POST', 'api/sessions', { ...options, body })).token;
}

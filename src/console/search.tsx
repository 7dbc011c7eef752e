import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Keys, ManagedKey, ManagedModel, ManagedUser, SettingsAnswer } from './api/types.ts';
import { type List, useQuery } from './api/use-query.ts';
import type { Page } from './page.ts';
import { toName } from './pages/shared/to-name.ts';
import { toAddress } from './router.ts';
import { useSearch } from './ui/field.tsx';
import { Icon } from './ui/icon.tsx';
import { useLocale, useProfile, useSharedTexts } from './view-context.ts';

/** Something that the search has found. */
interface Hit {
  readonly kind: 'pages' | 'users' | 'keys' | 'models';
  readonly text: string;
  readonly detail: string;
  /** Address of the view that shows it. */
  readonly address: string;
}

const MAX_HITS = 5;
/** Preact's types of a combo box expect it. */
const NO_DATA_LIST = { list: undefined };

/** Searches pages, keys and models; for admins also users, and the keys and models of all. */
export function Search({ pages }: { readonly pages: readonly Page[] }) {
  const words = useSharedTexts();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { search, field } = useSearch();
  const [hasFocus, setHasFocus] = useState(false);
  const [selected, setSelected] = useState(0);
  const text = field.value.trim();
  const { hits, isLoading } = useHits({ text, search: hasFocus ? search : '', pages });
  const isOpen = hasFocus && text !== '';
  useShortcut(input);
  const close = () => {
    field.onChange('');
    input.current?.blur();
  };
  const open = (hit: Hit) => {
    location.hash = hit.address;
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const hit = hits[selected];
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && isOpen && hit) open(hit);
    else if (step !== undefined && hits.length > 0) setSelected((selected + step + hits.length) % hits.length);
    else return;
    event.preventDefault();
  };
  return (
    <search class="search" onFocusIn={() => setHasFocus(true)} onFocusOut={() => setHasFocus(false)}>
      <Icon name="search" />
      <input
        ref={input}
        {...NO_DATA_LIST}
        type="text"
        role="combobox"
        enterkeyhint="search"
        aria-label={words.find}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-activedescendant={isOpen && hits[selected] ? `${id}-${selected}` : undefined}
        autocomplete="off"
        placeholder={words.findHint}
        maxLength={field.maxLength}
        value={field.value}
        onInput={(event) => {
          setSelected(0);
          field.onChange(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <div class="hits">
          <div id={id} role="listbox" aria-label={words.find}>
            {[...Map.groupBy(hits.entries(), ([, { kind }]) => kind)].map(([kind, found]) => (
              <fieldset key={kind}>
                <legend>{words.found[kind]}</legend>
                {found.map(([index, hit]) => (
                  <button
                    key={index}
                    id={`${id}-${index}`}
                    type="button"
                    role="option"
                    tabIndex={-1}
                    aria-selected={index === selected}
                    // The field keeps the focus until the click.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => open(hit)}
                  >
                    {hit.text} <span class="dim">{hit.detail}</span>
                  </button>
                ))}
              </fieldset>
            ))}
          </div>
          {hits.length === 0 && (
            <p class="dim" role="status">
              {isLoading ? words.loading : words.notFound}
            </p>
          )}
        </div>
      )}
    </search>
  );
}

/** Moves the focus to a field with `/` and with Ctrl+K. */
function useShortcut(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isWriting =
        target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select');
      const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey && !isWriting;
      const isCtrlK = (ctrlKey || metaKey) && key.toLowerCase() === 'k';
      if ((!isSlash && !isCtrlK) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [field]);
}

interface HitsParams {
  /** Trimmed text of the field. */
  readonly text: string;
  /** `text` after the typing pause, sent in requests; empty: no request. */
  readonly search: string;
  readonly pages: readonly Page[];
}

function useHits({ text, search, pages }: HitsParams) {
  const locale = useLocale();
  const { is_admin: isAdmin } = useProfile();
  const managed = useManagedHits(isAdmin ? search : '');
  const own = useOwnHits(isAdmin ? '' : search);
  const things = isAdmin ? managed : own;
  const titled = pages.map(({ name, title }) => ({ name, text: title[locale] }));
  const found = titled.filter(({ name, text: title }) => isMatch(text, title, name)).slice(0, MAX_HITS);
  const hits: readonly Hit[] = [
    ...found.map((page) => ({ kind: 'pages', text: page.text, detail: '', address: toAddress(page.name) }) as const),
    ...(text === '' ? [] : things.hits),
  ];
  return { hits, isLoading: things.isLoading || search !== text };
}

/** Finds what admins manage. */
function useManagedHits(search: string) {
  const words = useSharedTexts();
  const query = search === '' ? undefined : `limit=${MAX_HITS}&search=${encodeURIComponent(search)}`;
  const users = useQuery<List<ManagedUser>>(query && `api/users?${query}`);
  const keys = useQuery<List<ManagedKey>>(query && `api/keys?${query}`);
  const models = useQuery<List<ManagedModel>>(query && `api/models?${query}`);
  const hits: readonly Hit[] = [
    ...(users.data?.data ?? []).map((user) => {
      const name = toName(user) ?? (user.universal_key ? words.universalKey : `${user.id}`);
      return {
        kind: 'users',
        text: name,
        detail: `${user.telegram_id ?? ''}`,
        address: toAddress('users', user.id),
      } as const;
    }),
    ...(keys.data?.data ?? []).map(({ label, user, user_name: owner }) => {
      return { kind: 'keys', text: label, detail: owner ?? `${user}`, address: toAddress('users', user) } as const;
    }),
    ...(models.data?.data ?? []).map(({ id, targets }) => {
      const detail = [...new Set(targets.map(({ provider }) => provider))].join(', ');
      return { kind: 'models', text: id, detail, address: toAddress('models', id) } as const;
    }),
  ];
  return { hits, isLoading: [users, keys, models].some(({ data, error }) => query && !data && !error) };
}

/** Finds the user's own keys, and the models that the user may choose. */
function useOwnHits(search: string) {
  const isAsked = search !== '';
  const keys = useQuery<Keys>(isAsked ? 'api/me/keys' : undefined);
  const settings = useQuery<SettingsAnswer>(isAsked ? 'api/me/settings' : undefined);
  const found = (keys.data?.data ?? []).filter(({ label, prefix }) => isMatch(search, label, prefix));
  const { models = [], image_models: imageModels = [] } = settings.data ?? {};
  const known = [...models, ...imageModels].filter(({ id, name }) => isMatch(search, id, name ?? ''));
  const hits: readonly Hit[] = [
    ...found.slice(0, MAX_HITS).map(({ id, label, prefix }) => {
      return { kind: 'keys', text: label, detail: `${prefix}…`, address: toAddress('keys', id) } as const;
    }),
    ...known.slice(0, MAX_HITS).map(({ id, name }) => {
      const detail = name !== null && name !== id ? name : '';
      return { kind: 'models', text: id, detail, address: toAddress('settings') } as const;
    }),
  ];
  return { hits, isLoading: [keys, settings].some(({ data, error }) => isAsked && !data && !error) };
}

/** Returns whether one of the texts contains what is searched, in any case. */
function isMatch(search: string, ...texts: readonly string[]): boolean {
  const wanted = search.toLowerCase();
  return wanted !== '' && texts.some((text) => text.toLowerCase().includes(wanted));
}

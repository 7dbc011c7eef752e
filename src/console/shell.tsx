import { useEffect, useRef, useState } from 'preact/hooks';
import { MARK_URL } from '../texts/mark.ts';
import { isPlayground, signOut } from './api/sign-in.ts';
import type { Page } from './page.ts';
import { pages } from './pages.ts';
import { toAddress, useRoute } from './router.ts';
import { Search } from './search.tsx';
import { Icon } from './ui/icon.tsx';
import { useLocale, useProfile, useSharedTexts } from './view-context.ts';

/** Menu and current page of a signed-in user. */
export function Shell() {
  const words = useSharedTexts();
  const locale = useLocale();
  const { is_admin: isAdmin } = useProfile();
  const [first = '', ...rest] = useRoute();
  const [isOpen, setIsOpen] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const open = pages.filter((page) => (isAdmin || !page.isForAdmins) && (isPlayground || !page.isForPlayground));
  const current = first === '' ? open[0] : open.find(({ name }) => name === first);
  const title = current?.title[locale] ?? words.noPage;
  const address = [first, ...rest].join('/');
  useEffect(() => {
    document.title = `${title} · ${words.title}`;
  }, [title, words]);
  useEffect(() => {
    setIsOpen(false);
    // Screen readers announce the new page, unless a search has begun in the meantime.
    if (!document.activeElement?.matches('[role="combobox"]')) heading.current?.focus();
  }, [address]);
  return (
    <div class={isOpen ? 'shell is-open' : 'shell'}>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        {words.skip}
      </button>
      <header class="bar">
        <button
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="menu" />
          <span class="hidden">{words.menu}</span>
        </button>
        <a class="brand" href={toAddress('')} aria-label={words.title}>
          <img src={MARK_URL} alt="" width={28} height={28} />
          <span>{words.title}</span>
        </a>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <Search pages={open} />
      </header>
      <nav id="menu" class="menu" aria-label={words.menu}>
        <div>
          <MenuPart title={words.yours} pages={open.filter((page) => !isOfAdministration(page))} current={current} />
          <MenuPart title={words.administration} pages={open.filter(isOfAdministration)} current={current} />
        </div>
        <button type="button" class="menu-item" onClick={() => void signOut()}>
          <Icon name="sign-out" />
          {words.signOut}
        </button>
      </nav>
      <main id="content" class="content" data-page={current?.name}>
        {current ? <current.View rest={rest} /> : <p>{words.noPage}</p>}
      </main>
    </div>
  );
}

/** The start page of a playground is above the menu's parts for admins. */
function isOfAdministration({ isForAdmins, isForPlayground = false }: Page): boolean {
  return isForAdmins && !isForPlayground;
}

interface MenuPartProps {
  readonly title: string;
  readonly pages: readonly Page[];
  readonly current: Page | undefined;
}

function MenuPart({ title, pages: listed, current }: MenuPartProps) {
  const locale = useLocale();
  if (listed.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {listed.map((page) => (
          <li key={page.name}>
            <a class="menu-item" href={toAddress(page.name)} aria-current={page === current ? 'page' : undefined}>
              <Icon name={page.icon} />
              {page.title[locale]}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

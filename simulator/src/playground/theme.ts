const KEY = 'playground-theme';

type Theme = 'light' | 'dark';

/** Manages the light or dark theme: the reader's last selection, or the preference of the system. */
export function createTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = (): Theme | undefined => {
    const value = readChoice();
    return value === 'light' || value === 'dark' ? value : undefined;
  };
  const current = (): Theme => chosen() ?? (system.matches ? 'dark' : 'light');
  const apply = () => {
    document.documentElement.dataset.theme = current();
  };
  apply();
  system.addEventListener('change', apply);
  return {
    get current() {
      return current();
    },
    toggle() {
      keepChoice(current() === 'dark' ? 'light' : 'dark');
      apply();
    },
  };
}

/** Used if the browser blocks storage; the selection then lasts until the page is closed. */
let fallback: string | null = null;

function readChoice() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return fallback;
  }
}

function keepChoice(theme: Theme) {
  fallback = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // `fallback` has the value.
  }
}

const KEY = 'playground-theme';

type Theme = 'light' | 'dark';

/** Day or night: what the reader chose last, else what the system prefers. */
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

/** Storage may be switched off in the browser: then the choice lives as long as the page. */
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
    // The fallback has it.
  }
}

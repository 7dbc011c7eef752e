const KEY = 'playground-theme';

/** @typedef {'light' | 'dark'} Theme */

/** Day or night: what the reader chose last, else what the system prefers. */
export function createTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  /** @returns {Theme | undefined} */
  const chosen = () => {
    const value = readChoice();
    return value === 'light' || value === 'dark' ? value : undefined;
  };
  /** @returns {Theme} */
  const current = () => chosen() ?? (system.matches ? 'dark' : 'light');
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

/** Storage may be switched off in the browser: then the choice lives as long as the page. @type {string | null} */
let fallback = null;

function readChoice() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return fallback;
  }
}

/** @param {Theme} theme */
function keepChoice(theme) {
  fallback = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The fallback has it.
  }
}

import { isJsonObject, type JsonObject, parseJson } from '../lib/json/json.ts';

/**
 * The part of Telegram's Mini App protocol that the console needs. Telegram's own script would come from another host.
 * Source: https://core.telegram.org/api/web-events, https://core.telegram.org/bots/webapps
 */
interface TelegramWindow extends Window {
  /** Android, iOS, macOS. */
  readonly TelegramWebviewProxy?: { postEvent(type: string, data: string): void };
  Telegram?: { WebView: { receiveEvent(type: string, data: unknown): void } };
}

const TELEGRAM_WEB = 'https://web.telegram.org';
const view = window as unknown as TelegramWindow & { readonly external: { notify?: (message: string) => void } };

/**
 * Returns the signed data about the user, for signing in, if Telegram has opened the page, and takes over Telegram's
 * colours. To be called once, before the address changes.
 */
export function openMiniApp(): string | undefined {
  const launch = new URLSearchParams(location.hash.slice(1));
  const initData = launch.get('tgWebAppData');
  // Elsewhere, such data comes from a link, which must not lead into the account of its author.
  if (!initData || !isInTelegram()) return undefined;
  applyTheme(parseObject(launch.get('tgWebAppThemeParams') ?? ''));
  view.Telegram = { WebView: { receiveEvent } };
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== TELEGRAM_WEB || source !== parent || typeof data !== 'string') return;
    const { eventType, eventData } = parseObject(data);
    receiveEvent(String(eventType), eventData);
  });
  addEventListener('hashchange', showBackButton);
  post('web_app_ready');
  post('web_app_expand');
  return initData;
}

function receiveEvent(type: string, data: unknown): void {
  if (type === 'back_button_pressed') history.back();
  if (type === 'theme_changed' && isJsonObject(data) && isJsonObject(data['theme_params']))
    applyTheme(data['theme_params']);
}

/** Returns an empty object for a text that is not the JSON of one. */
function parseObject(text: string): JsonObject {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
}

/** Telegram's back button leads to the first page. */
function showBackButton(): void {
  post('web_app_setup_back_button', { is_visible: location.hash.length > 2 });
}

function isInTelegram(): boolean {
  return view.TelegramWebviewProxy !== undefined || view.external?.notify !== undefined || parent !== window;
}

function post(eventType: string, eventData: object = {}): void {
  if (view.TelegramWebviewProxy) view.TelegramWebviewProxy.postEvent(eventType, JSON.stringify(eventData));
  else if (view.external?.notify) view.external.notify(JSON.stringify({ eventType, eventData }));
  else if (parent !== window) parent.postMessage(JSON.stringify({ eventType, eventData }), TELEGRAM_WEB);
}

/** CSS variables by Telegram's names of colours. */
const COLOURS = {
  secondary_bg_color: '--page',
  section_bg_color: '--card',
  text_color: '--text',
  hint_color: '--dim',
  link_color: '--link',
  button_color: '--accent',
  button_text_color: '--on-accent',
  destructive_text_color: '--danger',
} as const;

function applyTheme(colours: JsonObject): void {
  const root = document.documentElement;
  for (const [name, variable] of Object.entries(COLOURS)) {
    const colour = colours[name];
    if (typeof colour === 'string' && /^#[0-9a-f]{6}$/i.test(colour)) root.style.setProperty(variable, colour);
  }
  const background = colours['bg_color'];
  if (typeof background === 'string') root.style.colorScheme = isDark(background) ? 'dark' : 'light';
}

function isDark(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

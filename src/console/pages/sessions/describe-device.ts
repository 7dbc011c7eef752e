const BROWSERS = ['Edg', 'OPR', 'SamsungBrowser', 'YaBrowser', 'Firefox', 'Chrome', 'Safari'];
const BROWSER_NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', YaBrowser: 'Yandex Browser' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'];

/** Returns browser and system of a `User-Agent`, such as `Firefox · Linux`; its beginning if they are not known. */
export function describeDevice(userAgent: string): string {
  const browser = BROWSERS.find((name) => userAgent.includes(`${name}/`));
  const system = SYSTEMS.find((name) => userAgent.includes(name));
  const known = [browser && (BROWSER_NAMES[browser] ?? browser), system].filter((name) => name !== undefined);
  return known.length > 0 ? known.join(' · ') : userAgent.slice(0, 40);
}

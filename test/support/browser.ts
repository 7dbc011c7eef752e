import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { orSkip } from './needed.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const MISSING = 'Chromium is not there: apt-get install chromium (or name its program in CHROMIUM_PATH)';

let found: { readonly path: string | undefined } | undefined;

/** Returns the path of a Chromium executable: `CHROMIUM_PATH`, or the system's. Skips like `orSkip`. */
export function findChromium(): string | undefined {
  found ??= { path: [process.env.CHROMIUM_PATH ?? '', ...PLACES].find((path) => path !== '' && existsSync(path)) };
  return orSkip(found.path, MISSING);
}

/** Starts a headless Chromium without background requests. Close it after the suite. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(MISSING);
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      // The sandbox needs privileges that containers don't have. The pages under test are trusted.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Simulates a microphone that beeps.
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
  });
}

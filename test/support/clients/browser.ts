import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { orSkip } from '../vitest/tiers.ts';

const SERIOUS = ['serious', 'critical'];

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

/**
 * Checks a page with axe. Waits until it has settled, because elements that are still loading may cause violations.
 * @param impacts of the violations that count. Default: those that axe calls serious or critical.
 */
export async function expectNoBarriers(page: Page, impacts: readonly string[] = SERIOUS): Promise<void> {
  await expect.poll(() => findBarriers(page, impacts), { interval: 500 }).toEqual([]);
}

/** Returns rules and elements of the violations. */
async function findBarriers(page: Page, impacts: readonly string[]): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const found = await page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => ${JSON.stringify(impacts)}.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 120) + ' ' + (node.any[0]?.message ?? ''))))`);
  return Array.isArray(found) ? found.map(String) : ['axe gave no answer'];
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const SERIOUS = ['serious', 'critical'];

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

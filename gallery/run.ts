import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { launchBrowser } from '../test/support/clients/browser.ts';
import { SCENES, type Scene } from './scenes.ts';
import { startStage, takePicture } from './stage.ts';

// Plays the scenes and takes a screenshot of each: `npm run gallery`, or `npm run gallery -- share threads` for some of
// them.

const FOLDER = fileURLToPath(new URL('../docs/gallery/', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../docs/gallery.md', import.meta.url));
/** Maximum total size of the images in the repository. */
const MAX_BYTES = 2.5 * 1024 * 1024;

const wanted = process.argv.slice(2);
const scenes = SCENES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
await mkdir(FOLDER, { recursive: true });
const stage = await startStage();
const browser = await launchBrowser();
try {
  for (const scene of scenes) {
    const shown = await scene.play(stage);
    const url = typeof shown === 'string' ? new URL(shown, stage.service.url).href : shown.address;
    const image = await compress(
      await takePicture(browser, url, {
        ...scene.window,
        isDark: scene.isDark ?? false,
        typed: scene.typed,
        shows: scene.shows,
        presses: scene.presses,
      }),
    );
    await writeFile(`${FOLDER}${scene.name}.png`, image);
    console.log(`${scene.name}: ${Math.round(image.length / 1024)} KiB`);
  }
} finally {
  await browser.close();
  await stage.close();
}
if (wanted.length === 0) await removeOthers();
await writeFile(DOCUMENT, toDocument(SCENES));
await checkSize();

/** A palette of few colours without dithering is enough for screenshots, and takes a fifth of the bytes. */
function compress(png: Buffer): Promise<Buffer> {
  return sharp(png).png({ palette: true, quality: 80, dither: 0, effort: 10, compressionLevel: 9 }).toBuffer();
}

/** Deletes images of removed scenes. */
async function removeOthers(): Promise<void> {
  const known = new Set(SCENES.map(({ name }) => `${name}.png`));
  const others = (await readdir(FOLDER)).filter((file) => !known.has(file));
  for (const file of others) await rm(`${FOLDER}${file}`);
}

async function checkSize(): Promise<void> {
  const sizes = await Promise.all((await readdir(FOLDER)).map(async (file) => (await stat(`${FOLDER}${file}`)).size));
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`${sizes.length} pictures, ${(sizeBytes / 1024 / 1024).toFixed(2)} MiB`);
  if (sizeBytes > MAX_BYTES) throw new Error('the gallery has become too large');
}

function toDocument(all: readonly Scene[]): string {
  const parts = all.map(({ name, title, words }) => `## ${title}\n\n![${words}](gallery/${name}.png)`);
  const head = 'The real bot and its real pages, with a simulated Telegram and a scripted model.';
  return `${['# Gallery', head, ...parts].join('\n\n')}\n`;
}

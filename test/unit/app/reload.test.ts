import { expect, it } from 'vitest';
import { readSettings } from '../../../src/app/read-settings.ts';
import { createReload } from '../../../src/app/reload.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';

it.each([
  ['OPENAI_TRANSCRIPTION_MODEL', 'whisper-2', undefined],
  ['OPENAI_MODELS', 'gpt-x', undefined],
  ['PORT', '9999', ['PORT']],
])('reloads settings: %s', async (name, value, needsRestart) => {
  const environment = { OPENAI_API_KEY: 'key' };
  const { logger, lines } = createRecordingLogger();
  const replaced: unknown[] = [];
  const replace = async (next: unknown) => void replaced.push(next);
  const reload = createReload(
    {
      logger,
      replaceModels: replace,
      replaceTools: replace,
      replaceRules: () => {},
      onRead: () => {},
    },
    await readSettings({ values: environment, fileNames: [] }),
  );
  await reload(readSettings({ values: { ...environment, [name]: value }, fileNames: [] }));
  expect(replaced).toHaveLength(needsRestart ? 0 : 1);
  expect(JSON.stringify(lines)).toContain('settings reloaded');
  expect(JSON.stringify(lines).includes('needsRestart')).toBe(needsRestart !== undefined);
});

import type { TextsOf } from '../../texts/define-texts.ts';
import type { Locale } from '../../texts/locale.ts';
import { groupTexts } from './group-texts.ts';
import { inputTexts } from './input-texts.ts';
import { limitTexts } from './limit-texts.ts';
import { sharedTexts } from './shared-texts.ts';
import { taskTexts } from './task-texts.ts';
import { toolTexts } from './tool-texts.ts';

export { DEFAULT_LOCALE, findLocale, type Locale, localeCodes } from '../../texts/locale.ts';
export type { InputCapabilities } from './shared-texts.ts';

/** Texts that features share, in one language. */
export type Texts = ReturnType<typeof join>;

/** Texts that features share. Those of one feature are beside it. */
export const locales: TextsOf<Texts> = { en: join('en'), ru: join('ru') };

function join(locale: Locale) {
  return {
    ...sharedTexts[locale],
    locale,
    groups: groupTexts[locale],
    inputs: inputTexts[locale],
    limits: limitTexts[locale],
    tasks: taskTexts[locale],
    tools: toolTexts[locale],
  };
}

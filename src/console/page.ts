import type { ComponentType } from 'preact';
import type { TextsOf } from '../texts/define-texts.ts';
import type { IconName } from './ui/icon.tsx';

/** A page of the console: a file or folder of `pages/`, and an entry in `pages.ts`. */
export interface Page {
  /** First part of its address: `#/<name>`. */
  readonly name: string;
  /** Name in the menu. */
  readonly title: TextsOf<string>;
  readonly icon: IconName;
  /** True for pages of admins. */
  readonly isForAdmins: boolean;
  /** True for pages that exist in playgrounds only. */
  readonly isForPlayground?: boolean;
  readonly View: ComponentType<PageProps>;
}

export interface PageProps {
  /** Parts of the address after the name: `['12']` for `#/keys/12`. */
  readonly rest: readonly string[];
}
